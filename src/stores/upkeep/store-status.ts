import type { StoreVersions } from '../../core/errors/store-too-old.ts';
import { maxCrashes, type RunStatus } from '../../core/ports/run-store.ts';

/** Status of a database of runs, read without opening it as a store. Nothing is created or changed. */
export interface StoreStatus {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * - `missing` no such file · `empty` no tables yet · `foreign` belongs to another program
   * - `older` migrated by the next process that opens it · `current`
   * - `unsupported` too old, `newer` too new: both rejected by this version of the package
   */
  readonly state: 'missing' | 'empty' | 'foreign' | 'unsupported' | 'older' | 'current' | 'newer';
  /** Version of the tables. Absent without tables. */
  readonly version?: number;
  /** Newest version that this package supports. */
  readonly known: number;
  /** Number of times that runs were created, taken over or removed in a SQLite file. */
  readonly generation?: number;
  /** Size of a file with its log, or of a server's tables and indexes, in bytes. */
  readonly bytes?: number;
  /** Size of a SQLite file's log, in bytes. Included in `bytes`. */
  readonly logBytes?: number;
  /** True if removed text may still be in a SQLite file. `db migrate` clears it. Absent otherwise. */
  readonly toScrub?: true;
  /** Number of threads. This field and the following ones exist for `older` and `current` tables. */
  readonly threads?: number;
  readonly runs?: Readonly<Partial<Record<RunStatus, number>>>;
  /** Number of running runs that are parked after three crashes. Absent if none. */
  readonly parked?: number;
  /** Run that has waited longest for an action of a user. */
  readonly oldestWaiting?: WaitingRun;
}

export interface WaitingRun {
  readonly runId: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Statuses that change only by an action of a user. */
export const waitingStatuses = "('paused', 'waiting', 'in_doubt')";

/** SQL condition of a parked run. */
export const parkedRuns: string = `status = 'running' AND crashes >= ${maxCrashes}`;

/** Compares the version of tables with the supported ones. */
export function stateOf(found: number, { oldest, version }: StoreVersions): 'unsupported' | 'older' | 'current' | 'newer' {
  if (found === version) return 'current';
  if (found > version) return 'newer';
  return found < oldest ? 'unsupported' : 'older';
}
