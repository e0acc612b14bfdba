import { type ErrorCode, toErrorInfo } from '../errors.ts';
import { hasEnded, type RunStore } from '../ports/run-store.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { hash } from '../util/hash.ts';
import { structureCorrupt } from './store-errors.ts';

/** Something in a store that does not hold. */
export interface StoreProblem {
  readonly code: ErrorCode;
  /** As a sentence. */
  readonly message: string;
  readonly runId?: string;
  readonly threadId?: string;
}

/** What was looked at, and what of it does not hold. */
export interface StoreVerdict {
  readonly runs: number;
  readonly entries: number;
  readonly threads: number;
  readonly problems: readonly StoreProblem[];
}

/** How many runs are listed at a time. */
const page = 500;

/**
 * Looks at all that a store has, and writes nothing: every record, every journal with its checksums, every thread with the run that is said
 * to own it, and the structure of every machine. It goes on behind what does not hold. Runs may be driven meanwhile.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`, and what else keeps the store from being read at all.
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
        if (await store.read(id)) entries += (await store.journal(id)).length; // it may have been removed meanwhile
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
    problems.push(...found.filter(({ message }) => problems.every((known) => known.message !== message))); // its owner's was said
  }
  for (const [structure, runId] of structures) problems.push(...(await problemOf({ runId }, () => checkStructure(store, structure))));
  return { runs, entries, threads: threads.size, problems };
}

/** What `look` throws, as a problem; a store that cannot be read has none. */
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

/** Who is said to own a thread is there, and has not ended. */
async function checkOwner(store: RunStore, threadId: string, problems: StoreProblem[]): Promise<void> {
  const ownerOf = async (): Promise<string | undefined> => (await store.readThread(threadId))?.activeRun;
  const runId = await ownerOf();
  if (runId === undefined) return;
  const owner = await store.read(runId);
  if (owner?.threadId === threadId && !hasEnded(owner.status)) return;
  if ((await ownerOf()) !== runId) return; // it has ended meanwhile
  problems.push({
    code: 'JOURNAL_CORRUPT',
    message: `The thread ${threadId} is said to belong to the run ${runId}, which ${owner ? 'has ended' : 'is not there'}: no other can begin in it.`,
    threadId,
    runId,
  });
}

async function checkStructure(store: RunStore, name: string): Promise<void> {
  const structure = await store.readStructure(name);
  // without it a run goes on, and only what differs from another machine cannot be named
  if (structure && hash(canonicalJson(structure)) !== name) throw structureCorrupt(name);
}
