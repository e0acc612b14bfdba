import fc from 'fast-check';
import { type ErrorCode, errorCodes } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { findMerger } from '../../engine/define/state.ts';
import { exploreMachine } from '../explore/explore-machine.ts';
import type { OutcomeClass } from '../explore/outcome-class.ts';
import { arbitraryJson } from './arbitrary-json.ts';
import { someOf } from './some-of.ts';
import type { NodeOutcome } from './tape.ts';

export interface OutcomeOptions<TInput, TState> {
  /** Inputs of the runs. Default: values of the schema of the state; without one no input, or an empty object. */
  readonly input?: fc.Arbitrary<TInput>;
  /**
   * Return values of nodes, by the path of a state or the name of its node. Default: values that guards distinguish, as proposed by
   * `exploreMachine`.
   */
  readonly patches?: { readonly [stateOrNode: string]: fc.Arbitrary<Partial<TState>> };
  /** Payloads of events, by type. Default: values of their schema, or values that their parser accepts, as proposed by `exploreMachine`. */
  readonly events?: { readonly [type: string]: fc.Arbitrary<object> };
}

/** Outcomes of each node, and events for each wait. */
export interface OutcomeArbitraries {
  readonly input: fc.Arbitrary<unknown>;
  /** @param path Path of the node's state. */
  ofNode(path: string): fc.Arbitrary<NodeOutcome>;
  ofEvent(type: string): fc.Arbitrary<HumanEvent>;
}

/**
 * Outcomes of a node: a patch, or the code of an error.
 *
 * @param stateOrNode path of its state, or the node's name.
 * @throws {WorkflowError} `OPTION_INVALID` if the machine has no such node, or no run can begin without `input`.
 * @example fc.property(arbitraryOutcome(workflow, 'write'), (outcome) => …)
 */
export function arbitraryOutcome<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  stateOrNode: string,
  options: OutcomeOptions<TInput, TState> = {},
): fc.Arbitrary<NodeOutcome> {
  const found = toGraph(workflow.machine).states.find(
    ({ path, node }) => node !== undefined && (path === stateOrNode || node === stateOrNode),
  );
  return outcomesOf(workflow as AnyWorkflow, options as OutcomeOptions<unknown, unknown>).ofNode(found?.path ?? stateOrNode);
}

/** Maximum number of places to explore for compared values; more would find no new ones. */
const maxStates = 500;

export function outcomesOf(
  workflow: AnyWorkflow,
  { input, patches = {}, events = {} }: OutcomeOptions<unknown, unknown>,
): OutcomeArbitraries {
  const inputs = input ?? inputsOf(workflow);
  const explored = exploreMachine(workflow, { maxStates, inputs: fc.sample(inputs, { numRuns: 5, seed: 1 }) });
  for (const [name, own] of [...Object.entries(patches), ...Object.entries(events)]) {
    // not instanceof: a project may have two copies of fast-check
    if (typeof own?.generate !== 'function')
      throw optionInvalid(
        `The values for "${name}" are not an arbitrary of fast-check.`,
        'Pass one, such as fc.record({ … }). A function of the state is not possible: use exploreMachine.',
      );
  }
  const nodes = new Map(explored.graph.states.flatMap(({ path, node }) => (node === undefined ? [] : [[path, node] as const])));
  const proposed = [...explored.outcomes.values()].flat().flatMap((outcome) => ('event' in outcome ? [outcome.event] : []));
  const ofNode = (path: string): fc.Arbitrary<NodeOutcome> => {
    const name = [path, nodes.get(path) ?? ''].find((key) => Object.hasOwn(patches, key));
    const own = name === undefined ? undefined : patches[name];
    const classes = (explored.outcomes.get(path) ?? []).flatMap(toOutcome);
    const errors = classes.filter((outcome) => 'error' in outcome);
    const found = own
      ? own.map((patch): NodeOutcome => ({ patch: toJson(patch, 'patch') as JsonObject }))
      : fc.constantFrom(...nonEmpty(classes.filter((outcome) => 'patch' in outcome)));
    return fc.oneof(
      { withCrossShrink: true },
      { weight: 6, arbitrary: found },
      { weight: 1, arbitrary: fc.constantFrom(...nonEmpty<NodeOutcome>(errors, { error: 'NODE_FAILED' })) },
    );
  };
  const merger = findMerger(workflow.machine);
  const isRead = (event: HumanEvent): boolean => {
    try {
      return merger?.parse(event) !== undefined;
    } catch {
      return false;
    }
  };
  const ofEvent = (type: string): fc.Arbitrary<HumanEvent> => {
    const own = Object.hasOwn(events, type) ? events[type] : undefined;
    const schema = merger?.checks?.eventSchema(type);
    const payload = own ?? (schema && (arbitraryJson(schema) as fc.Arbitrary<object>));
    const all = payload
      ? payload.map((carried) => ({ ...(toJson(carried, 'event') as JsonObject), type }))
      : fc.constantFrom(
          ...nonEmpty(
            proposed.filter((event) => event.type === type),
            { type },
          ),
        );
    return someOf(all, isRead, `no event ${type} that its parser accepts (give \`events\`)`);
  };
  return { input: inputs, ofNode: cached(ofNode), ofEvent: cached(ofEvent) };
}

function toOutcome(outcome: OutcomeClass): readonly NodeOutcome[] {
  if ('patch' in outcome) return [{ patch: toJson(outcome.patch, 'patch') as JsonObject }];
  if (!('error' in outcome)) return [];
  const code = typeof outcome.error === 'string' ? outcome.error : (outcome.error.code ?? 'NODE_FAILED');
  return [{ error: isErrorCode(code) ? code : 'NODE_FAILED' }];
}

const isErrorCode = (code: string): code is ErrorCode => (errorCodes as readonly string[]).includes(code);

const nonEmpty = <T>(values: readonly T[], fallback: T = { patch: {} } as T): readonly T[] => (values.length > 0 ? values : [fallback]);

/** Inputs that fit the schema of the state. Without one: no input, or an empty object. */
function inputsOf(workflow: AnyWorkflow): fc.Arbitrary<unknown> {
  const isInput = (value: unknown): boolean => {
    try {
      workflow.parseInput(value);
      return true;
    } catch {
      return false;
    }
  };
  const schema = findMerger(workflow.machine)?.checks?.inputSchema();
  if (!schema || Object.keys(Object(schema.properties)).length === 0) return fc.constant(isInput(undefined) ? undefined : {});
  return someOf(arbitraryJson(schema), isInput, `no input of "${workflow.id}" (give \`input\`)`);
}

function cached<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
