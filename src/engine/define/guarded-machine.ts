import type { AnyStateMachine } from 'xstate';
import { deepFreeze, freezeNew } from '../../core/util/deep-freeze.ts';
import { definitionError } from './definition-error.ts';

/** Nodes by name. */
export type Actors = AnyStateMachine['implementations']['actors'];

/** Functions of the context in a state's config. */
interface StateConfig {
  readonly context?: unknown;
  readonly output?: unknown;
  readonly invoke?: unknown;
  readonly states?: Readonly<Record<string, StateConfig>>;
}

/**
 * Returns the machine with its nodes and with wrapped functions: they receive a frozen context and their errors carry their names. Their
 * results are frozen, because the next replay would lose a change that a node makes to a question. This also holds under a plain
 * `createActor`.
 */
export function guardedMachine(machine: AnyStateMachine, actors: Actors): AnyStateMachine {
  // the machine's own class, because importing it would add all of XState to every bundle
  const Machine = machine.constructor as new (config: StateConfig, implementations: object) => AnyStateMachine;
  const { config, id, implementations } = machine;
  return new Machine(guardState(config as StateConfig, '', id), { ...implementations, actors: { ...implementations.actors, ...actors } });
}

function guardState(config: StateConfig, path: string, id: string): StateConfig {
  const { context, output, invoke, states } = config;
  const of = path === '' ? `the machine "${id}"` : `"${path}"`;
  return {
    ...config,
    ...(context === undefined ? {} : { context: guard(context, `The context of ${of}`) }),
    ...(output === undefined ? {} : { output: nameErrorsOf(output, `The output of ${of}`) }),
    ...(invoke === undefined
      ? {}
      : { invoke: Array.isArray(invoke) ? invoke.map((each) => guardInvoke(each, of)) : guardInvoke(invoke, of) }),
    ...(states
      ? {
          states: Object.fromEntries(
            Object.entries(states).map(([key, state]) => [key, guardState(state, path === '' ? key : `${path}.${key}`, id)]),
          ),
        }
      : {}),
  };
}

function guardInvoke(invoke: unknown, of: string): unknown {
  if (typeof invoke !== 'object' || invoke === null || !('input' in invoke) || invoke.input === undefined) return invoke;
  return { ...invoke, input: guard(invoke.input, `The input of the node in ${of}`) };
}

interface FunctionArgs {
  readonly context?: object;
}

/** Wraps a function: frozen context, named errors. */
function nameErrorsOf(part: unknown, what: string): unknown {
  if (typeof part !== 'function') return deepFreeze(part);
  return (args: FunctionArgs): unknown => {
    if (args.context) Object.freeze(args.context); // XState makes a new context at each merge, with frozen members
    try {
      return part(args);
    } catch (thrown) {
      throw definitionError(what, thrown);
    }
  };
}

/** The same for a function whose result nodes receive, so the result is frozen as well. */
function guard(part: unknown, what: string): unknown {
  const make = nameErrorsOf(part, what);
  if (typeof make !== 'function') return make;
  return (args: FunctionArgs): unknown => {
    const { context } = args;
    const made: unknown = make(args);
    if (made === context) return made;
    return context ? freezeNew(made, [context]) : deepFreeze(made);
  };
}
