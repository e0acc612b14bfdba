import type { Json } from '../../core/ports/json.ts';
import type {
  AcquiredRun,
  Awaitable,
  JournalEntry,
  Lease,
  LeaseRequest,
  RunStore,
  Settlement,
  ThreadRecord,
} from '../../core/ports/run-store.ts';
import { type EncryptOptions, type KeyRing, openKeyRing } from '../../core/util/key-ring.ts';
import { overlaid } from '../../core/util/overlaid.ts';
import { nameThread } from '../../engine/store/run-rules.ts';
import { runUnknown } from '../../engine/store/store-errors.ts';
import { readTurns } from '../../engine/store/thread-turns.ts';
import { encryptedStorage, openTitles, openTurns } from './encrypted-storage.ts';
import { openEntries, sealEntry, sealTitle } from './sealed-entries.ts';
import type { StatePlace } from './sealed-threads.ts';
import { type StoreVault, storeVault } from './store-vault.ts';

export type { EncryptionKey, EncryptOptions } from '../../core/util/key-ring.ts';

/**
 * Wraps a store and encrypts what runs say and do, by AES-256-GCM of Web Crypto: inputs, outputs, events, states and names of threads. Each
 * value is bound to its place, so one that was moved is rejected. Ids, workflow names, versions, statuses, times, error codes, journal keys
 * and structures of machines stay readable. One key may encrypt about 4 billion values. Pass the store itself, not one that is traced.
 *
 * @throws {WorkflowError} `STORE_KEY_INVALID` for an invalid key; on first use for a wrong one, before anything is written.
 * @example const store = encryptedStore(sqliteStore({ path: 'agents.db' }), { key: process.env.AGENT_MACHINES_KEY });
 */
export const encryptedStore = <TStore extends RunStore>(store: TStore, options: EncryptOptions): TStore =>
  encryptedBy(store, openKeyRing(options));

/** Stores that are encrypted already. */
export const encryptedStores: WeakSet<RunStore> = new WeakSet<RunStore>();

/** Creates a store and encrypts it if options are given. An invalid key creates nothing. */
export function withEncryption(options: EncryptOptions | undefined, create: () => RunStore): RunStore {
  if (options === undefined) return create();
  const ring = openKeyRing(options);
  return encryptedBy(create(), ring);
}

function encryptedBy<TStore extends RunStore>(store: TStore, ring: Promise<KeyRing>): TStore {
  const vaultOf = storeVault(store, ring);
  const storage = store.storage && encryptedStorage(store.storage, vaultOf);
  const threads = leasedThreads(store);
  const methods: Partial<RunStore> = {
    ...writes(store, vaultOf, threads),
    ...reads(store, vaultOf),
    async nameThread(threadId, title) {
      const { ring } = await vaultOf();
      const sealed = title === undefined ? title : await sealTitle(ring, threadId, title);
      await (store.storage ? nameThread(store.storage, threadId, sealed, ring.id) : store.nameThread(threadId, sealed));
    },
    async saveStructure(hash, structure) {
      const { ring } = await vaultOf(); // a wrong key must write nothing
      await (store.storage ?? store).saveStructure(hash, structure, ring.id);
    },
    async lost(leases) {
      const lost = await store.lost(leases);
      for (const lease of lost) threads.forget(lease);
      return lost;
    },
    ...(storage ? { storage } : {}),
  };
  const encrypted = overlaid<RunStore>(store, methods) as TStore; // the same type as its target
  encryptedStores.add(encrypted);
  return encrypted;
}

type Vault = () => Promise<StoreVault>;

/** A store without notes has no list of writers to compare the key with. */
const keyOf = ({ storage }: RunStore, { id }: KeyRing): Pick<LeaseRequest, 'keyId'> => (storage?.note ? { keyId: id } : {});

