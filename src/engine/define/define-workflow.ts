import type { AnyStateMachine, ContextFrom, EventFrom, InputFrom, MachineContext, OutputFrom, StateMachine } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject, Storable } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import { guardsAt, guardValueNow, inputContext, type TellVerdict } from '../../core/util/apply-guards.ts';
import { asJson } from '../../core/util/as-json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkGuards, guardStructure } from '../../core/util/check-guards.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { hash } from '../../core/util/hash.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toJson } from '../../core/util/to-json.ts';
import { argumentInvalid, assertMachine } from './assert-machine.ts';
import { nameErrors } from './definition-error.ts';
import { structureHash, toGraph, toStructure, visitStates, waitingStates } from './graph.ts';
import { type Actors, guardedMachine } from './guarded-machine.ts';
import { lintWorkflow } from './lint.ts';
import type { Migration } from './migration.ts';
import { handlerOf, marksOf, type NodeHandler, nodeLogic, subStructureOf, withMarks } from './node.ts';
import { type Offer, toStoredOffer } from './offer.ts';
import { assertReturns, patchReader, type ReturnSchemas } from './returns.ts';
import { findMerger } from './state.ts';
import type { WorkflowTypeError } from './workflow-type-error.ts';

/** A workflow ready to run: `createRuntime().start(workflow, input)`, or `createActor(workflow.machine, { input })`. */
export interface Workflow<TInput, TState, TOutput, TEvent = unknown> {
  readonly id: string;
  readonly version: string;
  /** The XState machine, with its nodes: draw it, inspect it, or run it live. */
  readonly machine: AnyStateMachine;
  /** Structure that decides how a journal is replayed; a journal of another structure is rejected. */
  readonly structure: JsonObject;
  /** Fingerprint of `structure`. */
  readonly structureHash: string;
  /** Shown in `run-start`, for example the model's name. */
  readonly model?: string;
  /** Schemas of the patches that nodes return, by node, as given to `defineWorkflow`. */
  readonly returns?: ReturnSchemas;
  /** Set when XState itself must move the machine. */
  readonly engine?: 'xstate';
  /** Guards of its texts; see `guards` of `defineWorkflow`. Absent: none. */
  readonly guards?: readonly TextGuard[];
  /**
   * Converts the caller's input to the stored input of the run, checked by the guards.
   * @param tell receives the verdicts of the guards, as events.
   */
  parseInput(input: TInput, tell?: TellVerdict): Json;
  /** Converts the stored input to the machine's. Pure, because it runs again at each resume. */
  toMachineInput(input: Json, start: RunStart): unknown;
  /** Offer of a run with this stored input, as its journal holds it. For `null`, everything that the workflow can offer. */
  offer?(input: Json): JsonObject;
  readonly thread?: ThreadDefinition<Json, MachineContext>;
  readonly questions?: Questions<MachineContext>;
  /** Time to answer a question to a human, in milliseconds. Default: unlimited. */
  readonly expiresInMs?: number;
  /** Migrations of waiting runs from earlier versions; see `runtime.migrate`. */
  readonly migrate?: Migration<unknown> | readonly Migration<unknown>[];
  /** Phantom: carries the types, never set. */
  readonly types?: { readonly state: TState; readonly output: TOutput; readonly event: TEvent };
}

/** A workflow of any types, for lists of workflows. It checks its input when it starts. */
export type AnyWorkflow = Workflow<unknown, unknown, unknown>;

/** Input of a workflow; for a workflow's id, any JSON. */
export type InputOf<W> = W extends { parseInput(input: infer TInput): Json } ? TInput : Json;

/** Output of a workflow; `unknown` for a workflow's id. */
export type OutputOf<W> = W extends Workflow<infer _Input, infer _State, infer TOutput, infer _Event> ? TOutput : unknown;

/** Events that a human can send to a workflow; `unknown` for a workflow's id. */
export type EventOf<W> = W extends Workflow<infer _Input, infer _State, infer _Output, infer TEvent> ? TEvent : unknown;

type HumanEventOf<TMachine extends AnyStateMachine> = string extends EventFrom<TMachine>['type']
  ? unknown
  : Exclude<EventFrom<TMachine>, { readonly type: `xstate.${string}` }>;

/** Data of a run's start, the same at each resume. */
export interface RunStart<TThread = Json> {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The thread's state; `thread.initial` for a new thread and for a run without one. */
  readonly thread: TThread;
  /** True if the run was started with `grantEgress`: its tools may send data out although the thread holds private data. @default false */
  readonly grantEgress?: boolean;
}

/** Questions of the waiting states, by path. Pure, because they run again at each resume. */
export type Questions<TState> = { readonly [state: string]: (state: Readonly<TState>) => Json };

