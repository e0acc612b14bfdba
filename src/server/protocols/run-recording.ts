import { toErrorInfo } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { limitFiles } from '../../core/tool-facts/tool-content.ts';
import { isObject } from '../../core/util/is-object.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { RunResult } from '../../engine/drive/run.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import type { ProtocolEvent, RestEvent } from './protocol-event.ts';

export interface RunRecordingOptions {
  readonly runtime: Pick<Runtime, 'get' | 'history'>;
  readonly runId: string;
  /** Events of the run, from the first. */
  readonly source: AsyncIterable<RunEvent>;
}

/** Keeps the events of an active run, so that late readers also get the live events and slow readers miss nothing. */
export class RunRecording {
  readonly runId: string;
  /** Settles when the run rests. Never rejects. */
  readonly ended: Promise<void>;
  readonly #options: RunRecordingOptions;
  readonly #events: ProtocolEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(options: RunRecordingOptions) {
    this.runId = options.runId;
    this.#options = options;
    this.ended = this.#record().finally(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Yields all events, including future ones, and ends when the run rests. */
  async *read(): AsyncGenerator<ProtocolEvent, void, undefined> {
    for (let next = 0; ; ) {
      for (let event = this.#events[next]; event; event = this.#events[next]) {
        next++;
        yield event;
      }
      if (this.#isOver) return;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #push(event: ProtocolEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  async #record(): Promise<void> {
    const { runtime, runId, source } = this.#options;
    const outputs = new ToolOutputs(runtime, runId);
    let end: Extract<RunEvent, { type: 'run-end' }> | undefined;
    try {
      for await (const event of source) {
        if (end) this.#push(end); // the run had failed and was resumed
        end = undefined;
        if (event.type === 'run-end') end = event;
        else this.#push(event.type === 'tool-end' ? await outputs.of(event) : event);
      }
      const { result } = await runtime.get(runId);
      this.#push(toLast(end, result, this.#events.at(-1)));
    } catch (cause) {
      this.#push(toLast(end, { status: 'failed', error: toErrorInfo(cause), resumable: true }, this.#events.at(-1)));
    }
  }
}

function toLast(
  end: Extract<RunEvent, { type: 'run-end' }> | undefined,
  result: RunResult<Json> | undefined,
  last: ProtocolEvent | undefined,
): ProtocolEvent {
  if (end) return end.status === result?.status && 'output' in result ? { ...end, output: result.output } : end;
  const { seq = 0, at = 0 } = last ?? {};
  return { type: 'rest', seq, at, ...(result ? { result } : {}) } satisfies RestEvent;
}

type ToolEnd = Extract<RunEvent, { type: 'tool-end' }>;

/** A call's end is emitted just before its output is stored, one write later. */
const lookPolicy = { firstDelayMs: 1, longestDelayMs: 100 };
const maxLooks = 60;

/** Outputs of tools, read from the run's journal because events do not carry them. Their files are named, because they may be megabytes. */
class ToolOutputs {
  readonly #runtime: Pick<Runtime, 'history'>;
  readonly #runId: string;
  readonly #outputs = new Map<string, Json>();
  readonly #ended = new Set<string>();
  #read = 0;

  constructor(runtime: Pick<Runtime, 'history'>, runId: string) {
    this.#runtime = runtime;
    this.#runId = runId;
  }

  /** Adds the output to the event, if the journal has the call. */
  async of(event: ToolEnd): Promise<ProtocolEvent> {
    if (event.error || event.deduplicated || event.node === undefined) return event;
    const key = `${event.node}/${event.callId}`;
    for (let looks = 1; !this.#outputs.has(key); looks++) {
      await this.#look();
      if (this.#outputs.has(key)) break;
      if (this.#ended.has(event.node) || looks > maxLooks) return event;
      await pause(growingDelay(looks, lookPolicy), systemClock, undefined);
    }
    return { ...event, output: this.#outputs.get(key) ?? null };
  }

  async #look(): Promise<void> {
    const entries = await this.#runtime.history(this.#runId);
    for (const entry of entries.slice(this.#read)) this.#learn(entry);
    this.#read = entries.length;
  }

  #learn({ kind, key, outcome }: JournalEntry): void {
    if (kind === 'node') this.#ended.add(key);
    const output = kind === 'step' && isObject(outcome) ? outcome.output : undefined;
    if (isObject(output) && 'output' in output) this.#outputs.set(key, limitFiles(output.output as Json, 0));
  }
}
