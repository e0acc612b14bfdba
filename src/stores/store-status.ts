import { maxCrashes, type RunStatus } from '../ports/run-store.ts';

/** What can be told of a database of runs without opening it as a store: nothing is made, and nothing is changed. */
export interface StoreStatus {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * - `missing` no such file · `empty` no tables yet · `foreign` of another program
   * - `older` brought up to date by the next process that opens it · `current` · `newer` refused by this version of the package
   */
  readonly state: 'missing' | 'empty' | 'foreign' | 'older' | 'current' | 'newer';
  /** Of the tables; absent where there are none. */
  readonly version?: number;
  /** The newest one that is known here. */
  readonly known: number;
  /** How often runs were begun, taken over or removed in a SQLite file. */
  readonly generation?: number;
  /** Of a file, its log included; of the tables and indexes on a server. */
  readonly bytes?: number;
  /** What of it is the log of a SQLite file. */
  readonly logBytes?: number;
  /** True if removed text may still be in a SQLite file: `db migrate` clears it. Absent if not. */
  readonly toScrub?: true;
  /** What follows is told of `older` and `current` tables. */
  readonly threads?: number;
  readonly runs?: Readonly<Partial<Record<RunStatus, number>>>;
  /** Of the running ones, those that are parked after three crashes. Absent: none. */
  readonly parked?: number;
  /** Of the runs that wait for somebody, the one that has waited longest. */
  readonly oldestWaiting?: WaitingRun;
}

export interface WaitingRun {
  readonly runId: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Those that stay as they are until somebody does something. */
export const waitingStatuses = "('paused', 'waiting', 'in_doubt')";

/** Condition of a parked run. */
export const parkedRuns: string = `status = 'running' AND crashes >= ${maxCrashes}`;

/** How the tables of a version stand to those that are known. */
export const stateOf = (version: number, known: number): 'older' | 'current' | 'newer' =>
  version === known ? 'current' : version < known ? 'older' : 'newer';
