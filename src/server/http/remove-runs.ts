import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LongTermMemory } from '../../core/ports/long-term-memory.ts';
import type { Awaitable, RemovedPlace, RunStore } from '../../core/ports/run-store.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { audited } from '../../engine/run/audit-log.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import { assertRemovable } from '../../engine/store/assert-removable.ts';
import { rememberedByRuns } from '../../engine/store/remembered-by-runs.ts';
import type { RemovedRuns } from '../api/calls.ts';

interface RunPlaces {
  readonly runtime: Runtime;
  readonly store: RunStore;
  readonly memories?: () => Awaitable<LongTermMemory>;
  /** Recorded with the removal. */
  readonly actor?: Actor;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

/**
 * Removes a run or a conversation, and the user memories that only these runs recorded. Memories that a remaining source or fork also has
 * are kept. Memories are removed first: after a crash, a retry still finds them in the journals.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`, `RUN_BUSY`, `RUN_IN_THREAD`.
 */
export const removeRuns = (space: RunPlaces, place: RemovedPlace): Promise<RemovedRuns> =>
  audited({ store: space.store, clock: space.clock ?? systemClock }, space.actor, { action: 'remove', ...place }, () =>
    remove(space, place),
  );

async function remove({ runtime, store, memories }: RunPlaces, place: RemovedPlace): Promise<RemovedRuns> {
  const learned = memories ? await learnedBy({ runtime, store }, place) : new Map<string, Set<string>>();
  let forgotten = 0;
  for (const [userId, ids] of learned) forgotten += (await (await memories?.())?.forget(userId, [...ids])) ?? 0;
  return { deleted: await store.remove(place), memories: forgotten };
}

/** Ids of the memories to remove, by user. */
async function learnedBy(
  { runtime, store }: Pick<RunPlaces, 'runtime' | 'store'>,
  place: RemovedPlace,
): Promise<ReadonlyMap<string, Set<string>>> {
  const records =
    'runId' in place ? [await store.read(place.runId)] : await store.list({ threadId: place.threadId, limit: Number.MAX_SAFE_INTEGER });
  const runs = records.filter((record) => record !== undefined);
  assertRemovable(place, runs);
  const learned = new Map<string, Set<string>>();
  for (const { userId, ids } of await rememberedByRuns({ store, runtime }, runs)) {
    if (ids.length > 0) learned.set(userId, new Set([...(learned.get(userId) ?? []), ...ids]));
  }
  return learned;
}
