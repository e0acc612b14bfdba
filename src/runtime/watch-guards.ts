import type { AnyStateMachine } from 'xstate';
import { WorkflowError } from '../errors.ts';

/** A machine whose guards are watched. */
export interface Watched {
  readonly machine: AnyStateMachine;
  /** Does a piece of work, and throws what a guard in it threw: XState throws its text in an error of its own. */
  asThrown<T>(work: () => T): T;
}

/** The same machine, which throws what its guards throw. */
export function watchGuards(original: AnyStateMachine): Watched {
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

/** What XState throws, as it is thrown on. */
function toThrown(machine: AnyStateMachine, error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('Infinite loop detected')) return error;
  return new WorkflowError({
    code: 'ENDLESS_LOOP',
    message: `The machine "${machine.id}" took ${machine.options.maxIterations} edges in one move and did not come to rest.`,
    hint: 'Let a state of the circle of "always" and "state.done" edges run a node, wait, or end.',
    data: { machine: machine.id, microsteps: machine.options.maxIterations ?? null },
    cause: error,
  });
}
