import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RunRecord, RunStore, ThreadRecord } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { type EncryptOptions, isSealed, type KeyRing, openKeyRing, sealingKeyOf } from '../../core/util/key-ring.ts';
import { isSealedValue, writersOf } from '../../engine/store/store-key.ts';
import { storageOf } from '../upkeep/storage-of.ts';
import { encryptedStores } from './encrypted-store.ts';
import { isCancellation, openEntries, sealEntry, sealTitle } from './sealed-entries.ts';
import { sealedThreads } from './sealed-threads.ts';
import { keyNoteText, readKeyState, readNote, replaceNote } from './store-vault.ts';

/** Result of `rekeyStore`. */
export interface RekeyReport {
  /** Runs and threads whose values were encrypted anew. */
  readonly runs: number;
  readonly threads: number;
  /** Runs that a process drives. While there are any, the older keys stay necessary: run `rekeyStore` again later. */
  readonly driven: number;
}

/** Number of runs per page of a list. */
const page = 500;
/** Maximum number of attempts when a run or thread changes meanwhile. */
const maxAttempts = 10;

/**
 * Encrypts all values of a store with `key`: those of `previous` keys, and clear text. Each run and each thread is one transaction. After an
 * interruption, call it again: it skips what is done. From its first write on, only `key` may start or take over runs. At the end the text
 * that was replaced is gone from the files of the store.
 *
 * @param store the store itself, without `encrypt`.
 * @throws {WorkflowError} `STORE_KEY_INVALID` if a key of the store is missing; `OPTION_INVALID` for a store without notes or `rewrite`.
 * @example const { driven } = await rekeyStore(sqliteStore({ path: 'agents.db' }), { key, previous: [oldKey] });
 */
export async function rekeyStore(store: RunStore, options: EncryptOptions): Promise<RekeyReport> {
  const ring = await openKeyRing(options);
  const { storage, rewrite } = rekeyable(store);
  const acceptsClear = await claimStore(store, ring);
  const context: Rekeying = { store, storage, rewrite, ring, acceptsClear };
  const threadIds = new Map<string, string>();
  const report = { runs: 0, threads: 0, driven: 0 };
  for (let before: string | undefined; ; ) {
    const records = await storage.list({ limit: page, ...(before === undefined ? {} : { before }) });
    for (const { id, threadId } of records) {
      const outcome = await rekeyRun(context, id);
      if (outcome === 'rewritten') report.runs++;
      if (outcome === 'driven') report.driven++;
      if (threadId !== undefined) threadIds.set(threadId, id);
    }
    before = records.at(-1)?.id;
    if (records.length < page) break;
  }
  for (const [threadId, runId] of threadIds) if (await rekeyThread(context, threadId, runId)) report.threads++;
  if (report.driven > 0) return report;
  await storage.remove([], () => {}); // clears replaced text from the files
  const found = await readNote(store);
  if (found !== undefined) await replaceNote(store, found, await keyNoteText(ring, [ring.id], { previous: [], clear: false }));
  return report;
}

interface Rekeying {
  readonly store: RunStore;
  readonly storage: RunStorage;
  readonly rewrite: Required<RunStorage>['rewrite'];
  readonly ring: KeyRing;
  readonly acceptsClear: boolean;
}

function rekeyable(store: RunStore): Pick<Rekeying, 'storage' | 'rewrite'> {
  const storage = storageOf(store);
  if (encryptedStores.has(store))
    throw optionInvalid('The store is already opened with a key.', 'Pass the store without `encrypt`.', 'store');
  if (storage.note && storage.rewrite) return { storage, rewrite: storage.rewrite.bind(storage) };
  throw optionInvalid(
    'The storage has no `rewrite`, so its keys cannot be replaced.',
    'Export the runs, and import them into a new store.',
    'store',
  );
}

/** Makes the key the only one that may write. Returns true if values may be in clear text. */
async function claimStore(store: RunStore, ring: KeyRing): Promise<boolean> {
  for (;;) {
    const found = await readNote(store);
    const state = found === undefined ? { previous: [], clear: true } : await readKeyState(ring, found);
    const older = [...writersOf(found), ...state.previous].filter((id) => id !== ring.id);
    const text = await keyNoteText(ring, [ring.id], { previous: [...new Set(older)], clear: state.clear });
    if (await replaceNote(store, found, text)) return state.clear;
  }
}

async function rekeyRun(context: Rekeying, runId: string): Promise<'same' | 'rewritten' | 'driven'> {
  const { store, storage, rewrite, ring, acceptsClear } = context;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const run = await storage.read(runId);
    const entries = run && (await storage.journal(runId));
    if (!entries || entries.every((entry) => isOf(ring, entry))) return 'same';
    if (run.lease && store.mayLive(run.lease.owner)) return 'driven';
    if (entries.length !== run.record.seq) continue;
    const opened = await openEntries(ring, runId, entries, acceptsClear);
    const sealed = await Promise.all(opened.map((entry, index) => keptOrSealed(ring, run.record, entry, entries[index])));
    if (await rewrite(run.record, sealed, ring.id)) return 'rewritten';
  }
  return 'driven';
}

const isOf = (ring: KeyRing, entry: JournalEntry): boolean =>
  isCancellation(entry) || (isSealedValue(entry.outcome) && sealingKeyOf(entry.outcome.$enc) === ring.id);

const keptOrSealed = async (
  ring: KeyRing,
  { id }: RunRecord,
  opened: JournalEntry,
  stored: JournalEntry | undefined,
): Promise<JournalEntry> => (stored && isOf(ring, stored) ? stored : sealEntry(ring, id, opened));

/** Returns true if the thread was rewritten. */
async function rekeyThread({ storage, ring, acceptsClear }: Rekeying, threadId: string, runId: string): Promise<boolean> {
  const place = { runId, reads: 'thread', keyId: ring.id } as const;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { record } = await storage.readThread(threadId);
    if (!record || keysOf(record).every((id) => id === ring.id)) return false;
    const threads = sealedThreads(ring);
    const { state, title } = await threads.open(record, acceptsClear);
    const isNew = record.revision === 0 && record.state === null;
    const sealed: ThreadRecord = {
      ...record,
      state: isNew ? state : await threads.seal(record, state, undefined),
      ...(title === undefined ? {} : { title: await sealTitle(ring, threadId, title) }),
    };
    let isWritten = false;
    await storage.change(place, ({ run, thread }) => {
      if (!run) throw optionInvalid(`The run ${runId} was removed.`, 'Call rekeyStore again.');
      isWritten = thread?.record !== undefined && isSame(thread.record, record);
      const owner = thread?.record?.activeRun;
      const { activeRun: _, ...rest } = sealed;
      return { run, entries: [], ...(isWritten ? { thread: { ...rest, ...(owner === undefined ? {} : { activeRun: owner }) } } : {}) };
    });
    if (isWritten) return true;
  }
  return false;
}

const isSame = ({ activeRun: _, ...one }: ThreadRecord, { activeRun: __, ...other }: ThreadRecord): boolean =>
  canonicalJson({ ...one }) === canonicalJson({ ...other });

/** Ids of the keys of a thread's values; `''` for clear text. */
function keysOf({ state, title, revision }: ThreadRecord): readonly string[] {
  const ofTitle = title === undefined ? [] : [isSealed(title) ? sealingKeyOf(title) : ''];
  if (!isSealedValue(state)) return revision === 0 && state === null ? ofTitle : ['', ...ofTitle];
  const texts = Object.values(state as Readonly<Record<string, unknown>>).flat();
  return [...texts.map((text) => (isSealed(text) ? sealingKeyOf(text) : '')), ...ofTitle];
}
