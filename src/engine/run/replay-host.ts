import type { Clock } from '../../core/ports/clock.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { EventLog } from '../journal/event-log.ts';
import { JournalHost } from '../journal/journal-host.ts';
import { Usage } from '../journal/limits.ts';
import type { StoredRun } from './stored-runs.ts';

const noLimits = {
  nodeVisits: Number.POSITIVE_INFINITY,
  modelCalls: Number.POSITIVE_INFINITY,
  toolCalls: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
  wallTimeMs: Number.POSITIVE_INFINITY,
};

/**
 * Makes a host that replays a journal and performs no work.
 *
 * @param write receives the entries that the journal lacks.
 */
export function replayHost({ record, entries }: StoredRun, clock: Clock, write: (entry: JournalEntry) => void): JournalHost {
  const stored = entries.flatMap(({ events }) => events);
  return new JournalHost({
    runId: record.id,
    threadId: record.threadId,
    startedAt: record.startedAt,
    entries,
    epoch: record.epoch,
    clock,
    log: new EventLog(() => clock.now(), stored),
    usage: new Usage(noLimits, stored),
    write,
    onlyLooks: true,
  });
}
