import type { Json, JsonObject, RunEvent } from '../index.ts';
import type { NodeDescription } from './node-description.ts';
import { columnsOf, escapeControls, milliseconds, oneLine, pad, paint } from './terminal.ts';
import type { CliWorkflow } from './workflows.ts';

/** Fits the longest name of a node: `check_previous_context`. */
const nameWidth = 22;

/** Writes a run's events for a person: the answer's text to standard output, everything else to standard error. */
export class Timeline {
  readonly #workflow: CliWorkflow;
  readonly #patchOf: (key: string) => Promise<Json | undefined>;
  #modelCalls = 0;
  #cached = 0;
  #tokens = 0;
  #elapsedMs = 0;
  #atLineStart = true;
  /** Text of the answer that stands on standard output already. */
  #printed = '';

  /** @param patchOf the outcome of a node in the journal. */
  constructor(workflow: CliWorkflow, patchOf: (key: string) => Promise<Json | undefined>) {
    this.#workflow = workflow;
    this.#patchOf = patchOf;
  }

  get modelCalls(): number {
    return this.#modelCalls;
  }

  async show(event: RunEvent): Promise<void> {
    switch (event.type) {
      case 'run-start': {
        const parts = [this.#workflow.name, event.model, `run ${event.runId}`, ...(event.threadId ? [`thread ${event.threadId}`] : [])];
        this.#line(paint('bold', oneLine(parts.filter(Boolean).join(' · '))));
        break;
      }
      case 'node-start':
        if (event.attempt > 1) this.#line(paint('yellow', `  ↻ ${event.key.split('#')[0]}: attempt ${event.attempt}`));
        break;
      case 'model-end':
        this.#modelCalls++;
        if (event.cached) this.#cached++;
        this.#tokens += event.usage.inputTokens + event.usage.outputTokens;
        break;
      case 'token':
        this.#write(event.text);
        break;
      case 'step-reset':
        if (this.#printed !== '') this.#line(paint('yellow', '  ↻ the reply was cut off; it begins again'));
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

  /** The answer, unless it has been streamed; then the totals. */
  finish(answer: string | undefined): void {
    if (answer !== undefined && this.#printed.trim() !== answer.trim()) this.#write(answer);
    this.#endLine();
    const calls = `${this.#modelCalls} model ${this.#modelCalls === 1 ? 'call' : 'calls'}`;
    this.#line(paint('dim', `${calls} · ${this.#cached} cached · ${this.#tokens} tokens · ${milliseconds(this.#elapsedMs)}`));
  }

  /** A line on standard error. */
  note(text: string): void {
    this.#line(text);
  }

  async #showNode({ key, durationMs, error }: Extract<RunEvent, { type: 'node-end' }>): Promise<void> {
    const node = key.split('#')[0] ?? key;
    if (error) {
      this.#line(`${paint('red', '  ✗')} ${pad(node, nameWidth)} ${error.code}: ${oneLine(error.message)}`);
      if (error.hint) this.#line(paint('dim', `      ${oneLine(error.hint)}`));
      return;
    }
    const outcome = (await this.#patchOf(key)) as { readonly output?: JsonObject } | undefined;
    const { summary, lines = [], failed = false }: NodeDescription = this.#workflow.describeNode(node, outcome?.output ?? {});
    const mark = failed ? paint('red', '✗') : node === 'replanner' ? paint('yellow', '↻') : paint('green', '✓');
    const width = Math.min(100, columnsOf(process.stderr)) - 16 - nameWidth;
    this.#line(`  ${mark} ${pad(node, nameWidth)} ${pad(oneLine(summary, width), width)} ${milliseconds(durationMs).padStart(8)}`);
    for (const line of lines) this.#line(paint('dim', `      ${escapeControls(line.replaceAll('\n', ' '))}`));
  }

  #write(text: string): void {
    const safe = escapeControls(text);
    if (safe === '') return;
    process.stdout.write(safe);
    this.#printed += text;
    this.#atLineStart = safe.endsWith('\n');
  }

  #endLine(): void {
    if (!this.#atLineStart) process.stdout.write('\n');
    this.#atLineStart = true;
  }

  #line(text: string): void {
    this.#endLine();
    process.stderr.write(`${text}\n`);
  }
}
