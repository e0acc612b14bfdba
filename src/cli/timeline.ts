import { isObject } from '../core/util/is-object.ts';
import type { ErrorInfo, Json, JsonObject, RunEvent } from '../index.ts';
import type { NodeDescription } from '../inspect/index.ts';
import { type HintContext, hintOf } from './error-hints.ts';
import { programName } from './program-name.ts';
import { stackToShow } from './stack-of.ts';
import { breakAt, columnsOf, escapeControls, milliseconds, oneLine, pad, paint, wrap } from './terminal.ts';
import { WaitLine } from './wait-line.ts';
import type { RunView } from './workflows.ts';

/** Fits the longest name of a node: `check_previous_context`. */
const nameWidth = 22;

/** Width in columns below which a node's summary moves to its own line. */
const narrow = 64;

const stderr = process.stderr;

interface TimelineOptions extends HintContext {
  /** True shows an animated line during pauses. @default false */
  readonly live?: boolean;
}

/** Prints a run's events for a human: the answer's text on standard output, everything else on standard error. */
export class Timeline {
  readonly #workflow: RunView;
  readonly #patchOf: (key: string) => Promise<Json | undefined>;
  readonly #context: HintContext;
  readonly #waiting: WaitLine | undefined;
  #modelCalls = 0;
  #cached = 0;
  #tokens = 0;
  #elapsedMs = 0;
  #atLineStart = true;
  readonly #stacks = new Set<string>();
  /** Part of the answer that is already on standard output. */
  #printed = '';

  /** @param patchOf Returns the outcome of a node in the journal. */
  constructor(workflow: RunView, patchOf: (key: string) => Promise<Json | undefined>, { live = false, ...context }: TimelineOptions = {}) {
    this.#workflow = workflow;
    this.#patchOf = patchOf;
    this.#context = context;
    this.#waiting = live ? new WaitLine() : undefined;
  }

  get modelCalls(): number {
    return this.#modelCalls;
  }

