import type { RunStorage } from '../../core/ports/run-storage.ts';
import type { RunWatch } from '../../core/ports/run-store.ts';
import { hash } from '../../core/util/hash.ts';
import { pause } from '../../core/util/pause.ts';
import { PostgresChannel } from './database/postgres-channel.ts';
import type { PostgresDatabase } from './database/postgres-database.ts';
import type { DrivenRuns } from './postgres-optimistic-writes.ts';

export interface PostgresWatch extends Required<Pick<RunStorage, 'watch' | 'onTakenOver'>> {
  /** Notifies all watchers, here and in other processes, that a run was written to or taken over. */
  readonly notify: (runId: string, isTaken: boolean) => void;
  close(): Promise<void>;
}

/** Factor by which polling slows down while notifications arrive. It never stops, because a notification may be lost. */
const pollFactor = 10;

/** Called for each run. `undefined` means that notifications of any run may have been lost. */
type Watcher = (runId: string | undefined, isTaken: boolean) => void;

/** Sends changes with `NOTIFY` and receives those of other processes with `LISTEN`. Listening starts with the first watcher. */
export function postgresWatch(database: PostgresDatabase, schema: string, driven: DrivenRuns): PostgresWatch {
  const watchers = new Set<Watcher>();
  const notifyAll: Watcher = (runId, isTaken) => {
    for (const watcher of [...watchers]) watcher(runId, isTaken);
  };
  const channel = new PostgresChannel({
    database,
    name: `agent_machines_${hash(schema)}`,
    onText: (text) => notifyAll(text?.slice(1), text?.startsWith(taken) ?? true),
  });
  const begin = (watcher: Watcher): (() => void) => {
    watchers.add(watcher);
    channel.listen();
    return () => void watchers.delete(watcher);
  };

  return {
    notify(runId, isTaken) {
      notifyAll(runId, isTaken);
      channel.send(`${isTaken ? taken : written}${runId}`);
    },
    watch(watched): RunWatch {
      let changed = new AbortController();
      const stop = begin((runId) => {
        if (runId === undefined || runId === watched) changed.abort();
      });
      return {
        async pause(delayMs, clock, signal) {
          const waitMs = channel.isLive ? pollFactor * delayMs : delayMs;
          const ends = signal ? AbortSignal.any([signal, changed.signal]) : changed.signal;
          await pause(waitMs, clock, ends).catch(() => signal?.throwIfAborted());
          if (changed.signal.aborted) changed = new AbortController();
        },
        stop,
      };
    },
    onTakenOver: (callback) =>
      begin((runId, isTaken) => {
        if (isTaken && runId !== undefined && driven.has(runId)) callback(); // an optimization: leases are checked without it, too
      }),
    close: () => channel.close(),
  };
}

const written = '+';
const taken = '!';
