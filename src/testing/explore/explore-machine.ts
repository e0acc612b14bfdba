import type { AnyStateMachine, EventObject, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import { type MachineGraph, toGraph } from '../../engine/define/graph.ts';
import { findMerger, type Merger } from '../../engine/define/state.ts';
import type { Move, Position, Stepper } from '../../engine/drive/stepper.ts';
import { abstractionOf, answerOf } from './abstraction.ts';
import type { Exploration } from './exploration.ts';
import { readsOfGuard } from './guard-reads.ts';
import { type Constants, constantsIn, guardsOf, type NamedGuard } from './guard-texts.ts';
import type { OutcomeClass, Outcomes } from './outcome-class.ts';
import { notePatchReads } from './patch-reads.ts';
import { proposeEvents } from './propose-event.ts';
import { type Proposals, proposeOutcomes, withFailure } from './propose-outcomes.ts';
import { addReads, emptyReads, type ReadTree, recording } from './read-tree.ts';
import { type Distinctions, noDistinctions, withRefinement } from './refinement.ts';
import { type SearchResult, search } from './search.ts';
import { everyEdgeOf, startsOf } from './starts.ts';
import { toExploration } from './to-exploration.ts';

export interface ExploreOptions<TInput = unknown, TState = MachineContext> {
  /** Inputs of the runs. Default: one run without an input. */
  readonly inputs?: readonly TInput[];
  /**
   * Possible outcomes of a node or a wait, by the path of its state or the name of its node. A failure is added for a node without one.
   * Default: proposals from the comparisons of the guards.
   */
  readonly outcomes?: { readonly [stateOrNode: string]: Outcomes<TState> };
  /**
   * Returns the distinguishing part of a state; parts that are equal as JSON are one place. Default: the results of all guards, and the
   * values that guards, events and `outcomes` read. Numbers and lengths above the largest one in a comparison count as equal.
   */
  readonly abstract?: (state: Readonly<TState>) => unknown;
  /** Maximum number of places to explore. @default 10_000 */
  readonly maxStates?: number;
}

/**
 * Explores all places of a machine and all moves between them, without running a node. A few outcomes per node and wait represent all
 * others. The exploration is complete within its bound and its abstraction, which the result lists.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for outcomes of an unknown state, for outcomes that the workflow would reject, and if no run can
 * begin with the inputs.
 * @example
 * const explored = exploreMachine(workflow, { outcomes: { write: [{ patch: { good: true } }, { patch: { good: false } }] } });
 * explored.edgesNeverTaken; // []
 */
export function exploreMachine<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  options: ExploreOptions<TInput, TState> = {},
): Exploration<TState> {
  return explore(workflow as AnyWorkflow, options as ExploreOptions, noDistinctions) as Exploration<TState>;
}

function explore(workflow: AnyWorkflow, options: ExploreOptions, distinctions: Distinctions): Exploration {
  const subject = new Subject(workflow, options, distinctions);
  let found = subject.search();
  while (!found) found = subject.search(); // repeats once a search has found another relevant value
  const exploration = subject.toExploration(found);
  if (options.abstract) return exploration; // a custom abstraction is not refined
  return withRefinement(exploration, (more) => {
    const both = subject.withMore(more);
    return both && explore(workflow, options, both);
  });
}

/** The machine under exploration, with the knowledge about it so far. */
class Subject {
  readonly #workflow: AnyWorkflow;
  readonly #graph: MachineGraph;
  readonly #options: ExploreOptions;
  readonly #reads = emptyReads();
  readonly #maxStates: number;
  readonly #cutOff = new Set<string>();
  /** True if some node has no given outcomes. */
  readonly #proposes: boolean;
  #proposals: Proposals = { outcomes: new Map(), cut: [], oneSided: [] };
  readonly #stepper: Stepper;
  readonly #machine: AnyStateMachine;
  readonly #distinctions: Distinctions;
  readonly #merger: Merger | undefined;
  readonly #starts: readonly Move[];
  readonly #given: ReadonlyMap<string, Outcomes>;
  readonly #guards: ReadonlyMap<string, NamedGuard>;
  readonly #guardReads: ReadonlyMap<string, ReadTree>;
  readonly #constants: Constants;
  readonly #patchReads = emptyReads();
  readonly #events = new Map<string, readonly OutcomeClass[]>();
  /** Events that were watched, by place and guard results. */
  readonly #watchedEvents = new Set<string>();
  #grown = false;

