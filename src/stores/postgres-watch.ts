import type { RunStorage } from '../ports/run-storage.ts';
import type { RunWatch } from '../ports/run-store.ts';
import { PostgresChannel } from '../postgres/postgres-channel.ts';
import type { PostgresDatabase } from '../postgres/postgres-database.ts';
import { hash } from '../util/hash.ts';
import { pause } from '../util/pause.ts';
import type { DrivenRuns } from './postgres-guesses.ts';

export interface PostgresWatch extends Required<Pick<RunStorage, 'watch' | 'onTakenOver'>> {
  /** Says to all who watch, here and in other processes, that a run was written to, or was taken from whoever had it. */
  readonly tell: (runId: string, isTaken: boolean) => void;
  close(): Promise<void>;
}

/** How much less often it is looked for what is told: something may be missed. */
const rarely = 10;

/** Is told of each run. `undefined`: of each of them something may have been missed. */
type Watcher = (runId: string | undefined, isTaken: boolean) => void;

/** Tells of changes by `NOTIFY`, and learns of those of others by `LISTEN`, from the first who watches on. */
export function postgresWatch(database: PostgresDatabase, schema: string, driven: DrivenRuns): PostgresWatch {
  const watchers = new Set<Watcher>();
  const tellAll: Watcher = (runId, isTaken) => {
    for (const watcher of [...watchers]) watcher(runId, isTaken);
  };
  const channel = new PostgresChannel({
    database,
    name: `agent_machines_${hash(schema)}`,
    heard: (text) => tellAll(text?.slice(1), text?.startsWith(taken) ?? true),
  });
  const begin = (watcher: Watcher): (() => void) => {
    watchers.add(watcher);
    channel.listen();
    return () => void watchers.delete(watcher);
  };

  return {
    tell(runId, isTaken) {
      tellAll(runId, isTaken);
      channel.send(`${isTaken ? taken : written}${runId}`);
    },
    watch(watched): RunWatch {
      let changed = new AbortController();
      const stop = begin((runId) => {
        if (runId === undefined || runId === watched) changed.abort();
      });
      return {
        async pause(delayMs, clock, signal) {
          const waitMs = channel.isLive ? rarely * delayMs : delayMs;
          const ends = signal ? AbortSignal.any([signal, changed.signal]) : changed.signal;
          await pause(waitMs, clock, ends).catch(() => signal?.throwIfAborted());
          if (changed.signal.aborted) changed = new AbortController();
        },
        stop,
      };
    },
    onTakenOver: (callback) =>
      begin((runId, isTaken) => {
        if (isTaken && runId !== undefined && driven.has(runId)) callback(); // without it, leases are looked at all the same
      }),
    close: () => channel.close(),
  };
}

const written = '+';
const taken = '!';
