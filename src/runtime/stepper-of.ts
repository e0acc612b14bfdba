import type { AnyStateMachine, MachineContext } from 'xstate';
import type { Questions } from '../workflow/define-workflow.ts';
import { PlacedStart } from './migrated.ts';
import type { Stepper } from './stepper.ts';
import { tableStepper } from './table-stepper.ts';
import { xstateStepper } from './xstate-stepper.ts';

/** A workflow, as far as it decides what moves its machine. */
export interface RunnableWorkflow {
  readonly machine: AnyStateMachine;
  readonly engine?: 'xstate';
  readonly questions?: Questions<MachineContext>;
  readonly expiresInMs?: number;
}

/** What moves a machine, and why it is not the table when it is not. */
export interface Engine {
  readonly engine: Stepper['engine'];
  /** Why the machine has no table. */
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
  const table = engine === 'xstate' ? { reason: 'the workflow asks for it' } : tableStepper(machine);
  const made = 'reason' in table ? { stepper: xstateStepper(machine), reason: table.reason } : { stepper: table };
  steppers.set(machine, made);
  return made;
}

/**
 * The table of a workflow's machine, or XState where it has none; compiled once. XState goes on from where a migration has put a run.
 *
 * @param input What the machine begins with.
 */
export const stepperOf = (workflow: RunnableWorkflow, input?: unknown): Stepper =>
  input instanceof PlacedStart ? xstateStepper(workflow.machine) : compile(workflow).stepper;

/** Which engine moves a workflow's machine. */
export function engineOf(workflow: RunnableWorkflow): Engine {
  const { stepper, reason } = compile(workflow);
  return { engine: stepper.engine, ...(reason === undefined ? {} : { reason }) };
}
