import { type ErrorCode, toErrorInfo } from '../../core/errors/errors.ts';
import { type Awaitable, hasEnded, type RunStore, type ThreadRecord } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { hash } from '../../core/util/hash.ts';
import { structureCorrupt } from '../../engine/store/store-errors.ts';

/** Inconsistency in a store. */
export interface StoreProblem {
  readonly code: ErrorCode;
  /** Complete sentence. */
  readonly message: string;
  readonly runId?: string;
  readonly threadId?: string;
}

/** Result of a verification. */
export interface StoreVerdict {
  readonly runs: number;
  readonly entries: number;
  readonly threads: number;
  readonly problems: readonly StoreProblem[];
}

/** Number of runs per page of a list. */
const page = 500;

/**
 * Verifies a whole store without writing to it. Checks every record, every journal with its checksums, every thread with its owner, and
 * every structure of a machine. It continues after a problem. Runs may be driven meanwhile.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`, and other errors that make the store unreadable.
 * @example const { problems } = await verifyStore(store);
 */
export async function verifyStore(store: RunStore): Promise<StoreVerdict> {
  const problems: StoreProblem[] = [];
  const threads = new Set<string>();
  const structures = new Map<string, string>();
  let [runs, entries] = [0, 0];
  for (let before: string | undefined; ; ) {
    const records = await store.list({ limit: page, ...(before === undefined ? {} : { before }) });
    for (const { id, threadId, structure } of records) {
      const found = await problemOf({ runId: id }, async () => {
        if (await store.read(id)) entries += await countEntries(store, id); // the run may have been removed meanwhile
      });
      runs++;
      problems.push(...found);
      if (threadId !== undefined) threads.add(threadId);
      if (!structures.has(structure)) structures.set(structure, id);
    }
    before = records.at(-1)?.id;
    if (records.length < page) break;
  }
  for (const threadId of threads) {
    const found = await problemOf({ threadId }, () => checkOwner(store, threadId, problems));
    // skips a problem that its owner already reported
    problems.push(...found.filter(({ message }) => problems.every((known) => known.message !== message)));
  }
  for (const [structure, runId] of structures) problems.push(...(await problemOf({ runId }, () => checkStructure(store, structure))));
  return { runs, entries, threads: threads.size, problems };
}

/** Converts an error of `look` to a problem. Rethrows if the store itself cannot be read. */
async function problemOf(place: Pick<StoreProblem, 'runId' | 'threadId'>, look: () => Promise<void>): Promise<readonly StoreProblem[]> {
  try {
    await look();
    return [];
  } catch (cause) {
    const { code, message } = toErrorInfo(cause);
    if (code === 'UNKNOWN' || code === 'STORE_UNAVAILABLE' || code === 'STORE_LOST') throw cause;
    return code === 'RUN_UNKNOWN' ? [] : [{ code: code as ErrorCode, message, ...place }];
  }
}

const countEntries = async (store: RunStore, runId: string): Promise<number> =>
  (
    await unlessEncrypted(
      () => store.journal(runId),
      () => store.storage?.journal(runId),
    )
  )?.length ?? 0;

const readThread = (store: RunStore, threadId: string): Promise<ThreadRecord | undefined> =>
  unlessEncrypted(
    () => store.readThread(threadId),
    async () => (await store.storage?.readThread(threadId))?.record,
  );

/** Checking an encrypted store needs no key: its checksums cover the encrypted values. */
async function unlessEncrypted<T>(read: () => Awaitable<T>, readEncrypted: () => Awaitable<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (hasCode(cause, 'STORE_KEY_INVALID')) return readEncrypted();
    throw cause;
  }
}

/** Checks that the owner of a thread exists and has not ended. */
async function checkOwner(store: RunStore, threadId: string, problems: StoreProblem[]): Promise<void> {
  const ownerOf = async (): Promise<string | undefined> => (await readThread(store, threadId))?.activeRun;
  const runId = await ownerOf();
  if (runId === undefined) return;
  const owner = await store.read(runId);
  if (owner?.threadId === threadId && !hasEnded(owner.status)) return;
  if ((await ownerOf()) !== runId) return; // the owner has ended meanwhile
  problems.push({
    code: 'JOURNAL_CORRUPT',
    message: `The thread ${threadId} is reserved for the run ${runId}, which ${owner ? 'has ended' : 'does not exist'}. No other run can begin in it.`,
    threadId,
    runId,
  });
}

async function checkStructure(store: RunStore, name: string): Promise<void> {
  const structure = await store.readStructure(name);
  // a missing structure does no harm: the run resumes, but differences from another machine cannot be named
  if (structure && hash(canonicalJson(structure)) !== name) throw structureCorrupt(name);
}
