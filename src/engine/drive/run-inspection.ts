import type { EventObject } from 'xstate';
import type { RunResult } from './run.ts';
import type { RunnableWorkflow } from './stepper-of.ts';

/** A machine that begins to move. */
export interface InspectedDrive {
  readonly runId: string;
  readonly workflow: RunnableWorkflow;
  /** Input of the machine. */
  readonly input: unknown;
  /** `state#visit` of the node in which the machine runs. Absent for the run's own machine. */
  readonly node?: string;
}

/** Observes how the machines of runs move. `inspectRuns` of `agent-machines/inspect` makes one. Its methods must not throw. */
export interface RunInspection {
  /**
   * Called when a machine begins to move. A resumed run calls it again and then replays its journal.
   *
   * @returns a function that receives each event before the machine takes it, with the key of the work that has ended.
   */
  begin(drive: InspectedDrive): (event: EventObject & Readonly<Record<string, unknown>>, key: string) => void;
  /** Called when a run has ended or is suspended. */
  rest(runId: string, result: RunResult<unknown>): void;
}
