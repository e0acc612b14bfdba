import type { EventObject, MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Move, Position, Stepper, TakenEdge } from '../../engine/drive/stepper.ts';
import { toMachineEvent } from '../../engine/drive/to-machine-event.ts';
import type { ExploredFailure, ExploredMove } from './exploration.ts';
import { follow, type InProgress, stoppedBy } from './in-progress.ts';
import { IntList } from './int-list.ts';
import { MoveLabels } from './move-labels.ts';
import { errorOf, type OutcomeClass, refused } from './outcome-class.ts';
import type { Patches } from './patches.ts';
import { PlaceGraph, toConfiguration } from './place-graph.ts';
import { endOf, fits, kindOf, type Unit, unitsOf } from './unit.ts';
import { VectorIndex } from './vector-index.ts';

/** A position with what is in progress there. */
export interface Pending {
  readonly position: Position;
  readonly inProgress: readonly InProgress[];
}

export interface SearchOptions {
  readonly stepper: Stepper;
  readonly starts: readonly Move[];
  readonly maxStates: number;
  readonly patches: Patches;
  /** Returns the classes of a state's keys in a configuration, in a list that the next call may change. */
  vectorOf(state: MachineContext, where: string): ArrayLike<number>;
  /** Returns what tells states apart at the moment after edges, but not later. */
  momentOf(state: MachineContext, where: string, edges: readonly TakenEdge[]): string;
  /** Returns the outcomes of the node or the wait of a state. */
  outcomesOf(path: string, kind: 'node' | 'wait', state: MachineContext): readonly OutcomeClass[];
  /** True for outcomes that a function of the state gives. */
  dependsOnState(path: string): boolean;
  /** True for proposed outcomes, which the machine may reject. A rejected given outcome is an error. */
  isProposed(path: string): boolean;
  /** Returns the indices of the keys that may survive all patches of a node; `undefined` if its outcomes depend on the state. */
  survivorsOf(path: string): readonly number[] | undefined;
  /** Returns true if a value in which two states differ may survive the end of a node. */
  survive(path: string, one: MachineContext, other: MachineContext): boolean;
  /** Returns what may make two states of one place continue differently: a relevant value, or only one that seems to be read no more. */
  difference(where: string, one: MachineContext, other: MachineContext): 'live' | 'dead' | undefined;
}

/** Most further states of one place whose moves are compared with those of the first. */
const maxTwins = 2;
/** Most further states of one place whose values are noted. */
const maxMerged = 8;
/** Most moves that are tried, for each place that is allowed. XState moves a machine 20 times slower than a table. */
const movesPerPlace = 40;
/** A move that never comes to rest takes as long as so many others. */
const movesPerLoop = 200;
const maxAllTwins = 20_000;
/** Most moves that are compared; XState moves much slower than a table. */
const maxCompared = 60_000;

/** Explores all places, nearest first. */
export class Search {
  readonly graph: PlaceGraph = new PlaceGraph();
  readonly failures: ExploredFailure[] = [];
  /** Edges of the start, before any outcome. */
  readonly startEdges: TakenEdge[] = [];
  /** Starts by place. */
  readonly startAt: Map<number, Pending> = new Map();
  /** Pairs of states that were merged although they continue differently. */
  readonly misfits: { readonly where: string; readonly states: readonly [MachineContext, MachineContext] }[] = [];
  /** Some of the states that were merged with the first one of their place. */
  readonly merged: MachineContext[] = [];
  /** True if there are more places than `maxStates`. */
  cut = false;
  readonly #options: SearchOptions;
  readonly #index = new VectorIndex();
  readonly #configurations = new Map<string, number>();
  readonly #labels = new MoveLabels(this.graph.labels);
  /** The last block with a move to each place, counted from 1. */
  readonly #lastBlocks = new IntList();
  readonly #pending: (Pending | undefined)[] = [];
  readonly #shared = new Map<string, number>();
  readonly #twins: { readonly place: number; readonly pending: Pending }[] = [];
  #tried = 0;
  readonly #mergedCounts = new Map<number, number>();
  readonly #twinCounts = { live: new Map<number, number>(), dead: new Map<number, number>() };
  readonly #outcomeIndex = new Map<OutcomeClass, number>();
  /** Events without lists and objects, as the stepper parses them. */
  readonly #parsed = new WeakMap<OutcomeClass, EventObject>();

  constructor(options: SearchOptions) {
    this.#options = options;
    for (const { position, commands, edges } of options.starts) {
      const inProgress = follow([], commands);
      const pending = { position, inProgress };
      const place = this.#arrive(pending);
      if (place === undefined) continue;
      this.startEdges.push(...edges);
      if (this.startAt.has(place)) continue;
      this.startAt.set(place, pending);
      this.graph.starts.push(place);
    }
  }

