import { toErrorInfo } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { limitFiles } from '../../core/tool-facts/tool-content.ts';
import { isObject } from '../../core/util/is-object.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { Pusher, readSource, type Source, type SourceReader, type Subscription, sourceOf } from '../../core/util/source.ts';
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
export class RunRecording implements Source<ProtocolEvent> {
  readonly runId: string;
  /** Settles when the run rests. Never rejects. */
  readonly ended: Promise<void>;
  readonly #options: RunRecordingOptions;
  readonly #events: ProtocolEvent[] = [];
  readonly #outputs: ToolOutputs;
  readonly #readers = new Set<Pusher<ProtocolEvent>>();
  #runEnd: Extract<RunEvent, { type: 'run-end' }> | undefined;
  #isOver = false;

  constructor(options: RunRecordingOptions) {
    this.runId = options.runId;
    this.#options = options;
    this.#outputs = new ToolOutputs(options.runtime, options.runId);
    this.ended = this.#record().finally(() => {
      this.#isOver = true;
      this.#wake();
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Yields all events, including future ones, and ends when the run rests. */
  read(): AsyncGenerator<ProtocolEvent, void, undefined> {
    return readSource(this);
  }

  subscribe(reader: SourceReader<ProtocolEvent>): Subscription {
    let next = 0;
    const take = (): readonly ProtocolEvent[] => {
      const events = this.#events.slice(next);
      next = this.#events.length;
      return events;
    };
    const isOver = (): boolean => this.#isOver && next === this.#events.length;
    const pusher = new Pusher({ reader, take, isOver, onStop: () => void this.#readers.delete(pusher) });
    this.#readers.add(pusher);
    return pusher;
  }

  #push(event: ProtocolEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  #wake(): void {
    for (const reader of this.#readers) reader.wake();
  }

  async #record(): Promise<void> {
    const { runtime, runId, source } = this.#options;
    try {
      await this.#followSource(source);
      const { result } = await runtime.get(runId);
      this.#push(toLast(this.#runEnd, result, this.#events.at(-1)));
    } catch (cause) {
      this.#push(toLast(this.#runEnd, { status: 'failed', error: toErrorInfo(cause), resumable: true }, this.#events.at(-1)));
    }
  }

  /** Settles when the source has ended and all of its events are recorded. */
  #followSource(source: AsyncIterable<RunEvent>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queue: RunEvent[] = [];
    let isReading = false;
    let end: (() => void) | undefined;
    const drain = (): void => {
      while (!isReading) {
        const event = queue.shift();
        if (!event) {
          end?.();
          return;
        }
        if (this.#runEnd) this.#push(this.#runEnd); // the run had failed and was resumed
        this.#runEnd = event.type === 'run-end' ? event : undefined;
        if (event.type === 'tool-end') void readOutput(event);
        else if (event.type !== 'run-end') this.#push(event);
      }
    };
    /** Later events wait, because a reader gets them in order. */
    const readOutput = async (event: ToolEnd): Promise<void> => {
      isReading = true;
      try {
        this.#push(await this.#outputs.of(event));
        isReading = false;
        drain();
      } catch (cause) {
        subscription.stop();
        reject(cause);
      }
    };
    const endWith = (settle: () => void): void => {
      end = settle;
      drain();
    };
    const subscription = sourceOf(source).subscribe({
      tell: (events) => {
        queue.push(...events);
        drain();
      },
      end: () => endWith(resolve),
      fail: (cause) => endWith(() => reject(cause)),
    });
    return promise;
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