/** Memory of a conversation: a bounded state that each run reads at its start and changes at its end. */
export interface ThreadDefinition<TThread, TState> {
  readonly initial: TThread & Storable<TThread>;
  /** Returns the thread's state after a run that reached a final state. Pure; keep the state small, because every run rewrites it. */
  next(
    thread: TThread,
    end: { readonly state: Readonly<TState>; readonly finalState: string; readonly failure?: ErrorInfo },
  ): TThread & Storable<TThread>;
}

/** Names of the nodes that a machine's `setup({ actors })` declares. */
export type NodeName<TMachine> =
  TMachine extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer TActor,
    infer _Action,
    infer _Guard,
    infer _Delay,
    infer _StateValue,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Config
  >
    ? TActor extends { src: infer TName extends string }
      ? TName
      : never
    : never;

/**
 * One handler for each node. A given name that is no node is an error by itself; its parameters keep their types, so that they are no
 * further errors.
 */
type Handlers<TName extends string, TGiven extends string, THandler> = {
  readonly [K in TName | TGiven]: string extends K
    ? THandler
    : K extends TName
      ? THandler
      : THandler & WorkflowTypeError<`no node has the name '${K}'`>;
};

export interface WorkflowDefinition<TMachine extends AnyStateMachine, TInput, TThread, TGiven extends string = never> {
  /** A literal `setup({ … }).createMachine({ … })` with an `id` and a `version`. */
  readonly machine: TMachine;
  /**
   * Name of the workflow, `[a-zA-Z0-9_.-]{1,128}`, stored with its runs. Give each workflow of one machine its own. @default the machine's
   * id
   */
  readonly id?: string | undefined;
  /** One handler for each actor of the machine's `setup`. */
  readonly nodes: Handlers<NodeName<TMachine>, TGiven, NodeHandler<ContextFrom<TMachine>>>;
  /** Maximum JSON size of a node's patch, of each of its steps' values and of each event it emits, in bytes. @default 8 MiB each */
  readonly maxOutputBytes?: { readonly [K in NodeName<TMachine>]?: number };
  /**
   * Schemas of the patches that nodes return, for example of zod. Another patch, or one with an undeclared key, fails its node with
   * `PATCH_INVALID` before anything is written; so does that of a fork or a retry. `exploreMachine` and `verify` then need not assume that
   * the node returns anything else. Default: anything that fits the state.
   *
   * @example returns: { charge: z.object({ charges: z.literal(1) }) }
   */
  readonly returns?: { readonly [K in NodeName<TMachine>]?: StandardSchema<Partial<ContextFrom<TMachine>>> };
  /** Checks the caller's input and adds values that must stay constant during the run. Default: unchanged. */
  readonly parseInput?: (input: TInput) => Json;
  /** Default: the stored input. */
  readonly toMachineInput?: (input: TInput, start: RunStart<TThread>) => InputFrom<TMachine>;
  readonly thread?: ThreadDefinition<TThread, ContextFrom<TMachine>>;
  /** Data shown to a human with the question of a waiting state. Default: only the accepted events. */
  readonly questions?: Questions<ContextFrom<TMachine>>;
  /** Data shown to a human with the question of a waiting state. Default: only the accepted events. */
  readonly expiresInMs?: number | undefined;
  /** Migrations of waiting runs from earlier versions, see `runtime.migrate`. Default: none. */
  readonly migrate?: Migration<ContextFrom<TMachine>> | readonly Migration<ContextFrom<TMachine>>[];
  /**
   * Resources that a run may use. The journal stores a fingerprint of them and of `model`; `resume` rejects another one (`OFFER_CHANGED`).
   * For the input `null`, return everything that the workflow can offer. Default: `model` alone.
   */
  readonly offers?: (input: TInput | null) => Offer;
  /**
   * Guards of the texts that enter and leave a run, see `agent-machines/guards`. They apply in this order, also inside the workflows that
   * its nodes run. They are part of the structure, so another list rejects the journals of the runs that wait. @default []
   */
  readonly guards?: readonly TextGuard[] | undefined;
  /** Shown in `run-start`, for example the model's name. */
  readonly model?: string;
  /** `xstate`: runs on XState even if the machine is flat and could run on a table, to compare the two. @default the table if possible */
  readonly engine?: 'xstate';
}

/**
 * Combines a machine and its nodes into a workflow. Build it once: it costs about as much as a run.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` with every issue that `lintWorkflow` finds; `OPTION_INVALID` for unusable guards.
 * @example const research = defineWorkflow({ machine, nodes: { search: async (state, io) => ({ notes: [ … ] }) } });
 */
export function defineWorkflow<
  TMachine extends AnyStateMachine,
  TInput = InputFrom<TMachine>,
  TThread = null,
  TGiven extends string = never,