  run(): void {
    for (let place = 0; place < this.#pending.length && !this.#isTired(); place++) {
      const pending = this.#pending[place];
      this.graph.beginPlace();
      if (pending && !pending.position.done) this.#leave(place, pending);
      this.#pending[place] = undefined;
    }
    if (this.cut) return; // it proves nothing, whether its states were merged rightly or not
    const mostCompared = this.#tried + (this.#options.stepper.engine === 'table' ? maxCompared : maxCompared / 20);
    // a list's iteration also visits items that are added during it
    for (const { place, pending } of this.#twins) if (this.#tried < mostCompared) this.#compare(place, pending);
  }

  /** Returns true if more moves were tried than are allowed, and notes it. */
  #isTired(): boolean {
    const { stepper, maxStates } = this.#options;
    const isTired = this.#tried > (movesPerPlace * maxStates) / (stepper.engine === 'table' ? 1 : 20);
    if (isTired) this.cut = true;
    return isTired;
  }

  /** Returns the place of a position; `undefined` if it was not found by the search. */
  placeOf({ position, inProgress }: Pending): number | undefined {
    const configuration = this.#configurations.get(configurationKey(position, inProgress));
    const { state, where } = position;
    return configuration === undefined ? undefined : this.#index.find(configuration, this.#options.vectorOf(state, where));
  }

  /** Moves a position by an outcome of the node, timer or wait at a path. */
  step(
    pending: Pending,
    { by, kind, outcome: name }: Pick<ExploredMove, 'by' | 'kind' | 'outcome'>,
    outcome?: OutcomeClass,
  ): Arrival | undefined {
    for (const unit of unitsOf(pending.inProgress, pending.position.waits)) {
      if (kind !== kindOf(unit) || !fits(unit, outcome)) continue;
      const end = endOf(unit, outcome);
      if (end.by !== by || (kind === 'timer' && end.outcome !== name)) continue;
      if (kind === 'timer' || !this.#options.dependsOnState(by)) return this.#arrivalOf(pending, unit, outcome);
      // outcomes that depend on the state are made anew
      const now = this.#outcomesOf(pending, unit).find((each) => fits(unit, each) && endOf(unit, each).outcome === name);
      return now && this.#arrivalOf(pending, unit, now);
    }
    return undefined;
  }

  #leave(place: number, pending: Pending): void {
    for (const unit of unitsOf(pending.inProgress, pending.position.waits)) {
      const key = this.#sharedKey(place, unit);
      const known = key === undefined ? undefined : this.#shared.get(key);
      if (known !== undefined) {
        this.graph.addBlock(known);
        continue;
      }
      const block = this.graph.beginBlock();
      this.graph.addBlock(block);
      if (key !== undefined) this.#shared.set(key, block);
      for (const outcome of this.#outcomesOf(pending, unit)) {
        if (this.#isTired()) return;
        const arrival = this.#arrivalOf(pending, unit, outcome, place);
        if (!arrival) continue;
        const target = this.#arrive(arrival.pending, place);
        if (target === undefined) continue;
        if (isIdle(arrival.pending))
          this.#fail(place, arrival.label, noEdge(`Nothing is in progress in "${arrival.pending.position.where}"`));
        const { state, where } = arrival.pending.position;
        const moment = this.#options.momentOf(state, where, arrival.label.edges);
        const label = this.#labels.indexOf(arrival.label);
        if (this.#hasMove(block, target, label, moment)) continue;
        this.graph.addMove(target, label, this.#outcomeAt(outcome), moment === '' ? undefined : state);
      }
    }
  }

  /** Returns true if the last block has a move of the same way to a place, and notes that it has one to this place. */
  #hasMove(block: number, target: number, label: number, moment: string): boolean {
    const isFirst = this.#lastBlocks.at(target) !== block + 1;
    this.#lastBlocks.set(target, block + 1);
    if (isFirst) return false;
    const { graph } = this;
    const way = this.#labels.wayAt(label);
    for (let move = graph.firstMove(block); move < graph.moveCount; move++) {
      if (graph.target(move) !== target || this.#labels.wayAt(graph.labelIndex(move)) !== way) continue;
      if (this.#momentAfter(move) === moment) return true;
    }
    return false;
  }

  #momentAfter(move: number): string {
    const { graph } = this;
    return this.#options.momentOf(graph.stateAfter(move), graph.configuration(graph.target(move)).where, graph.label(move).edges);
  }

  #outcomesOf({ position }: Pending, unit: Unit): readonly (OutcomeClass | undefined)[] {
    if (unit.kind === 'timer') return onlyTimer;
    return unit.kind === 'wait'
      ? this.#options.outcomesOf(unit.path, 'wait', position.state)
      : this.#options.outcomesOf(unit.live.path, 'node', position.state);
  }

  /** Returns the key of a block that places share because a node replaces what distinguishes them. */
  #sharedKey(place: number, unit: Unit): string | undefined {
    if (unit.kind !== 'done') return undefined;
    const survivors = this.#options.survivorsOf(unit.live.path);
    if (!survivors) return undefined;
    const configuration = this.graph.configurationAt.at(place);
    return `${configuration} ${unit.live.path} ${survivors.map((at) => this.#index.classAt(place, at)).join()}`;
  }

  /** Returns where an outcome leads; `undefined` for a refused outcome, and for a failure, which is noted. */
  #arrivalOf(pending: Pending, unit: Unit, outcome: OutcomeClass | undefined, place?: number): Arrival | undefined {
    if (!fits(unit, outcome)) return undefined;
    this.#tried++;
    const { position, inProgress } = pending;
    const event = this.#eventOf(position.state, unit, outcome);
    if (!event) return undefined;
    const end = endOf(unit, outcome);
    let next: Move | undefined;
    try {
      next = this.#options.stepper.move(position, event);
    } catch (thrown) {
      if (thrown instanceof WorkflowError && thrown.code === 'ENDLESS_LOOP') this.#tried += movesPerLoop;
      this.#fail(place, end, thrown);
      return undefined;
    }
    if (!next) {
      if (unit.kind !== 'wait') this.#fail(place, end, noEdge(`"${position.where}" has no edge for ${end.outcome} of "${end.by}"`));
      return undefined;
    }
    const rest = unit.kind === 'wait' ? inProgress : inProgress.filter((other) => other !== unit.live);
    Object.freeze(next.position.state);
    const { by, outcome: name } = end;
    const stopped = stoppedBy(rest, next.commands);
    const label = { by, kind: kindOf(unit), outcome: name, edges: next.edges, stopped } as const;
    return {
      pending: { position: next.position, inProgress: follow(rest, next.commands) },
      label: outcome?.calls ? { ...label, calls: outcome.calls } : label,
    };
  }