  async show(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'run-start': {
        const parts = [this.#workflow.name, event.model, `run ${event.runId}`, ...(event.threadId ? [`thread ${event.threadId}`] : [])];
        this.#line(
          wrap(oneLine(parts.filter(Boolean).join(' · ')), breakAt(stderr), 2)
            .map((line) => paint('bold', line))
            .join('\n'),
        );
        break;
      }
      case 'node-start':
        this.#wait(event.key);
        if (event.attempt > 1) this.#line(paint('yellow', `  ↻ ${event.key.split('#')[0]}: attempt ${event.attempt}`));
        break;
      case 'run-migrated':
        this.#line(paint('yellow', `  ↻ resumes in version ${event.version}, was ${event.from}`));
        break;
      case 'offer-changed':
        this.#line(paint('yellow', `  ↻ resumes with changes: ${event.changes.join('; ')}`), 4);
        break;
      case 'node-patched':
        this.#line(paint('yellow', `  ↻ ${event.key.split('#')[0]}: ${event.fields.join(', ')} replaced by hand`), 4);
        break;
      case 'node-retry':
        this.#line(
          paint('yellow', `  ↻ ${event.key.split('#')[0]}: attempt ${event.attempt}: ${event.error.code}: ${oneLine(event.error.message)}`),
          4,
        );
        break;
      case 'guard': {
        const where = event.tool === undefined ? event.border : `${event.border} of ${event.tool}`;
        const why = event.reason === '' ? '' : ` (${oneLine(event.reason)})`;
        this.#line(paint(event.verdict === 'mask' ? 'dim' : 'yellow', `  ◇ ${event.guard}: ${event.verdict} at ${where}${why}`), 4);
        break;
      }
      case 'model-end':
        this.#modelCalls++;
        if (event.cached) this.#cached++;
        this.#tokens += event.usage.inputTokens + event.usage.outputTokens;
        break;
      case 'token':
        this.#write(event.text);
        break;
      case 'custom':
        if (event.name === 'tool-progress' && isObject(event.data))
          this.#line(paint('dim', `  … ${event.data.tool}: ${oneLine(JSON.stringify(event.data.data), 160)}`), 4);
        break;
      case 'step-reset':
        if (this.#printed !== '') this.#line(paint('yellow', '  ↻ the reply was cut off and starts again'));
        this.#printed = '';
        break;
      case 'node-end':
        this.#elapsedMs += event.durationMs;
        await this.#showNode(event);
        break;
      default:
        break;
    }
  }

  /** Prints the answer, unless it was streamed, then the totals. */
  finish(answer: string | undefined): void {
    if (answer !== undefined && this.#printed.trim() !== answer.trim()) this.#write(answer);
    this.#endLine();
    const calls = `${this.#modelCalls} model ${this.#modelCalls === 1 ? 'call' : 'calls'}`;
    const totals = `${calls} · ${this.#cached} cached · ${this.#tokens} tokens · ${milliseconds(this.#elapsedMs)}`;
    for (const line of wrap(totals, breakAt(stderr))) this.#line(paint('dim', line));
  }

  /** Removes the animated line. */
  stop(): void {
    this.#waiting?.stop();
  }

  /** Reports that the run ended in a state that its workflow calls a failure. */
  stopped(failure: ErrorInfo): void {
    this.#fail(`Stopped: ${failure.code}: ${failure.message}`, failure);
  }

  failed(error: ErrorInfo): void {
    this.#fail(`${error.code}: ${error.message}`, error);
  }

  #fail(text: string, error: ErrorInfo): void {
    this.#line(`${paint('red', '✗')} ${escapeControls(text)}`, 2);
    const hint = hintOf(error, this.#context);
    // do not wrap commands, so that they can be copied
    const columns = hint.includes(programName()) ? Number.POSITIVE_INFINITY : breakAt(stderr) - 2;
    for (const line of hint === '' ? [] : wrap(escapeControls(hint), columns)) this.#line(paint('dim', `  ${line}`));
    this.#showStack(error);
  }

  /** Prints a line on standard error. */
  note(text: string): void {
    this.#line(text);
  }

  async #showNode({ key, durationMs, error }: Extract<RunEvent, { type: 'node-end' }>): Promise<void> {
    const node = key.split('#')[0] ?? key;
    if (error) {
      const hint = hintOf(error, this.#context);
      const name = breakAt(stderr) < narrow ? node : pad(node, nameWidth);
      this.#line(`  ${paint('red', '✗')} ${name} ${error.code}: ${oneLine(error.message)}`, 6);
      if (hint) this.#details([hint]);
      this.#showStack(error);
      return;
    }
    const outcome = (await this.#patchOf(key)) as { readonly output?: JsonObject } | undefined;
    const { summary, lines = [], failed = false }: NodeDescription = this.#workflow.describeNode(node, outcome?.output ?? {});
    const mark = failed ? paint('red', '✗') : node === 'replanner' ? paint('yellow', '↻') : paint('green', '✓');
    const columns = Math.min(100, columnsOf(stderr));
    if (columns < narrow) {
      this.#line(`  ${mark} ${oneLine(node, columns - 14)}  ${milliseconds(durationMs)}`);
      this.#details([summary]);
    } else {
      const width = columns - 16 - nameWidth;
      this.#line(`  ${mark} ${pad(node, nameWidth)} ${pad(oneLine(summary, width), width)} ${milliseconds(durationMs).padStart(8)}`);
    }
    this.#details(lines);
  }

  /** Prints a stack once, although the node and the run end with the same error. */
  #showStack(error: ErrorInfo): void {
    const stack = stackToShow(error);
    if (stack === undefined || this.#stacks.has(stack)) return;
    this.#stacks.add(stack);
    for (const line of stack.split('\n')) this.#line(paint('dim', `      ${line}`));
  }

  #details(lines: readonly string[]): void {
    for (const text of lines) {
      for (const line of wrap(escapeControls(text.replaceAll('\n', ' ')), breakAt(stderr) - 6, 2)) {
        if (line !== '') this.#line(paint('dim', `      ${line}`));
      }
    }
  }

  /** Starts the animated line, but never after an unfinished line of the answer. */
  #wait(key: string): void {
    if (this.#atLineStart) this.#waiting?.start(key.split('#')[0] ?? key);
  }

  #write(text: string): void {
    const safe = escapeControls(text);
    if (safe === '') return;
    this.stop();
    process.stdout.write(safe);
    this.#printed += text;
    this.#atLineStart = safe.endsWith('\n');
  }

  #endLine(): void {
    if (!this.#atLineStart) process.stdout.write('\n');
    this.#atLineStart = true;
  }

  #line(text: string, indent = 0): void {
    this.stop();
    this.#endLine();
    const lines = indent === 0 ? [text] : wrap(text, breakAt(stderr), indent);
    stderr.write(`${lines.join('\n')}\n`);
  }
}
