import type { Clock } from '../ports/clock.ts';
import type { Awaitable, JournalEntry } from '../ports/run-store.ts';
import type { EventLog } from './event-log.ts';
import type { Usage } from './limits.ts';
import type { RunInspection } from './run-inspection.ts';

export interface JournalHostOptions {
  readonly runId: string;
  readonly startedAt: number;
  /** The journal so far. */
  readonly entries: readonly JournalEntry[];
  /** The lease under which this host writes. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly usage: Usage;
  /** Who writes, as the store names it. */
  readonly owner?: string;
  /** Whether such an owner may still be at work. */
  readonly mayLive?: (owner: string) => boolean;
  /** Called with true when nothing is at work and a short timer is pending, and with false afterwards. */
  readonly sleeps?: (asleep: boolean) => void;
  /** Commits an entry. */
  readonly write: (entry: JournalEntry) => Awaitable<void>;
  /** Renews a lease that may have expired; `undefined` while it surely holds. Absent: nobody else can have the run. */
  readonly confirm?: (() => Promise<void> | undefined) | undefined;
  /** Begins no node: what is asked is where the journal leads to. @default false */
  readonly onlyLooks?: boolean;
  /** Who watches the run. */
  readonly inspection?: RunInspection | undefined;
}
