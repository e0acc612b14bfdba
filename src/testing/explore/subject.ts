import type { AnyStateMachine, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { standardJsonSchema } from '../../core/schema/standard-json-schema.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { type MachineGraph, toGraph, waitingStates } from '../../engine/define/graph.ts';
import { handlerOf, type NodeHandler } from '../../engine/define/node.ts';
import { findMerger, type Merger } from '../../engine/define/state.ts';
import type { Move, Stepper } from '../../engine/drive/stepper.ts';
import { guardsOf, type NamedGuard } from './guard-texts.ts';
import type { OutcomeClass, OutcomeFunction, Outcomes } from './outcome-class.ts';
import { everyEdgeOf, startsOf } from './starts.ts';

/** A machine under exploration. */
export interface Subject {
  readonly workflow: AnyWorkflow;
  readonly machine: AnyStateMachine;
  readonly graph: MachineGraph;
  readonly merger: Merger | undefined;
  readonly stepper: Stepper;
  /** Starts with the inputs of the options, at least one. */
  readonly starts: readonly Move[];
  /** State of the first start. */
  readonly sample: MachineContext;
  /** Guards that some edge asks. */
  readonly guards: readonly NamedGuard[];
  /** Given outcomes by path. */
  readonly given: ReadonlyMap<string, Outcomes>;
  /** All given outcomes that do not depend on the state. */
  readonly listed: readonly OutcomeClass[];
  /** All functions of the state that give outcomes. */
  readonly functions: readonly OutcomeFunction[];
  /** Handlers by path. */
  readonly handlers: ReadonlyMap<string, NodeHandler<MachineContext>>;
  /** Accepted event types by the path of the waiting state. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  /** Schema of the state; without properties for a state without a schema. */
  readonly schema: JsonObject;
  /** Declared schemas of the patches of nodes, by path. */
  readonly returns: ReadonlyMap<string, JsonObject>;
}

interface SubjectOptions {
  readonly inputs?: readonly unknown[] | undefined;
  readonly outcomes?: Readonly<Record<string, Outcomes>> | undefined;
}

/** @throws {WorkflowError} `OPTION_INVALID` for outcomes of an unknown state, or if no run can begin with the inputs. */
export function toSubject(workflow: AnyWorkflow, { inputs, outcomes = {} }: SubjectOptions): Subject {
  const { machine } = workflow;
  const graph = toGraph(machine);
  const merger = findMerger(machine);
  const stepper = everyEdgeOf(workflow);
  const given = givenOutcomes(graph, outcomes);
  const starts = startsOf(workflow, stepper, inputs);
  const asked = new Set(graph.states.flatMap(({ edges }) => edges.flatMap(({ guard }) => guard ?? [])));
  const handlers = new Map<string, NodeHandler<MachineContext>>();
  for (const { path, node } of graph.states) {
    const handler = node === undefined ? undefined : handlerOf(machine.implementations.actors[node]);
    if (handler) handlers.set(path, handler);
  }
  const returns = new Map<string, JsonObject>();
  for (const { path, node } of graph.states) {
    const declared = node === undefined ? undefined : workflow.returns?.[node];
    if (declared) returns.set(path, standardJsonSchema(declared));
  }
  return {
    workflow,
    machine,
    graph,
    merger,
    stepper,
    starts,
    sample: starts[0]?.position.state ?? {},
    guards: [...guardsOf(machine).values()].filter(({ name }) => asked.has(name)),
    given,
    listed: [...given.values()].flatMap((each) => (typeof each === 'function' ? [] : each)),
    functions: [...given.values()].filter((each) => typeof each === 'function'),
    handlers,
    waits: new Map([...waitingStates(machine).values()].map(({ path, accepts }) => [path, accepts])),
    schema: merger?.checks?.stateSchema() ?? {},
    returns,
  };
}

/**
 * Returns the given outcomes by the paths of states.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a name that is neither a node nor a state with a node or a wait.
 */
function givenOutcomes({ id, states }: MachineGraph, outcomes: Readonly<Record<string, Outcomes>>): ReadonlyMap<string, Outcomes> {
  const given = new Map<string, Outcomes>();
  for (const [name, each] of Object.entries(outcomes)) {
    const named = states.filter(({ node }) => node === name);
    const placed = states.filter(({ path, node, kind }) => path === name && (node !== undefined || kind === 'waiting'));
    if (named.length + placed.length === 0) throw unknownState(id, name);
    for (const { path } of named) if (!given.has(path)) given.set(path, each);
    for (const { path } of placed) given.set(path, each); // the path of a state takes precedence over the name of its node
  }
  return given;
}

const unknownState = (machine: string, name: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The machine "${machine}" has no node and no waiting state "${name}".`,
    hint: 'Name outcomes by the path of a state, such as "review", or by the name of a node.',
    data: { name },
  });
