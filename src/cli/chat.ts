import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { WorkflowError } from '../errors.ts';
import type { HumanEvent, Interrupt, Run, RunRecord, RunResult, Runtime } from '../index.ts';
import { hasCode } from '../util/has-code.ts';
import { askApproval, isToolCallQuestion } from './approval.ts';
import { ChatAnswers } from './chat-answers.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { describeReview } from './review.ts';
import { breakAt, paint, print, printableJson, wrap } from './terminal.ts';
import { waitingLines } from './waiting-lines.ts';

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly threadId: string;
  /** Starts a turn. */
  start(question: string): Run<unknown>;
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
  const { input, terminal, runtime } = options;
  if (terminal) process.stderr.write(`${paint('dim', `thread ${options.threadId} · ${options.resumeHint} · Ctrl-D ends`)}\n`);
  let code: number = exitCodes.done;
  const note = (turn: number): void => {
    if (code === exitCodes.done) code = turn;
  };
  const answers = new ChatAnswers(terminal);
  const first = await goOnWithLast(options, answers);
  const lines = createInterface({ input, output: process.stderr, terminal, prompt: paint('bold', '> ') });
  let turn: Run<unknown> | undefined;
  let isAsked = false;
  let isAsking = false;
  lines.on('SIGINT', () => {
    if (isAsking) asking.leave();
    else if (turn) runtime.cancel(turn.id).catch(hasEnded);
    else if (lines.line !== '') clearLine(lines);
    else if (isAsked) lines.close();
    else {
      isAsked = true;
      process.stderr.write(`\n${paint('dim', 'Ctrl-C once more ends the conversation.')}\n`);
      lines.prompt();
    }
  });
  const asking = askingOn(lines);
  /** Takes a turn to its end; false when it waits for somebody who does not answer here. */
  const settle = async (taken: Taken): Promise<boolean> => {
    note(taken.code);
    const { run, result } = taken;
    if (result.status !== 'waiting') return true;
    const { interrupt } = result;
    if (options.json || !interrupt) return false;
    isAsking = true;
    const event = terminal ? await askAbout(interrupt, asking.ask) : undefined;
    isAsking = false;
    if (!event) {
      process.stderr.write(`${waitingLines(run.id, result.interrupts, { dbFlag: options.dbFlag ?? '' }).join('\n')}\n`);
      return false;
    }
    try {
      const { id: interruptId } = interrupt;
      const answered = await takeTurn(await runtime.send(run.id, event, { interruptId }), options, answers, taken.next);
      if (code === exitCodes.waiting) code = exitCodes.done;
      return await settle(answered);
    } catch (error) {
      if (!hasCode(error, 'EVENT_INVALID')) throw error;
      reportError(error, options.json, options); // the call still waits
      return settle(taken);
    }
  };
  try {
    if (first && !(await settle(first))) return code;
    if (terminal) lines.prompt();
    for await (const line of lines) {
      isAsked = false;
      const question = line.trim();
      if (question === '/exit') break;
      if (question === '/help') process.stderr.write(`${paint('dim', help(options.resumeHint))}\n`);
      else if (terminal && /^\/[a-z]+$/.test(question))
        process.stderr.write(`${wrap(`There is no ${question}; /help says what there is.`, breakAt(process.stderr)).join('\n')}\n`);
      else if (question !== '') {
        try {
          turn = options.start(question);
          if (!(await settle(await takeTurn(turn, options, answers)))) break;
        } catch (error) {
          if (!WorkflowError.isInstance(error)) throw error;
          note(reportError(error, options.json, options)); // a line too long, for example: the next one may do
        } finally {
          turn = undefined;
        }
      }
      await setImmediate(); // rules answer without a pause, in which a signal and a closed output would be heard
      if (options.closed?.aborted) break;
      if (terminal && !asking.ended) lines.prompt();
    }
  } finally {
    lines.close();
  }
  return code;
}

/** A second Ctrl-C: the turn itself says how it has ended. */
const hasEnded = (): void => {};

function help(resumeHint: string): string {
  const columns = breakAt(process.stderr);
  const said = [
    'A line is a question; the conversation remembers those before it.',
    '/help   this',
    '/exit   ends the conversation, as Ctrl-D does',
    'Ctrl-C  ends the turn that is on; twice at an empty line, the conversation',
  ].flatMap((line) => wrap(line, columns, line.startsWith('A') ? 0 : 8));
  return [...said, resumeHint].join('\n'); // a command stays whole, to be copied
}

interface Asking {
  /** `undefined`: the user does not answer. */
  ask(text: string): Promise<string | undefined>;
  /** Answers the question that is asked with nothing. */
  leave(): void;
  /** No more lines come: Ctrl-D may come while a turn is on. */
  readonly ended: boolean;
}

function askingOn(lines: Interface): Asking {
  let left = new AbortController();
  let ended = false;
  lines.once('close', () => {
    ended = true;
    left.abort();
  });
  return {
    ask: (text) =>
      new Promise((answer) => {
        left = new AbortController();
        left.signal.addEventListener('abort', () => answer(undefined), { once: true });
        if (ended) answer(undefined);
        else lines.question(text, { signal: left.signal }, answer);
      }),
    leave: () => left.abort(),
    get ended() {
      return ended;
    },
  };
}

/** Goes on with the turn that was not finished, if there is one. */
async function goOnWithLast(options: ChatOptions, answers: ChatAnswers): Promise<Taken | undefined> {
  const { runtime, threadId } = options;
  const unfinished = await unfinishedRun(runtime, threadId);
  if (!unfinished) return undefined;
  const why = unfinished.status === 'waiting' ? 'The last turn waits for you' : 'The last turn was cut off; it goes on';
  process.stderr.write(`${paint('yellow', `${why} (${unfinished.id}).`)}\n`);
  return takeTurn(await runtime.resume(unfinished.id), options, answers);
}

/** A turn of the thread that no process has finished. */
async function unfinishedRun(runtime: Runtime, threadId: string): Promise<RunRecord | undefined> {
  const [last] = await runtime.list({ threadId, limit: 1 });
  return last && ['running', 'paused', 'queued', 'waiting'].includes(last.status) ? last : undefined;
}

/** Asks about a call that waits: the question, then what is to become of it. */
async function askAbout(interrupt: Interrupt, ask: (text: string) => Promise<string | undefined>): Promise<HumanEvent | undefined> {
  if (!isToolCallQuestion(interrupt.question)) return undefined;
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  say(describeReview(interrupt).join('\n'));
  return askApproval(ask, say);
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'u' });
}

/** A turn, up to where it ended or waits. */
interface Taken {
  readonly run: Run<unknown>;
  readonly result: RunResult<unknown>;
  readonly code: number;
  /** Number of the first event that has not been shown. */
  readonly next: number;
}

/** @param from number of the first event that is shown. */
async function takeTurn(run: Run<unknown>, { json, dbFlag }: ChatOptions, answers: ChatAnswers, from = 1): Promise<Taken> {
  let next = from;
  try {
    if (!json) answers.begin();
    for await (const event of run.events({ from })) {
      next = event.seq + 1;
      if (json) print(printableJson(event));
      else answers.show(event);
    }
    const result = await run.result;
    if (json) print(printableJson({ type: 'result', runId: run.id, ...result }));
    else answers.finish(result, { runId: run.id, ...(dbFlag === undefined ? {} : { dbFlag }) });
    return { run, result, next, code: result.status === 'cancelled' ? exitCodes.done : exitCodeOf(result) };
  } finally {
    answers.stop();
  }
}
