import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { type Json, type Run, type Runtime, WorkflowError } from '../index.ts';
import { ChatAnswers } from './chat-answers.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { paint, print, printableJson } from './terminal.ts';

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly threadId: string;
  /** Starts a turn. */
  start(question: string): Run<unknown>;
  /** The text of the answer in a turn's output. */
  answerOf(output: Json): string;
  /** Events and results as lines of JSON on standard output. */
  readonly json: boolean;
  /** How the conversation is gone on with later. */
  readonly resumeHint: string;
  /** How the user calls the database: `''`, or `--db FILE`. */
  readonly dbFlag?: string;
  readonly input: NodeJS.ReadableStream;
  /** Somebody types: ask for each line. */
  readonly terminal: boolean;
  /** Nobody reads the answers any more: no other turn is begun. */
  readonly closed?: AbortSignal;
}

/**
 * Talks until the input ends, a turn for each line. At a terminal it asks for the next line, and Ctrl-C ends the turn only; from a pipe
 * the answers alone are on standard output. Returns the exit code of the first turn that was not done, or 0.
 */
export async function chat(options: ChatOptions): Promise<number> {
  const { input, terminal, runtime, threadId } = options;
  if (terminal) process.stderr.write(`${paint('dim', `thread ${threadId} · ${options.resumeHint} · Ctrl-D ends`)}\n`);
  let code: number = exitCodes.done;
  const note = (turn: number): void => {
    if (code === exitCodes.done) code = turn;
  };
  const answers = new ChatAnswers(terminal);
  const unfinished = await unfinishedRun(runtime, threadId);
  if (unfinished !== undefined) {
    process.stderr.write(`${paint('yellow', `The last turn was cut off; it goes on (${unfinished}).`)}\n`);
    note(await takeTurn(await runtime.resume(unfinished), options, answers));
  }
  const lines = createInterface({ input, output: process.stderr, terminal, prompt: paint('bold', '> ') });
  let turn: Run<unknown> | undefined;
  let isAsked = false;
  lines.on('SIGINT', () => {
    if (turn) void runtime.cancel(turn.id);
    else if (lines.line !== '') clearLine(lines);
    else if (isAsked) lines.close();
    else {
      isAsked = true;
      process.stderr.write(`\n${paint('dim', 'Ctrl-C once more ends the conversation.')}\n`);
      lines.prompt();
    }
  });
  let ended = false; // Ctrl-D may come while a turn is on
  lines.once('close', () => {
    ended = true;
  });
  if (terminal) lines.prompt();
  try {
    for await (const line of lines) {
      isAsked = false;
      const question = line.trim();
      if (question === '/exit') break;
      if (question === '/help') process.stderr.write(`${paint('dim', help(options.resumeHint))}\n`);
      else if (terminal && /^\/[a-z]+$/.test(question)) process.stderr.write(`There is no ${question}; /help says what there is.\n`);
      else if (question !== '') {
        try {
          turn = options.start(question);
          note(await takeTurn(turn, options, answers));
        } catch (error) {
          if (!WorkflowError.isInstance(error)) throw error;
          note(reportError(error, options.json, options)); // a line too long, for example: the next one may do
        } finally {
          turn = undefined;
        }
      }
      await setImmediate(); // rules answer without a pause, in which a signal and a closed output would be heard
      if (options.closed?.aborted) break;
      if (terminal && !ended) lines.prompt();
    }
  } finally {
    lines.close();
  }
  return code;
}

const help = (resumeHint: string): string =>
  [
    'A line is a question; the conversation remembers those before it.',
    '/help   this',
    '/exit   ends the conversation, as Ctrl-D does',
    'Ctrl-C  ends the turn that is on; twice at an empty line, the conversation',
    resumeHint,
  ].join('\n');

/** A turn of the thread that no process has finished. */
async function unfinishedRun(runtime: Runtime, threadId: string): Promise<string | undefined> {
  const [last] = await runtime.list({ threadId, limit: 1 });
  return last && ['running', 'paused', 'queued'].includes(last.status) ? last.id : undefined;
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'u' });
}

async function takeTurn(run: Run<unknown>, { json, answerOf, dbFlag }: ChatOptions, answers: ChatAnswers): Promise<number> {
  try {
    if (!json) answers.begin();
    for await (const event of run.events()) {
      if (json) print(printableJson(event));
      else answers.show(event);
    }
    const result = await run.result;
    if (json) print(printableJson({ type: 'result', runId: run.id, ...result }));
    else answers.finish(result, answerOf, { runId: run.id, ...(dbFlag === undefined ? {} : { dbFlag }) });
    return result.status === 'cancelled' ? exitCodes.done : exitCodeOf(result);
  } finally {
    answers.stop();
  }
}
