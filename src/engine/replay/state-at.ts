import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { RunStore } from '../../core/ports/run-store.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf, migrationOf } from '../drive/migrated.ts';
import type { Move } from '../drive/stepper.ts';
import { stepperOf } from '../drive/stepper-of.ts';
import { endsWait } from '../journal/journal-index.ts';
import { readRun, type StoredRun } from '../run/stored-runs.ts';
import { threadBefore } from '../run/thread-state.ts';
import { assertSameMachine, tapeHost } from './tape-host.ts';

export interface StateAtOptions {
  readonly store: RunStore;
  readonly runId: string;
  /** Workflow that the run was started with. */
  readonly workflow: AnyWorkflow;
  /** Number of the last journal entry to include. @default the last one */
  readonly seq?: number | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

/** Position and state of a run at an entry of its journal. */
export interface StateAt {
  /** Paths of the active states, innermost ones only. */
  readonly position: readonly string[];
  readonly state: JsonObject;
}

/**
 * Returns the position and state of a run after an entry of its journal. Executes no nodes and writes nothing.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE` for another workflow than the run's.
 */
export async function stateAt({ store, runId, workflow, seq, clock = systemClock }: StateAtOptions): Promise<StateAt> {
  const stored = await readRun(store, runId);
  assertSameMachine(stored, workflow);
  const { record, entries } = stored;
  const known = seq === undefined ? entries : entries.slice(0, seq);
  const outcomes = new Map(known.filter(({ kind }) => endsWait(kind)).map((entry) => [entry.key, entry]));
  if (known.findLastIndex(migrationOf) < entries.findLastIndex(migrationOf)) throw beforeMigration(stored);
  const thread = (await threadBefore(store, clock, workflow, stored)) ?? workflow.thread?.initial ?? null;
  const machineInput = machineInputOf(workflow, record, entries, thread);
  const stepper = stepperOf(workflow, machineInput);
  let at: Move = stepper.begin(machineInput);
  const tape = tapeHost(stored, outcomes, clock, {
    begin:
      ({ node }) =>
      (event) => {
        // copy the event, because the merger remembers events by identity
        if (node === undefined) at = stepper.move(at.position, { ...event }) ?? at;
      },
    rest: () => {},
  });
  await drive(workflow, machineInput, tape.host).catch(() => {}); // ends with an error when the journal ends or the run has failed
  await tape.ended().catch(() => {});
  return { position: at.position.where.split('|'), state: at.position.state };
}

const beforeMigration = ({ record }: StoredRun): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_OF_OTHER_MACHINE',
    message: `The run ${record.id} had an earlier version at this entry, and moved to ${record.version} later.`,
    hint: 'Choose the entry of its migration, or a later one.',
    data: { runId: record.id, version: record.version },
  });
