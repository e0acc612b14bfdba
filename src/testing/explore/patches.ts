import type { MachineContext } from 'xstate';
import type { JsonObject } from '../../core/ports/json.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { patchOf } from '../../engine/define/node.ts';
import type { InProgress } from './in-progress.ts';
import { refused } from './outcome-class.ts';

/** Reads the patches of nodes as the engine does. */
export class Patches {
  readonly #read = new Map<string, WeakMap<object, JsonObject | null>>();
  #isFresh = false;
  /** Number of proposed patches that were refused, and of those that were accepted, by path. */
  readonly counts: Map<string, { refused: number; accepted: number }> = new Map();

  /**
   * Returns the patch as the schema reads it; `undefined` for a refused one.
   *
   * A proposed patch is read once, although a schema also reads the state: a counterexample is replayed with fresh reads.
   */
  read(
    { path, handler, state }: Extract<InProgress, { readonly type: 'start' }>,
    patch: object,
    now: MachineContext,
    isProposed: boolean,
  ): JsonObject | undefined {
    const known = this.#read.get(path) ?? new WeakMap<object, JsonObject | null>();
    this.#read.set(path, known);
    const found = this.#isFresh ? undefined : known.get(patch);
    if (found !== undefined) return found ?? undefined;
    const count = this.counts.get(path) ?? { refused: 0, accepted: 0 };
    this.counts.set(path, count);
    try {
      const output = deepFreeze(patchOf(handler, patch, state ?? now));
      known.set(patch, output);
      count.accepted++;
      return output;
    } catch (thrown) {
      if (!isProposed) throw refused(path, thrown);
      known.set(patch, null);
      count.refused++;
      return undefined;
    }
  }

  /** Runs work that reads every patch again, beside the state at that time. */
  withFreshReads<T>(work: () => T): T {
    this.#isFresh = true;
    try {
      return work();
    } finally {
      this.#isFresh = false;
    }
  }
}
