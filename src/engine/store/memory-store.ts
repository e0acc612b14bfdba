import type { JsonObject } from '../../core/ports/json.ts';
import type { FoundRun, FoundThread, RunChange, RunPlace, RunStorage, StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RunRating, RunRecord, RunStore, ThreadRecord } from '../../core/ports/run-store.ts';
import { lazyStores, plainEntry } from '../../core/util/lazy-entry.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { findRecords, isSamePlace } from './matches-query.ts';
import { notePage, pageOf } from './note-page.ts';
import { notesOfPlaces } from './run-notes.ts';
import { advancedRecord, type OwnerNames, runRules } from './run-rules.ts';
import { assertWriter, encryptionNote } from './store-key.ts';

/** Stores runs in memory: for tests, and for workflows that need not survive the process. */
export const memoryStore = (): RunStore => {
  const store = runRules(memoryStorage(), owners);
  lazyStores.add(store);
  return store;
};

/** All owners are in this process, so only lease renewals show whether an owner works. */
const owners: OwnerNames = { nameOf: (owner) => owner, stateOf: () => 'alive' };

interface MemoryRun {
  run: StoredRun;
  readonly entries: JournalEntry[];
  /** Set when the run has more entries than its record counts. `advancedRecord` needs it to update the record on the next read. */
  activeMs?: number | undefined;
  rating?: RunRating | undefined;
}

/** Returns the run with an updated record. */
function runOf(stored: MemoryRun): StoredRun {
  const { run, entries, activeMs } = stored;
  const last = entries.at(-1);
  if (activeMs !== undefined && last) stored.run = { ...run, record: advancedRecord(run.record, last, activeMs) };
  stored.activeMs = undefined;
  return stored.run;
}

const drivenOf = (runs: ReadonlyMap<string, MemoryRun>): Pick<FoundRun, 'driven'> => ({
  driven: [...runs.values()].map(runOf).filter(({ record }) => record.status === 'running'),
});

const newestFirst = (runs: ReadonlyMap<string, MemoryRun>): readonly RunRecord[] =>
  [...runs.values()].reverse().map((stored) => runOf(stored).record);

function memoryStorage(): RunStorage {
  const runs = new Map<string, MemoryRun>();
  const threads = new Map<string, ThreadRecord>();
  /** Runs of each thread, in creation order. */
  const members = new Map<string, MemoryRun[]>();
  const notes = new Map<string, string>();
  const assertKey: KeyCheck = (keyId) => assertWriter(notes.get(encryptionNote), keyId);

  const readThread = (threadId: string, reads: RunPlace['reads'] = 'thread'): FoundThread => {
    const first = reads === 'queue' ? members.get(threadId)?.find(({ run }) => run.record.status === 'queued') : undefined;
    return { record: threads.get(threadId), firstQueued: first?.run.record.id };
  };
  return {
    change({ runId, threadId, reads, driven, keyId }, decide) {
      assertKey(keyId);
      const stored = runs.get(runId);
      const id = reads === 'run' ? undefined : (threadId ?? stored?.run.record.threadId);
      const thread = id === undefined ? id : readThread(id, reads);
      const change = decide({ run: stored && runOf(stored), thread, ...(driven ? drivenOf(runs) : {}) });
      if (stored) {
        stored.run = change.run;
        for (const entry of change.entries) stored.entries.push(entry);
      } else {
        addRun(runs, members, change);
      }
      if (change.thread) threads.set(change.thread.id, change.thread);
      return change;
    },
    advance({ runId, epoch }, entry, activeMs) {
      const stored = runs.get(runId);
      const record = stored?.run.record;
      if (record?.status !== 'running' || record.epoch !== epoch || entry.seq - 1 !== stored?.entries.length) return false;
      stored.entries.push(entry);
      stored.activeMs = activeMs;
      return true;
    },
    read(runId) {
      const stored = runs.get(runId);
      return stored && runOf(stored);
    },
    journal: (runId) => runs.get(runId)?.entries.map(plainEntry),
    heads: (runIds) => runIds.flatMap((id) => runs.get(id)?.run.record ?? []), // status and epoch are always current
    list: (query) => findRecords(newestFirst(runs), query),
    readThread: (threadId) => readThread(threadId),
    remove(places, decide) {
      const removed = places.flatMap((place) => {
        const found = 'runId' in place ? [runs.get(place.runId)] : (members.get(place.threadId) ?? []);
        const stored = found.flatMap((one) => one ?? []);
        decide(
          place,
          stored.map((one) => runOf(one).record),
        );
        return stored;
      });
      const ids = removed.map(({ run }) => run.record.id);
      for (const stored of removed) {
        const { id, threadId = '' } = stored.run.record;
        runs.delete(id);
        members.set(threadId, members.get(threadId)?.filter((other) => other !== stored) ?? []);
      }
      for (const place of places) if ('threadId' in place) threads.delete(place.threadId);
      for (const name of notesOfPlaces(places, ids)) notes.delete(name);
      return removed.length;
    },
    ...keepStructures(assertKey),
    ...notesIn(notes),
    ...rewriteIn(runs, assertKey),
    ...ratingsIn(runs),
    close() {},
  };
}

function addRun(runs: Map<string, MemoryRun>, members: Map<string, MemoryRun[]>, { run, entries }: RunChange): void {
  const { id, threadId } = run.record;
  const stored = { run, entries: [...entries] };
  runs.set(id, stored);
  if (threadId === undefined) return;
  const others = members.get(threadId);
  if (others) others.push(stored);
  else members.set(threadId, [stored]);
}

type KeyCheck = (keyId: string | undefined) => void;

function keepStructures(assertKey: KeyCheck): Pick<RunStorage, 'saveStructure' | 'readStructure'> {
  const structures = new Map<string, JsonObject>();
  return {
    saveStructure(hash, structure, keyId) {
      assertKey(keyId);
      if (!structures.has(hash)) structures.set(hash, structure);
    },
    readStructure: (hash) => structures.get(hash),
  };
}

function notesIn(notes: Map<string, string>): Required<Pick<RunStorage, 'note' | 'notes'>> {
  const startedAt = systemClock.now() - systemClock.monotonic(); // a wall clock that is set forward would open a new window of a rate
  return {
    note(name, decide) {
      const decision = decide(notes.get(name), startedAt + systemClock.monotonic());
      if (decision.text === undefined) notes.delete(name);
      else notes.set(name, decision.text);
      return decision;
    },
    notes(query) {
      const rows = Array.from(notes, ([name, text]) => ({ name, text }));
      return pageOf(rows, notePage(query));
    },
  };
}

const rewriteIn = (runs: ReadonlyMap<string, MemoryRun>, assertKey: KeyCheck): Pick<RunStorage, 'rewrite'> => ({
  rewrite(record, entries, keyId) {
    assertKey(keyId);
    const stored = runs.get(record.id);
    if (!stored || !isSamePlace(runOf(stored).record, record)) return false;
    stored.entries.splice(0, stored.entries.length, ...entries);
    return true;
  },
});

const ratingsIn = (runs: ReadonlyMap<string, MemoryRun>): Pick<RunStorage, 'rate' | 'ratings'> => ({
  rate(runId, rating) {
    const stored = runs.get(runId);
    if (stored) stored.rating = rating;
    return stored !== undefined;
  },
  ratings: (runIds) =>
    new Map(
      runIds.flatMap((id): readonly (readonly [string, RunRating])[] => {
        const rating = runs.get(id)?.rating;
        return rating === undefined ? [] : [[id, rating]];
      }),
    ),
});
