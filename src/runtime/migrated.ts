import type { StateValue } from 'xstate';
import type { Json, JsonObject } from '../ports/json.ts';
import type { JournalEntry, RunRecord } from '../ports/run-store.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import { readStart } from './start-entry.ts';
import type { Command } from './stepper.ts';

/** What the entry that moves a run to another version of its machine says beside what the run waits for. */
export interface Migrated {
  readonly from: MachineName;
  readonly to: MachineName;
  /** The states that the run waits in, as XState names them. */
  readonly value: StateValue;
  readonly state: JsonObject;
  /** How often each state and timer had been entered, but for those that are open. */
  readonly visits: Readonly<Record<string, number>>;
  /** What sets the timers that run there; when they are due stands in `open`. */
  readonly timers: readonly Command[];
  /**
   * What is known of what is open, by its key: of a timer, when it is due, in milliseconds since 1970; of a question that was asked before,
   * the number of the outcome that the machine had been given last.
   */
  readonly open: Readonly<Record<string, number>>;
  /** What the new version offers the run. */
  readonly offer?: JsonObject;
  /** Questions that are not asked any more. */
  readonly moved: readonly string[];
}

/** A machine, as a run's record names it. */
export interface MachineName {
  readonly version: string;
  readonly structure: string;
}

/** What a drive begins with in place of the machine's input, where a migration has put its run. */
export class PlacedStart {
  readonly at: Pick<Migrated, 'value' | 'state' | 'visits' | 'timers'>;

  constructor(at: PlacedStart['at']) {
    this.at = at;
  }
}

export const migrationOf = ({ kind, outcome }: JournalEntry): Migrated | undefined =>
  kind === 'settle' ? (outcome as { readonly migrated?: Migrated }).migrated : undefined;

/**
 * What the machine of a run begins with: its input, or where a migration has put it.
 *
 * @param thread The thread's state before the run.
 */
export function machineInputOf(
  workflow: AnyWorkflow,
  { id: runId, startedAt }: Pick<RunRecord, 'id' | 'startedAt'>,
  entries: readonly JournalEntry[],
  thread: Json,
): unknown {
  const at = entries.findLast(migrationOf);
  const migrated = at && migrationOf(at);
  if (migrated) return new PlacedStart(migrated);
  const { input, grantEgress = false } = readStart(runId, entries);
  return workflow.toMachineInput(input, { runId, startedAt, thread, grantEgress });
}