>(
  definition: WorkflowDefinition<TMachine, TInput, TThread, TGiven>,
): Workflow<TInput, ContextFrom<TMachine>, OutputFrom<TMachine>, HumanEventOf<TMachine>> {
  assertDefinition(definition);
  const { nodes, maxOutputBytes, returns, parseInput, toMachineInput, thread, questions, expiresInMs, migrate, offers, model, engine } =
    definition;
  const guards = checkGuards(definition.guards);
  // maps, because a node may be named like a member of every object: `constructor`
  const limits = new Map<string, number | undefined>(Object.entries(maxOutputBytes ?? {}));
  const schemas = new Map(Object.entries<ReturnSchemas[string]>(returns ?? {}));
  const checks = findMerger(definition.machine)?.checks;
  const handlers = Object.entries<NodeHandler<ContextFrom<TMachine>>>(nodes).map(([name, handler]) => {
    const limit = limits.get(name);
    const readPatch = patchReader(name, schemas.get(name), checks?.readPatch);
    const more = {
      ...(limit === undefined ? {} : { maxOutputBytes: checkInteger(`maxOutputBytes of "${name}"`, limit, { min: 1 }) }),
      ...(readPatch ? { readPatch } : {}),
      ...(guards.length > 0 ? { guards } : {}),
    };
    return [name, Object.keys(more).length === 0 ? handler : withMarks(handler, more)] as const;
  });
  const checkInput = toMachineInput ? undefined : checks?.parseInput;
  const actors = Object.fromEntries(handlers.map(([name, handler]) => [name, nodeLogic(handler)]));
  const inner = Object.fromEntries(
    handlers.flatMap(([name, handler]) => [[name, subStructureOf(handler) ?? '']].filter(([, hash]) => hash !== '')),
  );
  const shape = check(definition.machine, actors, inner, Object.keys(questions ?? {}), guardStructure(guards));
  const machine = guardedMachine(definition.machine, actors);
  boundMicrosteps(machine);
  const innerOffers = offersInside(handlers);
  return {
    id: checkWorkflowId(definition.id) ?? machine.id,
    version: machine.version ?? '0',
    machine,
    structure: shape.structure,
    structureHash: shape.hash,
    ...(model === undefined ? {} : { model }),
    ...(engine === undefined ? {} : { engine }),
    ...(returns ? { returns } : {}),
    ...(guards.length > 0 ? { guards } : {}),
    parseInput: (input, tell = ignore) => {
      const parsed = parseInput ? parseInput(input) : ((checkInput ? checkInput(input) : (input ?? null)) as Json);
      return guardInput(guards, parsed, tell);
    },
    toMachineInput: nameErrors('toMachineInput', (input, start) => {
      deepFreeze(input);
      deepFreeze(start.thread);
      return toMachineInput ? toMachineInput(input as TInput, start as RunStart<TThread>) : input;
    }),
    offer: nameErrors('offers', (input: Json) => toStoredOffer(model, innerOffers, offers?.(input as TInput | null) ?? {})),
    ...(thread ? { thread: guardThread(thread) } : {}),
    ...(questions ? { questions: toQuestions(questions) } : {}),
    ...(expiresInMs === undefined ? {} : { expiresInMs: checkInteger('expiresInMs', expiresInMs, { min: 1 }) }),
    ...(migrate ? { migrate } : {}),
  };
}

/** The input of a workflow without guards stays the same object. */
function guardInput(guards: readonly TextGuard[], parsed: Json, tell: TellVerdict): Json {
  const inputGuards = guardsAt(guards, 'input');
  return inputGuards.length === 0 ? parsed : guardValueNow(inputGuards, toJson(parsed, 'input'), inputContext, tell);
}

const ignore: TellVerdict = () => {};

/** Offer hashes of the workflows inside nodes, by node name. */
const offersInside = (handlers: readonly (readonly [name: string, handler: object])[]): JsonObject =>
  Object.fromEntries(
    handlers.flatMap(([name, handler]) => {
      const offer = marksOf(handler).workflow?.offer?.(null) ?? {};
      return Object.keys(offer).length === 0 ? [] : [[name, hash(canonicalJson(offer))]];
    }),
  );

function checkWorkflowId(id: string | undefined): string | undefined {
  if (id === undefined || /^[a-zA-Z0-9_.-]{1,128}$/.test(id)) return id;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `id is ${JSON.stringify(id)}.`,
    hint: 'Use letters, digits, ".", "-" and "_".',
    data: { option: 'id' },
  });
}

const definitionKeys: ReadonlySet<string> = new Set<keyof WorkflowDefinition<AnyStateMachine, unknown, unknown>>([
  'machine',
  'id',
  'nodes',
  'maxOutputBytes',
  'returns',
  'parseInput',
  'toMachineInput',
  'thread',
  'questions',
  'expiresInMs',
  'migrate',
  'offers',
  'guards',
  'model',
  'engine',
]);

