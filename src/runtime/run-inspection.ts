import type { EventObject } from 'xstate';
import type { RunResult } from './run.ts';
import type { RunnableWorkflow } from './stepper-of.ts';

/** A machine that begins to move. */
export interface InspectedDrive {
  readonly runId: string;
  readonly workflow: RunnableWorkflow;
  /** What the machine is given. */
  readonly input: unknown;
  /** `state#visit` of the node in which the machine runs; absent for the run's own. */
  readonly node?: string;
}

/** Is told how the machines of runs move. `inspectRuns` of `agent-machines/inspect` makes one. No method may throw. */
export interface RunInspection {
  /**
   * A machine begins to move. It does so again when its run is resumed, and goes through its journal then.
   *
   * @returns what is told each event before the machine takes it, with the key of what has ended.
   */
  begin(drive: InspectedDrive): (event: EventObject & Readonly<Record<string, unknown>>, key: string) => void;
  /** A run has ended, or is suspended. */
  rest(runId: string, result: RunResult<unknown>): void;
}
