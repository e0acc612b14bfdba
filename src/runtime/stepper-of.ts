import type { AnyStateMachine } from 'xstate';
import type { Stepper } from './stepper.ts';
import { tableStepper } from './table-stepper.ts';
import { xstateStepper } from './xstate-stepper.ts';

/** What moves a machine, and why it is not the table when it is not. */
export interface Engine {
  readonly engine: Stepper['engine'];
  /** Why the machine has no table. */
  readonly reason?: string;
}

const steppers = new WeakMap<AnyStateMachine, { readonly stepper: Stepper; readonly reason?: string }>();

function compile(machine: AnyStateMachine): { readonly stepper: Stepper; readonly reason?: string } {
  const known = steppers.get(machine);
  if (known) return known;
  const table = tableStepper(machine);
  const made = 'reason' in table ? { stepper: xstateStepper(machine), reason: table.reason } : { stepper: table };
  steppers.set(machine, made);
  return made;
}

/** The machine's table, or XState where it has none; compiled once. */
export const stepperOf = (machine: AnyStateMachine): Stepper => compile(machine).stepper;

/** Which engine moves a machine. */
export function engineOf(machine: AnyStateMachine): Engine {
  const { stepper, reason } = compile(machine);
  return { engine: stepper.engine, ...(reason === undefined ? {} : { reason }) };
}