/** Repeats the type check for callers without types. */
function assertDefinition(definition: unknown): void {
  const { machine, nodes, returns } = (definition ?? {}) as Readonly<Record<'machine' | 'nodes' | 'returns', unknown>>;
  assertMachine(machine);
  if (!isObject(nodes)) throw argumentInvalid('The workflow has no nodes.', '{ machine, nodes } with a handler for each node');
  const wrong = Object.keys(nodes).find((name) => typeof nodes[name] !== 'function');
  if (wrong !== undefined) throw argumentInvalid(`The handler of the node "${wrong}" is not a function.`, 'async (state, io) => ({ … })');
  assertReturns(Object(returns), nodes);
  const strange = Object.keys(definition ?? {}).find((key) => !definitionKeys.has(key));
  if (strange !== undefined) {
    throw argumentInvalid(
      `defineWorkflow has no option "${strange}".`,
      `only ${[...definitionKeys].join(', ')}. A version belongs to the machine`,
    );
  }
}

function guardThread<TThread, TState extends MachineContext>(
  thread: ThreadDefinition<TThread, TState>,
): ThreadDefinition<Json, MachineContext> {
  const initial = asJson(thread.initial);
  const following = nameErrors('thread.next', (state: Json, end: Parameters<ThreadDefinition<Json, MachineContext>['next']>[1]) => {
    const made: unknown = thread.next(deepFreeze(state) as TThread, { ...end, state: end.state as TState });
    return made === state ? state : toJson(made, 'thread');
  });
  return { initial: deepFreeze(initial), next: following };
}

const toQuestions = <TState extends MachineContext>(questions: Questions<TState>): Questions<MachineContext> =>
  Object.fromEntries(Object.entries(questions).map(([state, ask]) => [state, (context: MachineContext) => ask(context as TState)]));

/** Above the number of edges in any single move; without a bound, a circle of `always` edges would block the process. */
const maxMicrosteps = 1_000;

/** Bounds the number of edges per move, on every engine and under `createActor`. A bound set by the machine stays. */
function boundMicrosteps({ options }: AnyStateMachine): void {
  const { maxIterations = Number.POSITIVE_INFINITY } = options;
  if (!Number.isFinite(maxIterations)) options.maxIterations = maxMicrosteps;
}

interface Shape {
  readonly structure: JsonObject;
  readonly hash: string;
}

/** The last check of each machine; it stays valid for other handlers of the same nodes. */
const shapes = new WeakMap<AnyStateMachine, Shape & { readonly names: string }>();

function check(bare: AnyStateMachine, actors: Actors, inner: JsonObject, questioned: readonly string[], guards: JsonObject): Shape {
  const names = JSON.stringify([Object.keys(actors).filter((name) => handlerOf(actors[name])), inner, questioned, guards]);
  const known = shapes.get(bare);
  if (known?.names === names) return known;
  const machine = bare.provide({ actors });
  boundMicrosteps(machine);
  assertRunnable(machine, Object.keys(actors), questioned);
  const structure = deepFreeze({ ...toStructure(toGraph(machine)), workflows: inner, ...guards });
  const shape = { structure, hash: structureHash(structure), names };
  shapes.set(bare, shape);
  return shape;
}

function assertRunnable(machine: AnyStateMachine, nodes: readonly string[], questioned: readonly string[]): void {
  const issues = lintWorkflow(machine).map(({ code, state, message }) => ({ code, state, message }));
  const invoked = new Set<unknown>();
  visitStates(machine, ({ invoke }) => {
    for (const { src } of invoke) invoked.add(src);
  });
  const { actors } = machine.implementations;
  for (const name of new Set([...Object.keys(actors), ...nodes])) {
    if (!handlerOf(actors[name])) issues.push({ code: 'UNSUPPORTED_EFFECT', state: '', message: `the node "${name}" has no handler` });
    else if (!invoked.has(name)) issues.push({ code: 'UNREACHABLE_STATE', state: '', message: `no state runs the node "${name}"` });
  }
  const waiting = new Set([...waitingStates(machine).values()].map(({ path }) => path));
  for (const path of questioned) {
    if (!waiting.has(path))
      issues.push({ code: 'UNREACHABLE_STATE', state: path, message: 'it has a question but is not a waiting state' });
  }
  if (issues.length === 0) return;
  throw new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The workflow "${machine.id}" is invalid:\n${issues.map(({ code, state, message }) => `  ${code} ${state}: ${message}`).join('\n')}`,
    hint: 'Correct the state that each line names.',
    data: { issues },
  });
}
