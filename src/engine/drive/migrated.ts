import type { StateValue } from 'xstate';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry, RunRecord } from '../../core/ports/run-store.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { readStart } from './start-entry.ts';
import type { Command } from './stepper.ts';

/** Content of the entry that moves a run to another version of its machine, apart from the open interrupts and timers. */
export interface Migrated {
  readonly from: MachineName;
  readonly to: MachineName;
  /** States that the run waits in, as XState names them. */
  readonly value: StateValue;
  readonly state: JsonObject;
  /** Number of visits of each state and timer, without the open ones. */
  readonly visits: Readonly<Record<string, number>>;
  /** Commands that set the running timers. `open` holds the times at which they are due. */
  readonly timers: readonly Command[];
  /**
   * Number for each open timer or question, by key. For a timer: the time at which it is due, in milliseconds since 1970. For a question
   * that was asked before: the number of the last outcome that the machine had received.
   */
  readonly open: Readonly<Record<string, number>>;
  /** Offer of the new version to the run. */
  readonly offer?: JsonObject;
  /** Ids of the questions that are no longer asked. */
  readonly moved: readonly string[];
}

/** A machine, as a run's record identifies it. */
export interface MachineName {
  readonly version: string;
  readonly structure: string;
}

/** Start of a drive after a migration, in place of the machine's input. */
export class PlacedStart {
  readonly at: Pick<Migrated, 'value' | 'state' | 'visits' | 'timers'>;

  constructor(at: PlacedStart['at']) {
    this.at = at;
  }
}

export const migrationOf = ({ kind, outcome }: JournalEntry): Migrated | undefined =>
  kind === 'settle' ? (outcome as { readonly migrated?: Migrated }).migrated : undefined;

/**
 * Returns the input of a run's machine, or its position after a migration.
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
