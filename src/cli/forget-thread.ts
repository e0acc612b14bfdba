import { audited } from '../engine/run/audit-log.ts';
import { createRuntime, type RunStore, systemClock, WorkflowError } from '../index.ts';
import { rememberedByRuns } from '../stores/index.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openStore, shownDatabase } from './database.ts';
import { erasureReport, type MemoryPlace } from './erasure-report.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { isThere, type MemoryOwner, memoryOwner } from './memory-owner.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import type { Settings } from './settings.ts';
import { print, printableJson } from './terminal.ts';

export interface ForgetFlags extends CommonFlags, Pick<Settings, 'user' | 'store' | 'storeUrl'> {}

/**
 * Removes a thread with all its runs, and the user memories that only they recorded. Memories that a remaining fork also has are kept.
 * Memories are removed first: after a crash, repeating the command finds the rest in the journals.
 */
export async function forgetThread(threadId: string, flags: ForgetFlags): Promise<number> {
  const { db, json = false } = flags;
  if (!databaseMayExist(db)) {
    const message = `There is no thread ${threadId}, because there is no database ${shownDatabase(db)}.`;
    throw new WorkflowError({ code: 'THREAD_UNKNOWN', message });
  }
  const opened = createOpenResources();
  try {
    const store = await openStore(db, opened);
    // recorded before the first look at the runs, so that none starts in between
    const { runs, memories, memoryPlaces } = await audited({ store, clock: systemClock }, cliActor(), { action: 'remove', threadId }, () =>
      remove(store, threadId, flags, opened),
    );
    const places = erasureReport(db, memoryPlaces);
    if (json) print(printableJson({ type: 'forgotten', threadId, runs, memories, places }));
    else {
      const lines = places.map(({ place, erased, because }) => `  ${place}: ${erased}${because ? `, because ${because}` : ''}\n`);
      process.stderr.write(`Deleted the thread ${threadId} with ${runs} runs and ${memories} memories.\n${lines.join('')}`);
    }
    return exitCodes.done;
  } finally {
    await opened.close();
  }
}

interface Removed {
  readonly runs: number;
  readonly memories: number;
  readonly memoryPlaces: ReadonlySet<MemoryPlace>;
}

async function remove(store: RunStore, threadId: string, flags: ForgetFlags, opened: OpenResources): Promise<Removed> {
  const learned = await memoriesOf(store, threadId, flags);
  let memories = 0;
  const memoryPlaces = new Set<MemoryPlace>();
  for (const [key, ids] of learned) {
    const owner = JSON.parse(key) as MemoryOwner;
    if (ids.size === 0 || !isThere(owner)) continue;
    memories += await forget(owner, [...ids], opened);
    memoryPlaces.add(owner.store === 'chroma' ? 'chroma' : 'sqlite');
  }
  return { runs: await store.remove({ threadId }), memories, memoryPlaces };
}

/**
 * Ids of the memories that a thread's runs have recorded, by store and user. @throws {WorkflowError} `RUN_BUSY` while one of them is
 * active.
 */
async function memoriesOf(store: RunStore, threadId: string, flags: ForgetFlags): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const runs = await store.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
  const busy = runs.find(({ status }) => status === 'running' || status === 'queued');
  if (busy)
    throw new WorkflowError({ code: 'RUN_BUSY', message: `The run ${busy.id} is in progress.`, data: { runId: busy.id, cancel: true } });
  const learned = new Map<string, Set<string>>();
  const reader = createRuntime({ store });
  try {
    for (const { run, userId, ids } of await rememberedByRuns({ store, runtime: reader }, runs)) {
      const owner = memoryOwner(flags, run.metadata, userId);
      const key = JSON.stringify(owner);
      const known = learned.get(key) ?? new Set();
      for (const memory of ids) known.add(memory);
      learned.set(key, known);
    }
  } finally {
    await reader.close();
  }
  return learned;
}

async function forget({ path, user, ...place }: MemoryOwner, ids: readonly string[], opened: OpenResources): Promise<number> {
  const { openMemory } = await import('./long-term-memory.ts');
  return (await openMemory({ path, ...place }, opened)).forget(user, ids);
}