  constructor(workflow: AnyWorkflow, options: ExploreOptions, distinctions: Distinctions) {
    const { machine } = workflow;
    this.#workflow = workflow;
    this.#distinctions = distinctions;
    this.#options = options;
    this.#maxStates = checkInteger('maxStates', options.maxStates ?? 10_000, { min: 1 });
    this.#graph = toGraph(machine);
    this.#machine = machine;
    this.#merger = findMerger(machine);
    this.#stepper = everyEdgeOf(workflow);
    this.#given = givenOutcomes(this.#graph, options.outcomes ?? {});
    this.#starts = startsOf(workflow, this.#stepper, options.inputs);
    const asked = new Set(this.#graph.states.flatMap(({ edges }) => edges.flatMap(({ guard }) => guard ?? [])));
    this.#guards = new Map([...guardsOf(machine)].filter(([name]) => asked.has(name)));
    this.#constants = constantsIn([
      ...[...this.#guards.values()].map(({ text }) => text),
      ...[...this.#given.values()].flatMap((outcomes) => (typeof outcomes === 'function' ? String(outcomes) : [])),
    ]);
    this.#proposes = this.#graph.states.some(({ path, node }) => node !== undefined && !this.#given.has(path));
    const samples = this.#starts.map(({ position }) => position.state);
    // watching guards costs more than the search
    const watched = this.#proposes || !options.abstract ? [...this.#guards] : [];
    this.#guardReads = new Map(watched.map(([name, guard]) => [name, readsOfGuard(guard, samples, this.#constants)]));
    for (const reads of [...this.#guardReads.values(), distinctions.reads]) addReads(this.#reads, reads);
  }

  /**
   * Searches with the values that are known to be relevant.
   *
   * @returns `undefined` if it has found another relevant value.
   */
  search(): SearchResult | undefined {
    this.#grown = false;
    const [first] = this.#starts;
    if (this.#proposes) {
      this.#proposals = proposeOutcomes({
        machine: this.#machine,
        graph: this.#graph,
        guards: this.#guards,
        guardReads: this.#guardReads,
        sample: first?.position.state ?? {},
        given: new Set(this.#given.keys()),
        patchReads: this.#patchReads,
        constants: this.#constants,
      });
    }
    const abstraction = abstractionOf(this.#guards.values(), this.#reads, this.#most(), this.#options.abstract);
    const found = search({
      stepper: this.#stepper,
      starts: this.#starts,
      maxStates: this.#maxStates,
      keyOf: (state) => abstraction.keyOf(state),
      outcomesOf: (path, kind, position) => this.#outcomesOf(path, kind, position),
      isProposed: (path) => !this.#given.has(path),
      onEvent: (position, event) => this.#recordReads(position, event),
      isOver: () => this.#grown,
    });
    return this.#grown ? undefined : found;
  }

  /** Returns the combined distinctions; `undefined` if `reads` and `sources` add none. */
  withMore({ reads, sources }: Distinctions): Distinctions | undefined {
    const all = emptyReads();
    addReads(all, this.#reads);
    const most = Math.max(...constantsIn(sources).numbers, 0);
    if (!addReads(all, reads) && most < this.#most()) return undefined;
    return { reads: all, sources: [...this.#distinctions.sources, ...sources] };
  }

  toExploration(found: SearchResult): Exploration {
    const given = [...this.#given].flatMap(([path, outcomes]) => (typeof outcomes === 'function' ? [] : [[path, outcomes] as const]));
    const tried = this.#proposals.cut.map((path) => `some values that the guards after "${path}" compare (give \`outcomes\`)`);
    const unsure = this.#proposals.oneSided.map(
      ({ guard, passed }) => `the guard "${guard}", which ${passed ? 'passed for every' : 'passed for no'} tried value (give \`outcomes\`)`,
    );
    return toExploration(found, {
      workflow: this.#workflow,
      graph: this.#graph,
      maxStates: this.#maxStates,
      reads: this.#options.abstract ? undefined : this.#reads,
      cutOff: [...this.#cutOff, ...tried, ...unsure],
      outcomes: new Map([...this.#proposals.outcomes, ...this.#events, ...given]),
    });
  }

  /** Returns a number larger than any in a comparison. */
  #most(): number {
    const inStates = this.#starts.flatMap(({ position: { state } }) =>
      [...this.#reads.members.keys()].flatMap((key) => (typeof state[key] === 'number' ? [Math.abs(state[key] as number)] : [])),
    );
    return Math.max(3, ...this.#constants.numbers, ...constantsIn(this.#distinctions.sources).numbers, ...inStates) + 1;
  }

  #outcomesOf(path: string, kind: 'node' | 'wait', { state, waits }: Position): readonly OutcomeClass[] {
    const given = this.#given.get(path);
    if (!given) return kind === 'node' ? (this.#proposals.outcomes.get(path) ?? []) : this.#eventsOf(path, waits);
    if (typeof given !== 'function') return kind === 'node' ? withFailure(given, this.#constants) : given;
    if (!this.#options.abstract) {
      const found = emptyReads();
      given(recording(state, found));
      this.#grown = addReads(this.#reads, found) || this.#grown;
    }
    return kind === 'node' ? withFailure(given(state), this.#constants) : given(state);
  }

  #eventsOf(path: string, waits: Position['waits']): readonly OutcomeClass[] {
    const known = this.#events.get(path);
    if (known) return known;
    const accepts = waits.find((wait) => wait.path === path)?.accepts ?? [];
    const events = accepts.flatMap((type) => {
      const found = proposeEvents(type, (event) => this.#stepper.parse(event), this.#constants);
      if (found.length === 0) this.#cutOff.add(`the event ${type} of "${path}", because no valid example was found (give \`outcomes\`)`);
      return found.map((event) => ({ event }));
    });
    this.#events.set(path, events);
    return events;
  }

  /** Records the values that events and errors read from a state, once per combination of guard results. */
  #recordReads({ state, where }: Position, event: EventObject): void {
    if (!this.#merger || this.#options.abstract || 'output' in event) return;
    const answers = [...this.#guards.values()].map(({ passes }) => answerOf(passes, state)).join('');
    const key = `${where} ${event.type} ${answers}`;
    if (this.#watchedEvents.has(key)) return;
    this.#watchedEvents.add(key);
    this.#grown = notePatchReads(this.#merger, state, event, this.#reads, this.#patchReads) || this.#grown;
  }
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
