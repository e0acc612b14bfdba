import { text } from 'node:stream/consumers';
import { newId } from '../core/util/ids.ts';
import type { StartFlags } from './commands/start-commands.ts';
import { toSettings } from './flags.ts';
import { follow, followOptions } from './follow.ts';
import { messageFiles } from './message-files.ts';
import { settingsOfThread, withWorkflow } from './open-runtime.ts';
import { toInput } from './question-and-answer.ts';
import { toMetadata } from './settings.ts';
import { isTerminal, paint } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withConfigFile } from './with-config-file.ts';
import { checkInputFlags, workflowNamed } from './workflows.ts';

/**
 * Starts a run for a question, and shows it. Returns the exit code.
 *
 * @param question Absent or `-`: the text of standard input.
 */
export async function startRun(name: string, question: string | undefined, flags: StartFlags): Promise<number> {
  const workflow = workflowNamed(name);
  const settings = await settingsOfThread(flags, await withConfigFile(toSettings(flags), workflow));
  const missing = workflow.missing?.(settings);
  if (missing !== undefined) throw new UsageError(missing);
  checkInputFlags(workflow, flags);
  const files = await messageFiles(flags.file);
  if (settings.mcp && !workflow.takesTools) throw new UsageError(`${name} accepts no MCP tools. Remove --mcp.`);
  const asked = question === undefined || question === '-' ? await readQuestion() : question;
  return withWorkflow(flags, workflow, settings, async (runtime, machine) => {
    const threadId = flags.thread ?? newId('t');
    const priority = flags.priority === undefined ? {} : { priority: flags.priority };
    const input = toInput(asked, workflow.knowsUsers ? settings : {}, files);
    const run = runtime.start(machine, input, { threadId, ...priority, metadata: toMetadata(settings) });
    return follow(run, await followOptions(flags, runtime, workflow));
  });
}

/** @throws {UsageError} if standard input is blank. */
async function readQuestion(): Promise<string> {
  if (isTerminal()) process.stderr.write(`${paint('dim', 'Type or paste the question. Ctrl-D on an empty line ends it.')}\n`);
  const question = (await text(process.stdin)).trim();
  if (question === '') throw new UsageError('There is no question. Pass it in quotes, or on standard input.');
  return question;
}
