import type { AnyStateMachine, MachineContext } from 'xstate';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import type { Questions } from '../define/define-workflow.ts';
import { PlacedStart } from './migrated.ts';
import type { Stepper } from './stepper.ts';
import { tableStepper } from './table-stepper.ts';
import { xstateStepper } from './xstate-stepper.ts';

/** The parts of a workflow that decide the moves of its machine. */
export interface RunnableWorkflow {
  readonly machine: AnyStateMachine;
  readonly engine?: 'xstate';
  readonly questions?: Questions<MachineContext>;
  readonly expiresInMs?: number;
  readonly guards?: readonly TextGuard[];
}

/** Engine that moves a machine, and the reason if it is not the table. */
export interface Engine {
  readonly engine: Stepper['engine'];
  /** Reason why the machine has no table. */
  readonly reason?: string;
}

interface Compiled {
  readonly stepper: Stepper;
  readonly reason?: string;
}

const steppers = new WeakMap<AnyStateMachine, Compiled>();

function compile({ machine, engine }: RunnableWorkflow): Compiled {
  const known = steppers.get(machine);
  if (known) return known;
  const table = engine === 'xstate' ? { reason: 'the workflow requires it' } : tableStepper(machine);
  const made = 'reason' in table ? { stepper: xstateStepper(machine), reason: table.reason } : { stepper: table };
  steppers.set(machine, made);
  return made;
}

/**
 * Returns the table of a workflow's machine, or XState if it has none. Compiles it once. XState starts from the position to which a
 * migration has moved a run.
 *
 * @param input Input of the machine.
 */
export const stepperOf = (workflow: RunnableWorkflow, input?: unknown): Stepper =>
  input instanceof PlacedStart ? xstateStepper(workflow.machine) : compile(workflow).stepper;

export function engineOf(workflow: RunnableWorkflow): Engine {
  const { stepper, reason } = compile(workflow);
  return { engine: stepper.engine, ...(reason === undefined ? {} : { reason }) };
}
