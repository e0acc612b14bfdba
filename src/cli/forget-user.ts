import type { RunStorage } from '../core/ports/run-storage.ts';
import type { RemovedPlace } from '../core/ports/run-store.ts';
import { hasCode } from '../core/util/has-code.ts';
import { audited } from '../engine/run/audit-log.ts';
import { runGoesOn } from '../engine/store/assert-removable.ts';
import { rememberedByRun } from '../engine/store/remembered-by-run.ts';
import { createRuntime, type RunStore, systemClock } from '../index.ts';
import { storageOf } from '../stores/upkeep/storage-of.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openStore, shownDatabase } from './database.ts';
import { erasureReport } from './erasure-report.ts';
import { exitCodes } from './exit-codes.ts';
import type { ForgetFlags } from './forget-thread.ts';
import { isThere, type MemoryOwner, memoryOwner } from './memory-owner.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ForgetUserFlags extends ForgetFlags {
  readonly dryRun?: boolean;
}

/** Number of runs per page of a list. */
const page = 500;
/** Number of conversations and single runs per transaction. */
const maxPlaces = 500;

/**
 * Removes all conversations, runs and memories of a user. A conversation with a run of the user is removed whole. Memories are removed
 * first, because the runs name their places: after a crash, repeating the command finds the rest. Exit code 1 if runs in progress stay.
 */
