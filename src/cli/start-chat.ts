import { assertId, newId } from '../core/util/ids.ts';
import { chat } from './chat.ts';
import type { StartFlags } from './commands/start-commands.ts';
import { chatCommand, dbFlag, toSettings } from './flags.ts';
import { messageFiles } from './message-files.ts';
import { settingsOfThread, withWorkflow } from './open-runtime.ts';
import { toInput } from './question-and-answer.ts';
import { toMetadata } from './settings.ts';
import { isTerminal } from './terminal.ts';
import { withConfigFile } from './with-config-file.ts';
import { workflowNamed } from './workflows.ts';

/**
 * Starts a chat with chat-agent. Returns the exit code.
 *
 * @param closed Aborts when standard output is closed.
 */
export async function startChat(flags: StartFlags, closed: AbortSignal): Promise<number> {
  const workflow = workflowNamed('chat-agent');
  const settings = await settingsOfThread(flags, await withConfigFile(toSettings(flags), workflow));
  const threadId = flags.thread ?? newId('t');
  assertId(threadId, 'thread'); // fails before the user types a question
  let files = await messageFiles(flags.file); // files of the first turn
  return withWorkflow(flags, workflow, settings, (runtime, machine) =>
    chat({
      runtime,
      threadId,
      start: (question) => {
        const input = toInput(question, {}, files);
        files = [];
        return runtime.start(machine, input, { threadId, metadata: toMetadata(settings) });
      },
      json: flags.json ?? false,
      dbFlag: dbFlag(flags),
      resumeHint: `continue later with: ${chatCommand(threadId, flags)}`,
      closed,
      input: process.stdin,
      terminal: isTerminal(),
    }),
  );
}
