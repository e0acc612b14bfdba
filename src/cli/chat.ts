import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { WorkflowError } from '../core/errors/errors.ts';
import { hasCode } from '../core/util/has-code.ts';
import type { HumanEvent, Interrupt, Run, RunRecord, RunResult, Runtime } from '../index.ts';
import { askApprovals, isToolCallQuestion } from './approval.ts';
import { ChatAnswers } from './chat-answers.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { pasteInput } from './paste.ts';
import { reportError } from './report-error.ts';
import { describeReview } from './review.ts';
import { breakAt, paint, print, printableJson, wrap } from './terminal.ts';
import { waitingLines } from './waiting-lines.ts';

export interface ChatOptions {
  readonly runtime: Runtime;
  readonly threadId: string;
  start(question: string): Run<unknown>;
  /** True prints events and results as lines of JSON on standard output. */
  readonly json: boolean;
  /** Command that resumes the conversation later. */
  readonly resumeHint: string;
  /** The database as a flag: `''`, or `--db FILE`. */
  readonly dbFlag?: string;
  readonly input: NodeJS.ReadableStream;
  /** True prompts for each line. */
  readonly terminal: boolean;
  /** Aborts when standard output is closed; then no further turn starts. */
  readonly closed?: AbortSignal;
}

/**
 * Chats until the input ends, one turn per line. At a terminal it prompts for each line, a pasted text is one message, and Ctrl-C ends only
 * the turn. With a pipe, standard output has only the answers. Returns the exit code of the first turn that was not done, or 0.
 */
export async function chat(options: ChatOptions): Promise<number> {
  const { terminal, runtime } = options;
  const paste = terminal ? pasteInput(options.input, process.stderr) : undefined;
  if (terminal) process.stderr.write(`${paint('dim', `thread ${options.threadId} · ${options.resumeHint} · Ctrl-D ends`)}\n`);
  let code: number = exitCodes.done;
  const note = (turn: number): void => {
    if (code === exitCodes.done) code = turn;
  };
  const answers = new ChatAnswers(terminal);
  const first = await resumeLastTurn(options, answers);
  const lines = createInterface({ input: paste?.input ?? options.input, output: process.stderr, terminal, prompt: paint('bold', '> ') });
  let turn: Run<unknown> | undefined;
  let hasWarned = false;
  let isPrompting = false;
  lines.on('SIGINT', () => {
    if (isPrompting) prompt.leave();
    else if (turn) runtime.cancel(turn.id).catch(hasEnded);
    else if (lines.line !== '') clearLine(lines);
    else if (hasWarned) lines.close();
    else {
      hasWarned = true;
      process.stderr.write(`\n${paint('dim', 'Ctrl-C once more ends the conversation.')}\n`);
      lines.prompt();
    }
  });
  const prompt = promptOn(lines);
  /** Runs a turn to its end; false when it waits for an answer that cannot be given here. */
  const settle = async (turnResult: TurnResult): Promise<boolean> => {
    note(turnResult.code);
    const { run, result } = turnResult;
    if (result.status !== 'waiting') return true;
    const { interrupt } = result;
    if (options.json || !interrupt) return false;
    isPrompting = true;
    const event = terminal ? await askAbout(interrupt, prompt.ask) : undefined;
    isPrompting = false;
    if (!event) {
      process.stderr.write(`${waitingLines(run.id, result.interrupts, { dbFlag: options.dbFlag ?? '' }).join('\n')}\n`);
      return false;
    }
    try {
      const { id: interruptId } = interrupt;
      const answered = await takeTurn(await runtime.send(run.id, event, { interruptId }), options, answers, turnResult.next);
      if (code === exitCodes.waiting) code = exitCodes.done;
      return await settle(answered);
    } catch (error) {
      if (!hasCode(error, 'EVENT_INVALID')) throw error;
      reportError(error, options.json, options); // the call is still waiting
      return settle(turnResult);
    }
  };
  try {
    if (first && !(await settle(first))) return code;
    if (terminal) lines.prompt();
    for await (const line of lines) {
      hasWarned = false;
      const question = (paste?.expand(line) ?? line).trim();
      if (question === '/exit') break;
      if (question !== '' && !answerCommand(question, options)) {
        try {
          turn = options.start(question);
          if (!(await settle(await takeTurn(turn, options, answers)))) break;
        } catch (error) {
          if (!WorkflowError.isInstance(error)) throw error;
          note(reportError(error, options.json, options)); // continue after an invalid line, such as one that is too long
        } finally {
          turn = undefined;
        }
      }
      await setImmediate(); // rules answer synchronously; this lets signals and a closed output be handled
      if (options.closed?.aborted) break;
      if (terminal && !prompt.ended) lines.prompt();
    }
  } finally {
    lines.close();
    paste?.close();
  }
  return code;
}

