import { existsSync, readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Json, JsonObject, RunStatus, Runtime } from '../index.ts';
import { toGraph, toMermaid } from '../inspect/index.ts';
import { assertId, newId } from '../util/ids.ts';
import { approvalExample } from './approval.ts';
import { printArticles } from './articles.ts';
import { chat } from './chat.ts';
import { outputClosed } from './closed-output.ts';
import { doctor } from './doctor.ts';
import {
  type CommonFlags,
  chatCommand,
  dbFlag,
  toCount,
  toJsonObject,
  toJsonValue,
  toSettings,
  type UserFlags,
  withCommon,
  withSettings,
  withUser,
} from './flags.ts';
import { type FollowOptions, follow } from './follow.ts';
import { commandLine, type HintContext } from './hints.ts';
import { memoryPathOf } from './long-term-memory.ts';
import { settingsOfThread, withMemory, withRuntime, withStoredRun, withWorkflow } from './open-runtime.ts';
import { programName } from './program-name.ts';
import { reportError } from './report-error.ts';
import { describeReview } from './review.ts';
import { allTools, type Settings, toMetadata, withRemembered } from './settings.ts';
import { shellWord } from './shell-words.ts';
import { noRuns, printMemories, printRun, printRuns, printTools } from './tables.ts';
import { isTerminal, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { work } from './work.ts';
import { type CliWorkflow, draftOf, workflowNamed, workflowOfRun, workflows, workflowsToList } from './workflows.ts';

/** Runs the command line and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const json = argv.slice(2, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  let chosen: Command | undefined;
  const program = toProgram(
    (code) => {
      process.exitCode ??= code;
    },
    outputClosed(),
    json,
  ).hook('preAction', (_, command) => {
    chosen = command;
  });
  const help = helpLine(program, argv.slice(2));
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = reportError(error, json, { ...contextOf(chosen), help });
  }
}

/** Where to look after a wrong command line: at the help of the command that was meant, as far as one was named. */
function helpLine(program: Command, words: readonly string[]): string {
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    path.push(word);
    command = next;
  }
  const line = `Try: ${[programName(), ...path, '--help'].join(' ')}`;
  command.showHelpAfterError(line);
  return line;
}

/** What the command that was chosen knows: its database, and the run that it is about. */
function contextOf(command: Command | undefined): HintContext {
  const { db } = command?.opts<Partial<CommonFlags>>() ?? {};
  const runId = command?.registeredArguments[0]?.name() === 'run' ? command.args[0] : undefined;
  return { ...(db === undefined ? {} : { dbFlag: dbFlag({ db }) }), ...(runId === undefined ? {} : { runId: shellWord(runId) }) };
}