  #eventOf(state: MachineContext, unit: Unit, outcome: OutcomeClass | undefined): EventObject | undefined {
    if (unit.kind === 'timer') return { ...unit.live.event };
    if (!outcome) return undefined;
    if (unit.kind !== 'wait') {
      if ('error' in outcome) return toMachineEvent({ id: unit.live.id, kind: 'node' }, { error: errorOf(outcome.error) });
      if (!('patch' in outcome)) return undefined;
      const output = this.#options.patches.read(unit.live, outcome.patch, state, this.#options.isProposed(unit.live.path));
      return output && toMachineEvent({ id: unit.live.id, kind: 'node' }, { output });
    }
    if (!('event' in outcome)) return undefined;
    const known = this.#parsed.get(outcome);
    if (known) return { ...known };
    try {
      const parsed = this.#options.stepper.parse({ ...outcome.event });
      // a function of the definition could change what is inside an event
      if (Object.values(parsed).every((member) => typeof member !== 'object')) this.#parsed.set(outcome, parsed);
      return { ...parsed };
    } catch (thrown) {
      if (!this.#options.isProposed(unit.path)) throw refused(unit.path, thrown);
      return undefined;
    }
  }

  #fail(place: number | undefined, { by, outcome }: Pick<ExploredMove, 'by' | 'outcome'>, thrown: unknown): void {
    if (place === undefined) return;
    this.failures.push({ from: this.graph.explored(place), by, outcome, error: toErrorInfo(thrown) });
  }

  /** Returns the place of a position, and adds it if it is new. */
  #arrive(pending: Pending, from?: number): number | undefined {
    const { position, inProgress } = pending;
    const key = configurationKey(position, inProgress);
    let configuration = this.#configurations.get(key);
    if (configuration === undefined) {
      configuration = this.graph.configurations.length;
      this.#configurations.set(key, configuration);
      const { where, done, waits } = position;
      const working = inProgress.flatMap((live) => (live.type === 'start' ? [live.path] : []));
      this.graph.configurations.push(toConfiguration({ where, done, waiting: waits.map(({ path }) => path), working }));
    }
    const { graph } = this;
    const isSame = from !== undefined && position.state === graph.state(from) && configuration === graph.configurationAt.at(from);
    const place = isSame ? from : this.#findOrAdd(configuration, position);
    if (place === undefined) {
      this.cut = true;
    } else if (place === graph.size) {
      graph.addPlace(position.state, configuration, from === undefined ? undefined : { from, move: graph.moveCount });
      this.#pending.push(pending);
      this.#lastBlocks.push(0);
    } else if (position.state !== graph.state(place)) {
      this.#noteMerged(place, pending);
      this.#noteTwin(place, pending);
    }
    return place;
  }

  #findOrAdd(configuration: number, { state, where }: Position): number | undefined {
    const vector = this.#options.vectorOf(state, where);
    const isFull = this.graph.size >= this.#options.maxStates;
    return isFull ? this.#index.find(configuration, vector) : this.#index.findOrAdd(configuration, vector);
  }

  #noteMerged(place: number, { position }: Pending): void {
    if (this.merged.length >= maxAllTwins) return;
    const count = this.#mergedCounts.get(place) ?? 0;
    if (count >= maxMerged) return;
    this.#mergedCounts.set(place, count + 1);
    this.merged.push(position.state);
  }

  #noteTwin(place: number, pending: Pending): void {
    if (this.#twins.length >= maxAllTwins || pending.position.done) return;
    const difference = this.#options.difference(pending.position.where, this.graph.state(place), pending.position.state);
    if (!difference) return;
    const counts = this.#twinCounts[difference];
    const count = counts.get(place) ?? 0;
    if (count >= (difference === 'live' ? maxTwins : 1)) return;
    counts.set(place, count + 1);
    this.#twins.push({ place, pending });
  }

  /** Compares the moves of a second state of a place with those of its first state. */
  #compare(place: number, pending: Pending): void {
    const expected: string[] = [];
    const blocks: number[] = [];
    this.graph.eachBlock(place, (block) => blocks.push(block));
    const units = unitsOf(pending.inProgress, pending.position.waits);
    const found: string[] = [];
    for (const [at, unit] of units.entries()) {
      if (unit.kind === 'done' && !this.#options.survive(unit.live.path, this.graph.state(place), pending.position.state)) continue;
      const block = blocks[at];
      if (block === undefined) continue;
      for (let move = this.graph.firstMove(block); move < this.graph.endOfMoves(block); move++) {
        const way = this.#labels.wayAt(this.graph.labelIndex(move));
        expected.push(`${this.graph.target(move)} ${way} ${this.#momentAfter(move)}`);
      }
      for (const outcome of this.#outcomesOf(pending, unit)) {
        const arrival = this.#arrivalOf(pending, unit, outcome);
        if (!arrival) continue;
        const target = this.placeOf(arrival.pending);
        const { state, where } = arrival.pending.position;
        const moment = this.#options.momentOf(state, where, arrival.label.edges);
        found.push(`${target ?? -1} ${this.#labels.wayOf(arrival.label)} ${moment}`);
        if (target !== undefined) this.#noteTwin(target, arrival.pending); // the two may differ later only
      }
    }
    if (isSame(expected, found)) return;
    this.misfits.push({ where: pending.position.where, states: [this.graph.state(place), pending.position.state] });
  }

  #outcomeAt(outcome: OutcomeClass | undefined): number {
    if (!outcome) return -1;
    const known = this.#outcomeIndex.get(outcome);
    if (known !== undefined) return known;
    this.graph.outcomes.push(outcome);
    this.#outcomeIndex.set(outcome, this.graph.outcomes.length - 1);
    return this.graph.outcomes.length - 1;
  }
}

/** A position that an outcome leads to, and the description of the move. */
export interface Arrival {
  readonly pending: Pending;
  readonly label: Pick<ExploredMove, 'by' | 'kind' | 'outcome' | 'calls' | 'edges' | 'stopped'>;
}

const onlyTimer = [undefined];

const isIdle = ({ position, inProgress }: Pending): boolean => !position.done && inProgress.length === 0 && position.waits.length === 0;

function configurationKey({ where, history = '' }: Position, inProgress: readonly InProgress[]): string {
  if (inProgress.length === 0 && history === '') return where; // a new text would have to be hashed for each move
  const [only] = inProgress;
  if (inProgress.length < 2) return `${where} ${only?.id ?? ''} ${history}`;
  return `${where} ${inProgress.map(({ id }) => id).sort()} ${history}`;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((each) => b.has(each));
}

const noEdge = (what: string): WorkflowError =>
  new WorkflowError({ code: 'NO_EDGE', message: `${what}.`, hint: 'Add an edge without a guard to the state.' });