/** Ignores the error of a second Ctrl-C: the turn reports its own end. */
const hasEnded = (): void => {};

/** Answers `/help` and, at a terminal, other words that look like a command. False for a question. */
function answerCommand(question: string, { terminal, resumeHint }: ChatOptions): boolean {
  if (question === '/help') process.stderr.write(`${paint('dim', help(resumeHint))}\n`);
  else if (terminal && /^\/[a-z]+$/.test(question))
    process.stderr.write(`${wrap(`${question} is not a command. Type /help for the list.`, breakAt(process.stderr)).join('\n')}\n`);
  else return false;
  return true;
}

function help(resumeHint: string): string {
  const columns = breakAt(process.stderr);
  const said = [
    'Each line is a question, and so is a pasted text. The conversation remembers earlier ones.',
    '/help   this',
    '/exit   ends the conversation, as Ctrl-D does',
    'Ctrl-C  ends the current turn; twice at an empty line, the conversation',
  ].flatMap((line) => wrap(line, columns, line.startsWith('E') ? 0 : 8));
  return [...said, resumeHint].join('\n'); // do not wrap commands, so that they can be copied
}

interface ChatPrompt {
  /** `undefined`: the user gave no answer. */
  ask(text: string): Promise<string | undefined>;
  /** Answers the open question with nothing. */
  leave(): void;
  /** True when the input has ended; Ctrl-D may arrive during a turn. */
  readonly ended: boolean;
}

function promptOn(lines: Interface): ChatPrompt {
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

async function resumeLastTurn(options: ChatOptions, answers: ChatAnswers): Promise<TurnResult | undefined> {
  const { runtime, threadId } = options;
  const unfinished = await unfinishedRun(runtime, threadId);
  if (!unfinished) return undefined;
  const why = unfinished.status === 'waiting' ? 'The last turn waits for you' : 'The last turn was cut off and resumes';
  process.stderr.write(`${paint('yellow', `${why} (${unfinished.id}).`)}\n`);
  return takeTurn(await runtime.resume(unfinished.id), options, answers);
}

async function unfinishedRun(runtime: Runtime, threadId: string): Promise<RunRecord | undefined> {
  const [last] = await runtime.list({ threadId, limit: 1 });
  return last && ['running', 'paused', 'queued', 'waiting'].includes(last.status) ? last : undefined;
}

async function askAbout(interrupt: Interrupt, ask: (text: string) => Promise<string | undefined>): Promise<HumanEvent | undefined> {
  if (!isToolCallQuestion(interrupt.question)) return undefined;
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  say(describeReview(interrupt).join('\n'));
  return askApprovals(interrupt, ask, say);
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'u' });
}

/** A turn, up to its end or its question. */
interface TurnResult {
  readonly run: Run<unknown>;
  readonly result: RunResult<unknown>;
  readonly code: number;
  /** Number of the first event that is not shown yet. */
  readonly next: number;
}

/** @param from Number of the first event to show. */
async function takeTurn(run: Run<unknown>, { json, dbFlag }: ChatOptions, answers: ChatAnswers, from = 1): Promise<TurnResult> {
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