function toProgram(exit: (code: number) => void, closed: AbortSignal, json: boolean): Command {
  const program = new Command('agent-machines')
    .description('LLM agent workflows as explicit state machines. Without OPENAI_API_KEY or --base-url, rules answer instead of a model.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput(json ? { writeErr: () => {} } : {}) // an error is a line of JSON
    .showHelpAfterError(`Try: ${programName()} --help`)
    .configureHelp({ sortSubcommands: false });

  withSettings(withCommon(program.command('run')))
    .description('ask a workflow something')
    .argument('<workflow>', workflows.map(({ name, description }) => `${name}: ${description}`).join('; '))
    .argument('<question>', 'what to ask')
    .option('--thread <id>', 'go on with this conversation')
    .action(async (name: string, question: string, flags: CommonFlags & Settings & { readonly thread?: string }) => {
      const workflow = workflowNamed(name);
      const settings = await settingsOfThread(flags, toSettings(flags));
      const missing = workflow.missing?.(settings);
      if (missing !== undefined) throw new UsageError(missing);
      await withWorkflow(flags, workflow, settings, async (runtime, machine) => {
        const threadId = flags.thread ?? newId('t');
        const run = runtime.start(machine as never, workflow.toInput(question, settings), { threadId, metadata: toMetadata(settings) });
        exit(await follow(run, followOptions(flags, runtime, workflow)));
      });
    });

  withSettings(withCommon(program.command('chat')))
    .description('talk with chat-agent: at the terminal, or a turn for each line of standard input')
    .option('--thread <id>', 'go on with this conversation')
    .action(async (flags: CommonFlags & Settings & { readonly thread?: string }) => {
      const workflow = workflowNamed('chat-agent');
      const settings = await settingsOfThread(flags, toSettings(flags));
      const threadId = flags.thread ?? newId('t');
      assertId(threadId, 'thread'); // before somebody has typed a question
      await withWorkflow(flags, workflow, settings, async (runtime, machine) => {
        exit(
          await chat({
            runtime,
            threadId,
            start: (question) =>
              runtime.start(machine as never, workflow.toInput(question, settings), { threadId, metadata: toMetadata(settings) }),
            answerOf: (output) => workflow.answerOf(output),
            json: flags.json ?? false,
            dbFlag: dbFlag(flags),
            resumeHint: `go on later with: ${chatCommand(threadId, flags)}`,
            closed,
            input: process.stdin,
            terminal: isTerminal(),
          }),
        );
      });
    });

  const memory = program.command('memory').description('what is remembered of a user beyond one conversation');
  withUser(memory.command('list'))
    .description('list it, the latest first')
    .option('--json', 'one JSON object per line')
    .action(async ({ db, user, json }: UserFlags & { readonly json?: boolean }) => {
      if (!existsSync(memoryPathOf(db))) return printMemories([], json ?? false);
      await withMemory(db, async (memories) => printMemories(await memories.list(user), json ?? false));
    });
  withUser(memory.command('forget'))
    .description('forget some of it, or all')
    .argument('[ids...]', 'ids of `memory list`')
    .option('--all', 'everything of this user')
    .action(async (ids: readonly string[], { db, user, all }: UserFlags & { readonly all?: boolean }) => {
      if (!all && ids.length === 0) throw new UsageError('Say what is to be forgotten: ids of `memory list`, or --all.');
      if (all && ids.length > 0) throw new UsageError('Give ids, or --all, not both.');
      await withMemory(db, async (memories) => {
        process.stderr.write(`${await memories.forget(user, all ? 'all' : ids)} forgotten.\n`);
      });
    });

  withSettings(withCommon(program.command('resume')))
    .description('go on with a run that was paused, or whose process died')
    .argument('<run>')
    .option('--force', 'take it even from a live owner, and even after three crashes')
    .action(async (runId: string, flags: CommonFlags & Settings & { readonly force?: boolean }) => {
      await continueRun(runId, flags, exit, (runtime) => runtime.resume(runId, { force: flags.force ?? false }));
    });

  withSettings(withCommon(program.command('send')))
    .description('answer a run that waits for you')
    .argument('<run>')
    .argument('<event>', 'for example APPROVE')
    .argument('[json]', 'fields of the event', toJsonObject)
    .option('--interrupt <id>', 'the question that is answered')
    .action(
      async (
        runId: string,
        type: string,
        fields: JsonObject | undefined,
        flags: CommonFlags & Settings & { readonly interrupt?: string },
      ) => {
        await continueRun(runId, flags, exit, async (runtime) => {
          const { interrupt } = flags;
          if (interrupt === undefined) throw await missingInterrupt(runtime, runId, { ...fields, type }, flags);
          return runtime.send(runId, { ...fields, type }, { interruptId: interrupt });
        });
      },
    );

  withSettings(withCommon(program.command('resolve')))
    .description('say what became of a call in doubt')
    .argument('<run>')
    .argument('<call>')
    .addOption(new Option('--done <json>', 'it happened, and returned this').argParser(toJsonValue).conflicts(['retry', 'abort']))
    .addOption(new Option('--retry', 'it did not happen: call it again').conflicts(['done', 'abort']))
    .addOption(new Option('--abort', 'go on as if it had failed').conflicts(['done', 'retry']))
    .action(
      async (
        runId: string,
        callId: string,
        flags: CommonFlags & Settings & { readonly done?: Json; readonly retry?: true; readonly abort?: true },
      ) => {
        const { done, retry, abort } = flags;
        if (done === undefined && !retry && !abort) throw new UsageError('Say what became of it: --done JSON, --retry or --abort.');
        const resolution =
          done !== undefined ? ({ as: 'done', output: done } as const) : retry ? ({ as: 'retry' } as const) : ({ as: 'abort' } as const);
        await continueRun(runId, flags, exit, (runtime) => runtime.resolve(runId, callId, resolution));
      },
    );

  withCommon(program.command('cancel'))
    .description('end a run for good')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      await withStoredRun(flags, runId, async (runtime) => {
        await runtime.cancel(runId);
        if (flags.json) print(printableJson({ type: 'cancelled', runId }));
        else process.stderr.write(`Cancelled ${runId}.\n`);
      });
    });

  withSettings(withCommon(program.command('work')))
    .description('look after the runs of a database: go on with those whose process died or whose timer is due, and with queued ones')
    .option('--concurrency <number>', 'how many runs at a time', toCount, 8)
    .option('--drain <seconds>', 'how long it waits for them when it is stopped', toCount, 10)
    .action(async (flags: CommonFlags & Settings & { readonly concurrency: number; readonly drain: number }) => {
      const { db, concurrency, drain, json = false } = flags;
      exit(await work({ db, settings: toSettings(flags), concurrency, drain, json }));
    });

  withCommon(program.command('runs'))
    .description('list runs, newest first')
    .option('--thread <id>')
    .addOption(
      new Option('--status <status>').choices(['queued', 'running', 'paused', 'waiting', 'in_doubt', 'done', 'failed', 'cancelled']),
    )
    .option('--limit <number>', 'how many', toCount, 20)
    .action(async (flags: CommonFlags & { readonly thread?: string; readonly status?: RunStatus; readonly limit: number }) => {
      const { thread, status, limit, json = false } = flags;
      const context = { dbFlag: dbFlag(flags) };
      if (!existsSync(flags.db)) {
        if (!json) print(noRuns(context));
        return;
      }
      await withRuntime(flags, await workflowsToList(), async (runtime) => {
        await printRuns(runtime, { limit, ...(thread ? { threadId: thread } : {}), ...(status ? { status } : {}) }, json, context);
      });
    });

  withCommon(program.command('show'))
    .description('show a run: what happened, in which order, and the answer')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      await withStoredRun(flags, runId, (runtime) => printRun(runtime, runId, flags.json ?? false, { dbFlag: dbFlag(flags) }));
    });

  program
    .command('graph')
    .description("draw a workflow's machine")
    .argument('<workflow>')
    .addOption(new Option('--format <format>').choices(['mermaid', 'json']).default('mermaid'))
    .action(async (name: string, { format }: { readonly format: string }) => {
      const { machine } = await draftOf(workflowNamed(name));
      const graph = toGraph(machine);
      process.stdout.write(format === 'json' ? `${JSON.stringify(graph, null, 2)}\n` : toMermaid(graph));
    });

  program
    .command('articles')
    .description('list the articles of a contract or statute')
    .argument('<file>', '.txt, .md, .docx, .pdf or .json')
    .option('--json', 'one array of JSON on standard output')
    .action((file: string, { json }: { readonly json?: boolean }) => printArticles(file, json ?? false));

  withSettings(program.command('tools'))
    .description('list the tools, and why some cannot be used')
    .option('--json', 'one JSON object per line')
    .action((flags: Settings & { readonly json?: boolean }) => printTools(allTools(toSettings(flags)), flags.json ?? false));

  withSettings(withCommon(program.command('doctor')))
    .description('check the installation, the database and the workflows')
    .action(async (flags: CommonFlags & Settings) => exit(await doctor(flags.db, toSettings(flags), flags.json ?? false)));

  return program;
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('agent-machines/package.json')), 'utf8')) as { version: string };
  return version;
}

