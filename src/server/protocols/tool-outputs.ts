import type { Json } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import type { ProtocolEvent } from './protocol-event.ts';

type ToolEnd = Extract<RunEvent, { type: 'tool-end' }>;

/** A call's end is emitted just before its output is stored, one write later. */
const lookPolicy = { firstDelayMs: 1, longestDelayMs: 100 };
const maxLooks = 60;

/** Outputs of tools, read from the run's journal because events do not carry them. */
export class ToolOutputs {
  readonly #runtime: Pick<Runtime, 'history'>;
  readonly #runId: string;
  readonly #outputs = new Map<string, Json>();
  /** Nodes that have ended. */
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
    if (isObject(output) && 'output' in output) this.#outputs.set(key, output.output as Json);
  }
}
