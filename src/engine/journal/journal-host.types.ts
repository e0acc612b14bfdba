import type { Clock } from '../../core/ports/clock.ts';
import type { ModelBudget } from '../../core/ports/model-budget.ts';
import type { Awaitable, JournalEntry } from '../../core/ports/run-store.ts';
import type { RunInspection } from '../drive/run-inspection.ts';
import type { EventLog } from './event-log.ts';
import type { Usage } from './limits.ts';

export interface JournalHostOptions {
  readonly runId: string;
  readonly threadId?: string | undefined;
  readonly startedAt: number;
  /** The journal so far. */
  readonly entries: readonly JournalEntry[];
  /** Epoch of the lease under which this host writes. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly usage: Usage;
  /** Budget of the run's model calls. Default: none. */
  readonly budget?: ModelBudget | undefined;
  /** Owner that writes, as the store names it. */
  readonly owner?: string;
  /** True when such an owner may still be alive. */
  readonly mayLive?: (owner: string) => boolean;
  /** Called with true when nothing is at work and a short timer is pending, and with false afterwards. */
  readonly sleeps?: (asleep: boolean) => void;
  readonly write: (entry: JournalEntry) => Awaitable<void>;
  /**
   * Renews a lease that may have expired. Returns `undefined` while the lease certainly holds. Absent when no other process can have the
   * run.
   */
  readonly confirm?: (() => Promise<void> | undefined) | undefined;
  /** True for a replay that only finds the position of the run. It starts no nodes. @default false */
  readonly onlyLooks?: boolean;
  /** Observer of the run's machines. */
  readonly inspection?: RunInspection | undefined;
}
