import type { EventObject } from 'xstate';
import { WorkflowError } from '../errors.ts';
import { Stop } from '../util/stop.ts';
import type { Outcome } from './host.ts';

/** Something that is in progress: a node, a timer, or a wait. */
export interface Live {
  /** XState's id of the node or timer; for a wait, the path of its state. */
  readonly id: string;
  readonly kind: 'node' | 'timer' | 'wait';
  readonly stop: Stop;
  /** What a timer raises. */
  readonly event?: EventObject;
}

/** What one drive has in progress, by key. */
export class InProgress {
  readonly #prefix: string;
  readonly #live = new Map<string, Live>();
  readonly #pending = new Map<string, Promise<Outcome>>();
  readonly #visits = new Map<string, number>();
  #waits = 0;

  /** @param prefix of every key. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get pending(): ReadonlyMap<string, Promise<Outcome>> {
    return this.#pending;
  }

  /** How many waits are open. */
  get waits(): number {
    return this.#waits;
  }

  nextKey(name: string): string {
    const visit = (this.#visits.get(name) ?? 0) + 1;
    this.#visits.set(name, visit);
    return `${this.#prefix}${name}#${visit}`;
  }

  /** @returns what stops it. */
  add(key: string, id: string, kind: Live['kind'], event?: EventObject): Stop {
    const stop = new Stop();
    this.#live.set(key, event ? { id, kind, stop, event } : { id, kind, stop });
    if (kind === 'wait') this.#waits++;
    return stop;
  }

  await(key: string, outcome: Promise<Outcome>): void {
    this.#pending.set(key, outcome);
  }

  /** Takes out what has ended; `undefined` for a key that is not in progress. */
  take(key: string): Live | undefined {
    const live = this.#live.get(key);
    this.#live.delete(key);
    this.#pending.delete(key);
    if (live?.kind === 'wait') this.#waits--;
    return live;
  }

  /** Stops a node or a timer, if it has not ended yet. */
  stop(id: string): void {
    for (const [key, live] of this.#live) if (live.id === id && live.kind !== 'wait') this.#leave(key, live, id);
  }

  isWaiting(path: string): boolean {
    for (const { kind, id } of this.#live.values()) if (kind === 'wait' && id === path) return true;
    return false;
  }

  /** Stops the waits of states that are none of these. */
  keepWaits(paths: readonly string[]): void {
    for (const [key, live] of this.#live) if (live.kind === 'wait' && !paths.includes(live.id)) this.#leave(key, live, live.id);
  }

  /** Stops whatever there is. */
  stopAll(where: string): void {
    for (const live of this.#live.values()) live.stop.abortFor(() => left(where));
  }

  #leave(key: string, live: Live, state: string): void {
    live.stop.abortFor(() => left(state));
    this.take(key);
  }
}

const left = (state: string): WorkflowError =>
  new WorkflowError({
    code: 'STATE_LEFT',
    message: `The run has left "${state}".`,
    hint: 'Stop the work: its result is no longer needed.',
  });
