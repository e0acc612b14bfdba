import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { RunRecord, StoredTurn, StoredTurns } from '../../core/ports/run-store.ts';

type Query = Parameters<NonNullable<RunStorage['turns']>>[1];

/** Reads runs of a thread from a storage that cannot find them alone: lists all of its records. */
export async function readTurns(storage: RunStorage, threadId: string, { order, limit, beyond }: Query): Promise<StoredTurns> {
  const newest = await storage.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
  const records = order === 'newest' ? newest : newest.toReversed();
  const place = beyond === undefined ? -1 : records.findIndex(({ id }) => id === beyond);
  if (beyond !== undefined && place < 0) return { total: records.length, skipped: records.length, turns: [] };
  const skipped = place + 1;
  const turns: StoredTurn[] = [];
  for (const record of records.slice(skipped, skipped + limit)) {
    const turn = await readTurn(record, () => storage.journal(record.id));
    if (turn) turns.push(turn);
  }
  return { total: records.length, skipped, turns };
}

/** Reads the journal of a run; `undefined` for a run that was removed meanwhile. Damage hides only the run that has it. */
async function readTurn(record: RunRecord, read: () => ReturnType<RunStorage['journal']>): Promise<StoredTurn | undefined> {
  try {
    const entries = await read();
    return entries && { record, entries };
  } catch (error) {
    return damagedTurn(record, error);
  }
}

/** @throws every error that is not damage of this run. */
export function damagedTurn(record: RunRecord, error: unknown): StoredTurn {
  if (WorkflowError.isInstance(error) && (error.code === 'JOURNAL_CORRUPT' || error.code === 'JOURNAL_MISSING'))
    return { record, damage: toErrorInfo(error) };
  throw error;
}
