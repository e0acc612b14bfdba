import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import {
  hasEnded,
  type JournalEntry,
  type RunRecord,
  type RunStore,
  resultStatus,
  type StoredTurn,
  type TurnQuery,
} from '../../core/ports/run-store.ts';
import { sumUsage } from '../../core/util/add-usage.ts';
import { plainEntry } from '../../core/util/lazy-entry.ts';
import { readStart } from '../drive/start-entry.ts';
import { toPublicEvent } from '../drive/to-public-event.ts';
import { type SettledRun, toResult } from '../drive/to-result.ts';
import { runUnknown, threadUnknown } from '../store/store-errors.ts';
import { settledOf } from './active-run.ts';
import { parkedBecause } from './parking.ts';
import type { HistoryEntry, RunInfo, RunSummary, ThreadInfo, ThreadTurn, ThreadTurns } from './runtime.ts';

/** A run as stored: its record and its journal. */
export interface StoredRun {
  readonly record: RunRecord;
  readonly entries: readonly JournalEntry[];
}

export async function readRun(store: RunStore, runId: string): Promise<StoredRun> {
  for (;;) {
    const record = await store.read(runId);
    if (!record) throw runUnknown(runId);
    const entries = await store.journal(runId);
    // A driven run may grow between the two reads. A run at rest that has grown was resumed meanwhile, so read it again.
    if (record.status === 'running' || record.seq === entries.length) return { record, entries };
  }
}

export const readRunInfo = async (store: RunStore, runId: string): Promise<RunInfo> => toRunInfo(await readRun(store, runId));

function toRunInfo({ record, entries }: StoredRun): RunInfo {
  const { input, metadata, after } = readStart(record.id, entries);
  const last = entries.at(-1);
  const atRest = record.status !== 'running' && record.status !== 'queued';
  const result =
    atRest && last?.kind === 'settle' ? toResult(settledOf(last), sumUsage(entries.flatMap(({ events }) => events))) : undefined;
  const parked = parkedBecause(record, entries);
  return {
    ...toRunSummary(record),
    input,
    ...(metadata ? { metadata } : {}),
    ...(after === undefined ? {} : { after }),
    ...(result ? { result } : {}),
    ...(parked ? { parked } : {}),
  };
}

/** Converts a stored record to the one that users see, see `toResult`. */
export function toRunSummary(record: RunRecord): RunSummary {
  const status = resultStatus(record);
  return { ...record, status, ...(status === 'failed' ? { resumable: record.status === 'failed' } : {}) };
}

/** @throws {WorkflowError} `THREAD_UNKNOWN`. */
export async function readThreadInfo(store: RunStore, threadId: string): Promise<ThreadInfo> {
  const found = await store.readThread(threadId);
  if (!found) throw threadUnknown(threadId);
  const runs = await store.list({ threadId, limit: Number.MAX_SAFE_INTEGER });
  const turns: RunInfo[] = [];
  for (const { id } of [...runs].reverse()) turns.push(await readRunInfo(store, id));
  return { ...found, turns };
}

/** @throws {WorkflowError} `THREAD_UNKNOWN`. */
export async function readThreadTurns(store: RunStore, threadId: string, query: TurnQuery): Promise<ThreadTurns> {
  const { turns, ...counts } = await store.turns(threadId, query);
  if (counts.total === 0) throw threadUnknown(threadId);
  return { ...counts, turns: turns.map(toThreadTurn) };
}

function toThreadTurn(turn: StoredTurn): ThreadTurn {
  if ('damage' in turn) return { run: toRunSummary(turn.record), damage: turn.damage };
  return { run: toRunInfo(turn), entries: turn.entries.map(toHistoryEntry) };
}

/** Converts an entry of a journal to the one that users see. */
export const toHistoryEntry = (entry: JournalEntry): HistoryEntry => ({ ...plainEntry(entry), events: entry.events.map(toPublicEvent) });

/** Returns the result of a run that has ended or was suspended. `undefined` while it is queued or driven. */
export function restOf({ record, entries }: StoredRun): SettledRun<Json> | undefined {
  const { status } = record;
  if (status === 'running' || status === 'queued') return undefined;
  const last = entries.at(-1);
  const result = last?.kind === 'settle' ? settledOf(last) : undefined;
  if (result?.status === status) return result;
  if (status === 'paused') return { status }; // put back without a new entry
  throw new WorkflowError({
    code: 'JOURNAL_CORRUPT',
    message: `The run ${record.id} has the status ${status}, but its journal ends differently.`,
    hint: 'Another program has changed the store. Restore it from a backup.',
    data: { runId: record.id, status },
  });
}

/** The result of a run that has ended. @throws {WorkflowError} `JOURNAL_CORRUPT` when its record and its journal disagree. */
export function endOf(stored: StoredRun): SettledRun<Json> | undefined {
  return hasEnded(stored.record.status) ? restOf(stored) : undefined;
}

/** Returns the intent of a `once` call that has begun and whose end is unknown. */
export function intentInDoubt(entries: readonly JournalEntry[], callId: string): JournalEntry | undefined {
  const last = entries.findLast(({ key, kind }) => key === callId && (kind === 'intent' || kind === 'step' || kind === 'retry'));
  return last?.kind === 'intent' ? last : undefined;
}