/** Takes a stored run up with the settings that it was started with, and shows it. */
async function continueRun(
  runId: string,
  flags: CommonFlags & Settings,
  exit: (code: number) => void,
  takeUp: (runtime: Runtime) => ReturnType<Runtime['resume']>,
): Promise<void> {
  const { workflow: id, metadata } = await withStoredRun(flags, runId, (reader) => reader.get(runId));
  const workflow = workflowOfRun(id);
  await withWorkflow(flags, workflow, withRemembered(metadata, toSettings(flags)), async (runtime) => {
    exit(await follow(await takeUp(runtime), followOptions(flags, runtime, workflow)));
  });
}

const followOptions = (flags: CommonFlags, runtime: Runtime, workflow: CliWorkflow): FollowOptions => ({
  runtime,
  workflow,
  dbFlag: dbFlag(flags),
  json: flags.json ?? false,
});

/** Without the question's id an answer could meet another question: show what is asked, and the exact command. */
async function missingInterrupt(
  runtime: Runtime,
  runId: string,
  event: JsonObject & { readonly type: string },
  flags: CommonFlags,
): Promise<UsageError> {
  const { result, status, workflow } = await runtime.get(runId);
  if (result?.status !== 'waiting') return new UsageError(`The run ${runId} is not waiting for anybody (${status}).`);
  const { type, ...fields } = event;
  const { exampleOf } = workflowOfRun(workflow);
  const commands = result.interrupts.map((interrupt) => {
    const example = approvalExample(interrupt, type) ?? exampleOf?.(type);
    const given = Object.keys(fields).length > 0 ? shellWord(JSON.stringify(fields)) : example && shellWord(example);
    const { id, key, accepts } = interrupt;
    const words = commandLine(
      ['send', shellWord(runId), shellWord(type), given, '--interrupt', id].filter(Boolean).join(' '),
      dbFlag(flags),
    );
    return [...describeReview(interrupt), `  ${key} asks (${accepts.join(', ')}):  ${words}`].join('\n');
  });
  return new UsageError(`Say which question is answered:\n${commands.join('\n')}`);
}
