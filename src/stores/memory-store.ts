import type { JsonObject } from '../ports/json.ts';
import type { FoundThread, RunChange, RunPlace, RunStorage, StoredRun } from '../ports/run-storage.ts';
import type { JournalEntry, RunStore, ThreadRecord } from '../ports/run-store.ts';
import { matchesQuery } from './matches-query.ts';
import { type OwnerNames, runRules } from './run-rules.ts';

/** Keeps runs in this process: for tests, and for workflows that need not outlive it. */
export const memoryStore = (): RunStore => runRules(memoryStorage(), owners);

/** All owners are in this process, and whether one is at work only its renewals tell. */
const owners: OwnerNames = { nameOf: (owner) => owner, stateOf: () => 'alive' };

interface KeptRun {
  run: StoredRun;
  readonly entries: JournalEntry[];
}

function memoryStorage(): RunStorage {
  const runs = new Map<string, KeptRun>();
  const threads = new Map<string, ThreadRecord>();
  /** The runs of each thread, in their order. */
  const members = new Map<string, KeptRun[]>();
  const structures = new Map<string, JsonObject>();

  const readThread = (threadId: string, reads: RunPlace['reads'] = 'thread'): FoundThread => {
    const first = reads === 'queue' ? members.get(threadId)?.find(({ run }) => run.record.status === 'queued') : undefined;
    return { record: threads.get(threadId), firstQueued: first?.run.record.id };
  };
  const add = ({ run, entries }: RunChange): void => {
    const { id, threadId } = run.record;
    const kept = { run, entries: [...entries] };
    runs.set(id, kept);
    if (threadId === undefined) return;
    const others = members.get(threadId);
    if (others) others.push(kept);
    else members.set(threadId, [kept]);
  };

  return {
    change({ runId, threadId, reads }, decide) {
      const kept = runs.get(runId);
      const id = reads === 'run' ? undefined : (threadId ?? kept?.run.record.threadId);
      const change = decide({ run: kept?.run, thread: id === undefined ? id : readThread(id, reads) });
      if (kept) {
        kept.run = change.run;
        for (const entry of change.entries) kept.entries.push(entry);
      } else {
        add(change);
      }
      if (change.thread) threads.set(change.thread.id, change.thread);
      return change;
    },
    read: (runId) => runs.get(runId)?.run,
    journal: (runId) => runs.get(runId)?.entries.slice(),
    heads: (runIds) => runIds.flatMap((id) => runs.get(id)?.run.record ?? []),
    list(query) {
      const records = [...runs.values()].reverse().map(({ run }) => run.record);
      return records.filter((record) => matchesQuery(record, query)).slice(0, query.limit);
    },
    readThread: (threadId) => readThread(threadId),
    saveStructure(hash, structure) {
      if (!structures.has(hash)) structures.set(hash, structure);
    },
    readStructure: (hash) => structures.get(hash),
    close() {},
  };
}
