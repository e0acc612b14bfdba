import type { AnyStateMachine } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';

/** A machine with watched guards. */
export interface WatchedMachine {
  readonly machine: AnyStateMachine;
  /** Runs `work` and rethrows the original error of a guard, because XState wraps only its message in an error of its own. */
  asThrown<T>(work: () => T): T;
}

/** Returns the same machine with guards that record their errors. */
export function watchGuards(original: AnyStateMachine): WatchedMachine {
  const thrown: { readonly error: unknown }[] = [];
  const watch = (guard: unknown): unknown => {
    if (typeof guard !== 'function') return guard;
    return (args: unknown, params: unknown): unknown => {
      try {
        return guard(args, params);
      } catch (error) {
        thrown.push({ error });
        throw error;
      }
    };
  };
  const { guards } = original.implementations;
  const machine: AnyStateMachine = original.provide({
    guards: Object.fromEntries(Object.entries(guards).map(([name, guard]) => [name, watch(guard)])),
  });
  machine.options = original.options;
  return {
    machine,
    asThrown(work) {
      thrown.length = 0;
      try {
        return work();
      } catch (error) {
        const [first] = thrown;
        throw first ? first.error : toThrown(machine, error);
      }
    },
  };
}

/** Converts XState's endless-loop error to `ENDLESS_LOOP`. Returns any other error unchanged. */
function toThrown(machine: AnyStateMachine, error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('Infinite loop detected')) return error;
  return new WorkflowError({
    code: 'ENDLESS_LOOP',
    message: `The machine "${machine.id}" took ${machine.options.maxIterations} edges in one move without reaching a stable state.`,
    hint: 'Break the loop of "always" and "state.done" edges with a state that runs a node, waits or ends.',
    data: { machine: machine.id, microsteps: machine.options.maxIterations ?? null },
    cause: error,
  });
}
