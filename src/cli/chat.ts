import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { type Json, type Run, type RunEvent, type RunResult, type Runtime, WorkflowError } from '../index.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { escapeControls, milliseconds, oneLine, paint, print, printableJson } from './terminal.ts';

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
  const unfinished = await unfinishedRun(runtime, threadId);
  if (unfinished !== undefined) {
    process.stderr.write(`${paint('yellow', `The last turn was cut off; it goes on (${unfinished}).`)}\n`);
    note(await takeTurn(await runtime.resume(unfinished), options));
  }
  const lines = createInterface({ input, output: process.stderr, terminal, prompt: paint('bold', '> ') });
  let turn: Run<unknown> | undefined;
  lines.on('SIGINT', () => {
    if (turn) void runtime.cancel(turn.id);
    else if (lines.line !== '') clearLine(lines);
    else lines.close();
  });
  let ended = false; // Ctrl-D may come while a turn is on
  lines.once('close', () => {
    ended = true;
  });
  if (terminal) lines.prompt();
  try {
    for await (const line of lines) {
      const question = line.trim();
      if (question !== '') {
        try {
          turn = options.start(question);
          note(await takeTurn(turn, options));
        } catch (error) {
          if (!WorkflowError.isInstance(error)) throw error;
          process.stderr.write(`${paint('yellow', oneLine(`${error.code}: ${error.message}`))}\n`); // a line too long, for example: the next one may do
          note(exitCodes.failed);
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

/** A turn of the thread that no process has finished. */
async function unfinishedRun(runtime: Runtime, threadId: string): Promise<string | undefined> {
  const [last] = await runtime.list({ threadId, limit: 1 });
  return last && ['running', 'paused', 'queued'].includes(last.status) ? last.id : undefined;
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'u' });
}

async function takeTurn(run: Run<unknown>, { json, answerOf, terminal }: ChatOptions): Promise<number> {
  const show = json ? (event: RunEvent) => print(printableJson(event)) : shower(terminal);
  let streamed = '';
  for await (const event of run.events()) {
    if (event.type === 'token') streamed += event.text;
    if (event.type === 'step-reset') streamed = '';
    show(event);
  }
  const result = await run.result;
  if (json) print(printableJson({ type: 'result', runId: run.id, ...result }));
  else finish(result, streamed, answerOf);
  return result.status === 'cancelled' ? exitCodes.done : exitCodeOf(result);
}

function finish(result: RunResult<unknown>, streamed: string, answerOf: (output: Json) => string): void {
  if (result.status === 'done') {
    const answer = answerOf(result.output as Json);
    process.stdout.write(streamed.trim() === answer.trim() ? '\n' : `${escapeControls(answer)}\n`);
  } else {
    if (streamed !== '') process.stdout.write('\n');
    const why = result.status === 'failed' ? `${result.error.code}: ${result.error.message} ${result.error.hint ?? ''}` : result.status;
    process.stderr.write(`${paint('yellow', oneLine(why))}\n`);
  }
}

/** The answer's text as it comes on standard output; at a terminal also what was done for it, on standard error. */
function shower(chatty: boolean): (event: RunEvent) => void {
  const tell = (text: string): void => void process.stderr.write(`${paint('dim', `  ${oneLine(text)}`)}\n`);
  let shown = false;
  return (event) => {
    switch (event.type) {
      case 'token':
        process.stdout.write(escapeControls(event.text));
        shown = true;
        break;
      case 'step-reset':
        if (shown) process.stderr.write(`\n${paint('yellow', '  ↻ the reply was cut off; it begins again')}\n`);
        shown = false;
        break;
      case 'tool-end':
        if (chatty) tell(`${event.tool} ${event.error ? `✗ ${event.error.code}` : '✓'} ${milliseconds(event.durationMs)}`);
        break;
      case 'sources':
        if (chatty && Array.isArray(event.sources) && event.sources.length > 0) tell(`looked into ${event.sources.join(', ')}`);
        break;
      case 'thinking':
        if (chatty && event.step === 'memory')
          tell(`${(event.content as { summarized?: number }).summarized ?? 0} messages were summarised`);
        break;
      default:
        break;
    }
  };
}
