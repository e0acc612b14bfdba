import { WorkflowError } from '../../core/errors/errors.ts';
import type { FoundRun, FoundThread, RunChange, RunPlace, RunStorage } from '../../core/ports/run-storage.ts';
import type { Awaitable, StoredTurns, ThreadRecord } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { overlaid } from '../../core/util/overlaid.ts';
import { damagedTurn } from '../../engine/store/thread-turns.ts';
import { openEntries, openTitle, sealEntry, sealTitle } from './sealed-entries.ts';
import type { StoreVault } from './store-vault.ts';

/** Storage of an encrypted store, for its upkeep: it takes and returns clear values. */
export function encryptedStorage(storage: RunStorage, vaultOf: () => Promise<StoreVault>): RunStorage {
  const { advance, turns, rewrite } = storage;
  const readThread = async (threadId: string): Promise<FoundThread> => openFound(await vaultOf(), await storage.readThread(threadId));
  return overlaid<RunStorage>(storage, {
    change: async (place, decide) => change(storage, await vaultOf(), place, decide),
    ...(advance && {
      async advance(lease, entry, activeMs) {
        const { ring } = await vaultOf();
        return advance.call(storage, lease, await sealEntry(ring, lease.runId, entry), activeMs);
      },
    }),
    async journal(runId) {
      const { ring, acceptsClear } = await vaultOf();
      const entries = await storage.journal(runId);
      return entries && openEntries(ring, runId, entries, acceptsClear);
    },
    ...(turns && {
      turns: async (threadId, query) => openTurns(await vaultOf(), await turns.call(storage, threadId, query)),
    }),
    readThread,
    async threadTitles(threadIds) {
      const vault = await vaultOf();
      if (storage.threadTitles) return openTitles(vault, await storage.threadTitles(threadIds));
      const found = await Promise.all(threadIds.map(async (id) => [id, (await readThread(id)).record?.title] as const));
      return new Map(found.flatMap(([id, title]) => (title === undefined ? [] : [[id, title]])));
    },
    ...(rewrite && {
      async rewrite(record, entries) {
        const { ring } = await vaultOf();
        return rewrite.call(storage, record, await Promise.all(entries.map((entry) => sealEntry(ring, record.id, entry))), ring.id);
      },
    }),
  });
}

/** @throws {WorkflowError} as `openEntry`. */
export async function openTitles(
  { ring, acceptsClear }: StoreVault,
  titles: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const opened = [...titles].map(async ([id, title]) => [id, await openTitle(ring, id, title, acceptsClear)] as const);
  return new Map(await Promise.all(opened));
}

/** Decrypts turns. Damage hides only the run that has it. */
export async function openTurns({ ring, acceptsClear }: StoreVault, found: StoredTurns): Promise<StoredTurns> {
  const turns = found.turns.map(async (turn) => {
    if (!('entries' in turn)) return turn;
    const { record, entries } = turn;
    try {
      return { record, entries: await openEntries(ring, record.id, entries, acceptsClear) };
    } catch (error) {
      return damagedTurn(record, error);
    }
  });
  return { ...found, turns: await Promise.all(turns) };
}

const openFound = async ({ threads, acceptsClear }: StoreVault, found: FoundThread): Promise<FoundThread> =>
  found.record ? { ...found, record: await threads.open(found.record, acceptsClear) } : found;

/**
 * Web Crypto cannot run within a transaction. So one transaction reads, the change is decided and encrypted outside, and the next
 * transaction writes it if it reads the same.
 */
async function change<TChange extends RunChange>(
  storage: RunStorage,
  vault: StoreVault,
  asked: RunPlace,
  decide: (found: FoundRun) => TChange,
): Promise<TChange> {
  const place: RunPlace = { ...asked, keyId: vault.ring.id };
  for (;;) {
    const found = await readPlace(storage, place);
    const { thread } = found;
    const opened = thread && (await openFound(vault, thread));
    const decided = decide({ ...found, ...(opened ? { thread: opened } : {}) });
    const sealed = await sealChange(vault, decided, thread?.record, opened?.record);
    const before = canonicalFound(found);
    const moved = await unlessRefused((refusal) =>
      storage.change(place, (seen) => {
        if (canonicalFound(seen) !== before) throw refusal;
        return sealed;
      }),
    );
    if (!moved) return decided;
  }
}

/** Reads what a change of the place would see. */
async function readPlace(storage: RunStorage, place: RunPlace): Promise<FoundRun> {
  let found: FoundRun = {};
  await unlessRefused((refusal) =>
    storage.change(place, (seen) => {
      found = seen;
      throw refusal;
    }),
  );
  return found;
}

/** Returns true if `work` threw the refusal, which ends a transaction with nothing written. */
async function unlessRefused(work: (refusal: WorkflowError) => Awaitable<unknown>): Promise<boolean> {
  const refusal = new WorkflowError({ code: 'RUN_FENCED', message: 'The place is read before it is written.' });
  try {
    await work(refusal);
    return false;
  } catch (cause) {
    if (cause === refusal) return true;
    throw cause;
  }
}

async function sealChange(
  { ring, threads }: StoreVault,
  { run, entries, thread }: RunChange,
  stored: ThreadRecord | undefined,
  opened: ThreadRecord | undefined,
): Promise<RunChange> {
  const sealed = await Promise.all(entries.map((entry) => sealEntry(ring, run.record.id, entry)));
  if (!thread) return { run, entries: sealed };
  const { title, state } = thread;
  const isSameState = stored !== undefined && opened !== undefined && state === opened.state && thread.revision === opened.revision;
  return {
    run,
    entries: sealed,
    thread: {
      ...thread,
      state: isSameState ? stored.state : await threads.seal(thread, state, opened?.state),
      ...(title === undefined ? {} : { title: await sealTitle(ring, thread.id, title) }),
    },
  };
}

const canonicalFound = ({ run, thread, driven }: FoundRun): string =>
  canonicalJson(
    JSON.parse(
      JSON.stringify([run ?? null, thread?.record ?? null, thread?.firstQueued ?? null, thread?.lost !== undefined, driven ?? null]),
    ),
  );
