import type { EventObject } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { Stop } from '../../core/util/stop.ts';
import type { Outcome } from './host.ts';

/** Work in progress: a node, a timer, or a wait. */
export interface ActiveWork {
  readonly key: string;
  /** XState's id of the node or timer. For a wait, the path of its state. */
  readonly id: string;
  readonly kind: 'node' | 'timer' | 'wait';
  readonly stop: Stop;
  /** Event that a timer raises. */
  readonly event?: EventObject;
}

/** Work in progress of one drive, by key. */
export class InProgress {
  readonly #prefix: string;
  /** An array, because it holds few items: a map emptied at each node rebuilds its table. */
  readonly #work: ActiveWork[] = [];
  readonly #pending = new Map<string, Promise<Outcome>>();
  readonly #visits: Map<string, number>;
  #waits = 0;

  /**
   * @param prefix of every key.
   * @param visits Number of earlier visits, by name.
   */
  constructor(prefix: string, visits: Readonly<Record<string, number>> = {}) {
    this.#prefix = prefix;
    this.#visits = new Map(Object.entries(visits));
  }

  get pending(): ReadonlyMap<string, Promise<Outcome>> {
    return this.#pending;
  }

  /** Number of open waits. */
  get waits(): number {
    return this.#waits;
  }

  nextKey(name: string): string {
    const visit = (this.#visits.get(name) ?? 0) + 1;
    this.#visits.set(name, visit);
    return `${this.#prefix}${name}#${visit}`;
  }

  /** @returns the `Stop` of this work. */
  add(key: string, id: string, kind: ActiveWork['kind'], event?: EventObject): Stop {
    const stop = new Stop();
    this.#work.push(event ? { key, id, kind, stop, event } : { key, id, kind, stop });
    if (kind === 'wait') this.#waits++;
    return stop;
  }

  await(key: string, outcome: Promise<Outcome>): void {
    this.#pending.set(key, outcome);
  }

  /** Removes and returns work that has ended, or `undefined` for a key that is not in progress. */
  take(key: string): ActiveWork | undefined {
    const index = this.#work.findIndex((live) => live.key === key);
    if (index < 0) return undefined;
    const [live] = this.#work.splice(index, 1);
    this.#pending.delete(key);
    if (live?.kind === 'wait') this.#waits--;
    return live;
  }

  /** Stops a node or a timer, if it has not ended yet. */
  stop(id: string): void {
    if (this.#work.length > 0) this.#leave((live) => live.id === id && live.kind !== 'wait');
  }

  isWaiting(path: string): boolean {
    return this.#work.some(({ kind, id }) => kind === 'wait' && id === path);
  }

  /** Stops the waits of all other states. */
  keepWaits(paths: readonly string[]): void {
    this.#leave((live) => live.kind === 'wait' && !paths.includes(live.id));
  }

  /** Stops all work. */
  stopAll(where: string): void {
    for (const { stop } of this.#work) stop.abortFor(() => stateLeft(where));
  }

  #leave(which: (live: ActiveWork) => boolean): void {
    for (const { key, id, stop } of this.#work.filter(which)) {
      stop.abortFor(() => stateLeft(id));
      this.take(key);
    }
  }
}

const stateLeft = (state: string): WorkflowError =>
  new WorkflowError({
    code: 'STATE_LEFT',
    message: `The run has left "${state}".`,
    hint: 'Stop the work: its result is no longer needed.',
  });