export async function forgetUser(user: string, { dryRun = false, ...flags }: ForgetUserFlags): Promise<number> {
  const { db, json = false } = flags;
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${shownDatabase(db)}.`);
  const opened = createOpenResources();
  try {
    const store = await openStore(db, opened);
    const found = await runsOf(store, user, flags);
    const remove = async (): Promise<Removed> => {
      const memories = await forgetMemories(found.owners, user, opened);
      return { memories, ...(await removeAll(storageOf(store), found.places)) };
    };
    const { memories, runs, busy } = dryRun
      ? { memories: await countMemories(found.owners, user, opened), runs: found.runs, busy: [] }
      : await audited({ store, clock: systemClock }, cliActor(), { action: 'remove' }, remove);
    const threads = found.places.filter((place) => 'threadId' in place).length;
    const places = erasureReport(db, new Set(found.owners.map(({ store }) => (store === 'chroma' ? 'chroma' : 'sqlite'))));
    const unreadable = found.unreadable;
    if (json) {
      const counts = { threads, runs, memories, ...(busy.length > 0 ? { busy } : {}), ...(unreadable > 0 ? { unreadable } : {}) };
      print(printableJson({ type: 'forgotten', user, dryRun, ...counts, ...(dryRun ? {} : { places }) }));
    } else {
      const what = `${runs} runs, among them ${threads} conversations, and ${memories} memories of ${user}`;
      const lines = dryRun
        ? []
        : places.map(({ place, erased, because }) => `  ${place}: ${erased}${because ? `, because ${because}` : ''}\n`);
      process.stderr.write(escapeControls(`${dryRun ? 'Would delete' : 'Deleted'} ${what}.\n${lines.join('')}`));
      if (busy.length > 0) process.stderr.write(`In progress, so not deleted: ${busy.join(', ')}. Cancel them, and repeat the command.\n`);
      if (unreadable > 0) process.stderr.write(`${unreadable} runs cannot be read, so their user is unknown. See db verify.\n`);
    }
    return busy.length + unreadable > 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    await opened.close();
  }
}

interface FoundRuns {
  readonly places: readonly RemovedPlace[];
  /** Number of runs in these places that were listed. */
  readonly runs: number;
  readonly owners: readonly MemoryOwner[];
  readonly unreadable: number;
}

/** Finds the runs of a user: `userId` of the input, otherwise `user` of the settings, otherwise `local`. */
async function runsOf(store: RunStore, user: string, flags: ForgetFlags): Promise<FoundRuns> {
  const byThread = new Map<string, number>();
  const threads = new Set<string>();
  const single: string[] = [];
  const own = memoryOwner({ ...flags, user }, undefined, user);
  const owners = new Map([[JSON.stringify(own), own]]);
  let unreadable = 0;
  const reader = createRuntime({ store });
  try {
    for (let before: string | undefined; ; ) {
      const records = await store.list({ limit: page, ...(before === undefined ? {} : { before }) });
      for (const { id, threadId } of records) {
        if (threadId !== undefined) byThread.set(threadId, (byThread.get(threadId) ?? 0) + 1);
        try {
          const run = await reader.get(id);
          if (rememberedByRun(run, []).userId !== user) continue;
          const owner = memoryOwner({ ...flags, user }, run.metadata, user);
          owners.set(JSON.stringify(owner), owner);
          if (threadId === undefined) single.push(id);
          else threads.add(threadId);
        } catch (cause) {
          if (hasCode(cause, 'RUN_UNKNOWN')) continue; // removed meanwhile
          if (!hasCode(cause, 'JOURNAL_CORRUPT', 'JOURNAL_MISSING')) throw cause;
          unreadable++;
        }
      }
      before = records.at(-1)?.id;
      if (records.length < page) break;
    }
  } finally {
    await reader.close();
  }
  const places = [...[...threads].map((threadId) => ({ threadId })), ...single.map((runId) => ({ runId }))];
  const runs = [...threads].reduce((sum, threadId) => sum + (byThread.get(threadId) ?? 0), single.length);
  return { places, runs, owners: [...owners.values()].filter(isThere), unreadable };
}

async function forgetMemories(owners: readonly MemoryOwner[], user: string, opened: OpenResources): Promise<number> {
  let count = 0;
  for (const owner of owners) count += await ofUser(owner, opened, (memory) => memory.forget(user, 'all'));
  return count;
}

async function countMemories(owners: readonly MemoryOwner[], user: string, opened: OpenResources): Promise<number> {
  let count = 0;
  for (const owner of owners) count += await ofUser(owner, opened, async (memory) => (await memory.list(user)).length);
  return count;
}

type Memory = Awaited<ReturnType<typeof import('./long-term-memory.ts').openMemory>>;

/** A run may have a user whose id no memory can have. */
async function ofUser(
  { path, user: _, ...place }: MemoryOwner,
  opened: OpenResources,
  act: (memory: Memory) => Promise<number>,
): Promise<number> {
  const { openMemory } = await import('./long-term-memory.ts');
  try {
    return await act(await openMemory({ path, ...place }, opened));
  } catch (cause) {
    if (hasCode(cause, 'ID_INVALID')) return 0;
    throw cause;
  }
}

interface RemovedRuns {
  readonly runs: number;
  /** Runs in progress, whose places stay. */
  readonly busy: readonly string[];
}

interface Removed extends RemovedRuns {
  readonly memories: number;
}

async function removeAll(storage: RunStorage, places: readonly RemovedPlace[]): Promise<RemovedRuns> {
  let runs = 0;
  const busy: string[] = [];
  for (let from = 0; from < places.length; from += maxPlaces) {
    const removed = await removeIdle(storage, places.slice(from, from + maxPlaces));
    runs += removed.runs;
    busy.push(...removed.busy);
  }
  return { runs, busy };
}

/** Removes places in one transaction. If a run is in progress, each half is tried by itself. */
async function removeIdle(storage: RunStorage, places: readonly RemovedPlace[]): Promise<RemovedRuns> {
  let busyRun = '';
  try {
    const runs = await storage.remove(places, (_place, records) => {
      const busy = records.find(({ status }) => status === 'running' || status === 'queued');
      if (!busy) return;
      busyRun = busy.id;
      throw runGoesOn(busy.id);
    });
    return { runs, busy: [] };
  } catch (cause) {
    if (!hasCode(cause, 'RUN_BUSY')) throw cause;
    if (places.length === 1) return { runs: 0, busy: [busyRun] };
    const middle = places.length >> 1;
    const first = await removeIdle(storage, places.slice(0, middle));
    const second = await removeIdle(storage, places.slice(middle));
    return { runs: first.runs + second.runs, busy: [...first.busy, ...second.busy] };
  }
}