function writes(store: RunStore, vaultOf: Vault, threads: LeasedThreads): Pick<RunStore, 'create' | 'acquire' | 'append' | 'settle'> {
  const acquired = async (vault: StoreVault, given: Awaitable<AcquiredRun>, request: LeaseRequest): Promise<AcquiredRun> => {
    const run = await given;
    if (!run.thread) return run;
    try {
      const thread = await vault.threads.open(run.thread, vault.acceptsClear);
      threads.add(run.lease, thread);
      return { ...run, thread };
    } catch (cause) {
      await Promise.resolve(store.renew(run.lease, { ...request, leaseMs: 0 })).catch(() => {}); // the caller needs the first error
      throw cause;
    }
  };
  return {
    async create(run, [first, ...kept], request) {
      const vault = await vaultOf();
      const { ring } = vault;
      const seal = (entry: JournalEntry): Promise<JournalEntry> => sealEntry(ring, run.id, entry);
      const [start, ...others] = await Promise.all([seal(first), ...kept.map(seal)]);
      return acquired(vault, store.create(run, [start, ...others], { ...request, ...keyOf(store, ring) }), request);
    },
    async acquire(runId, request) {
      const vault = await vaultOf();
      return acquired(vault, store.acquire(runId, { ...request, ...keyOf(store, vault.ring) }), request);
    },
    async append(lease, entry, activeMs) {
      const { ring } = await vaultOf();
      await store.append(lease, await sealEntry(ring, lease.runId, entry), activeMs);
    },
    async settle(lease, settlement) {
      const vault = await vaultOf();
      const { entry, threadState } = settlement;
      const state = threadState === undefined ? undefined : await sealState(vault, await threads.take(lease), threadState);
      const sealed: Settlement = {
        ...settlement,
        ...(entry ? { entry: await sealEntry(vault.ring, lease.runId, entry) } : {}),
        ...(state === undefined ? {} : { threadState: state }),
      };
      threads.forget(lease);
      await store.settle(lease, sealed);
    },
  };
}

function reads(store: RunStore, vaultOf: Vault): Pick<RunStore, 'journal' | 'turns' | 'readThread' | 'threadTitles'> {
  // the rules of a store reject encrypted values, so they are read from its storage
  const { storage } = store;
  return {
    async journal(runId) {
      const { ring, acceptsClear } = await vaultOf();
      const entries = await (storage ?? store).journal(runId);
      if (!entries) throw runUnknown(runId);
      return openEntries(ring, runId, entries, acceptsClear);
    },
    async turns(threadId, { order = 'newest', limit = 30, beyond }) {
      const query = { order, limit, ...(beyond === undefined ? {} : { beyond }) };
      const found = storage ? (storage.turns?.(threadId, query) ?? readTurns(storage, threadId, query)) : store.turns(threadId, query);
      return openTurns(await vaultOf(), await found);
    },
    async readThread(threadId) {
      const { threads, acceptsClear } = await vaultOf();
      const thread = await readSealedThread(store, threadId);
      return thread && threads.open(thread, acceptsClear);
    },
    threadTitles: async (threadIds) => openTitles(await vaultOf(), await store.threadTitles(threadIds)),
  };
}

async function readSealedThread(store: RunStore, threadId: string): Promise<ThreadRecord | undefined> {
  if (!store.storage) return store.readThread(threadId);
  const { record, lost } = await store.storage.readThread(threadId);
  if (lost) throw lost;
  return record;
}

async function sealState({ threads, acceptsClear }: StoreVault, thread: LeasedThread | undefined, state: Json): Promise<Json> {
  if (!thread) return null; // the run has no thread, so the store ignores the state
  const { sealed, ...place } = thread;
  const before = sealed ? (await threads.open(sealed, acceptsClear)).state : thread.state;
  return threads.seal(place, state, before);
}

/** Thread of a leased run, at the revision that its settlement gives it. */
interface LeasedThread extends StatePlace {
  /** Decrypted state. */
  readonly state?: Json;
  /** The thread as stored, if this process did not acquire the run. */
  readonly sealed?: ThreadRecord;
}

interface LeasedThreads {
  add(lease: Lease, thread: ThreadRecord): void;
  take(lease: Lease): Promise<LeasedThread | undefined>;
  forget(lease: Lease): void;
}

/** Threads of the runs that this process drives. While a run owns its thread, no other run changes the thread's revision. */
function leasedThreads(store: RunStore): LeasedThreads {
  const threads = new Map<string, LeasedThread & { readonly epoch: number }>();
  return {
    add({ runId, epoch }, { id, workflow, revision, state }) {
      threads.set(runId, { epoch, id, workflow, revision: revision + 1, state });
    },
    async take({ runId, epoch }) {
      const known = threads.get(runId);
      if (known?.epoch === epoch) return known;
      const threadId = (await store.read(runId))?.threadId;
      const sealed = threadId === undefined ? undefined : await readSealedThread(store, threadId);
      return sealed && { id: sealed.id, workflow: sealed.workflow, revision: sealed.revision + 1, sealed };
    },
    forget({ runId, epoch }) {
      if (threads.get(runId)?.epoch === epoch) threads.delete(runId);
    },
  };
}
