import type { EventObject, MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Command, Move, Position, Stepper, TakenEdge } from '../../engine/drive/stepper.ts';
import { toMachineEvent } from '../../engine/drive/to-machine-event.ts';
import type { ExploredFailure, ExploredMove } from './exploration.ts';
import { errorOf, nameOfOutcome, type OutcomeClass, refused } from './outcome-class.ts';
import type { Patches } from './patches.ts';
import { PlaceGraph, toConfiguration, toLabel } from './place-graph.ts';
import { VectorIndex } from './vector-index.ts';

/** A command that is still in progress. */
export type InProgress = Exclude<Command, { readonly type: 'stop' }>;

/** A node or a timer in progress, or a wait, with the outcomes that are explored together. */
type Unit =
  | { readonly kind: 'done' | 'error'; readonly live: Extract<InProgress, { readonly type: 'start' }> }
  | { readonly kind: 'timer'; readonly live: Extract<InProgress, { readonly type: 'delay' }> }
  | { readonly kind: 'wait'; readonly path: string; readonly accepts: readonly string[] };

/** A position with the class of each key. */
export interface Pending {
  readonly position: Position;
  readonly inProgress: readonly InProgress[];
  readonly vector: readonly number[];
}

export interface SearchOptions {
  readonly stepper: Stepper;
  readonly starts: readonly Move[];
  readonly maxStates: number;
  readonly patches: Patches;
  /** Returns the classes of a state's keys in a configuration. */
  vectorOf(state: MachineContext, where: string): readonly number[];
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
  readonly #labels = new Map<string, number>();
  readonly #labelsOf = new WeakMap<readonly TakenEdge[], Map<string, number>>();
  readonly #pending: (Pending | undefined)[] = [];
  readonly #shared = new Map<string, number>();
  readonly #twins: { readonly place: number; readonly pending: Pending }[] = [];
  #tried = 0;
  readonly #mergedCounts = new Map<number, number>();
  readonly #twinCounts = { live: new Map<number, number>(), dead: new Map<number, number>() };
  readonly #edgeTexts = new WeakMap<readonly TakenEdge[], string>();
  readonly #outcomeIndex = new Map<OutcomeClass, number>();

  constructor(options: SearchOptions) {
    this.#options = options;
    for (const { position, commands, edges } of options.starts) {
      const inProgress = follow([], commands);
      const pending = { position, inProgress, vector: options.vectorOf(position.state, position.where) };
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
  placeOf({ position, inProgress, vector }: Pending): number | undefined {
    const configuration = this.#configurations.get(configurationKey(position, inProgress));
    return configuration === undefined ? undefined : this.#index.find(configuration, vector);
  }

  /** Moves a position by an outcome of the node, timer or wait at a path. */
  step(
    pending: Pending,
    { by, kind, outcome: name }: Pick<ExploredMove, 'by' | 'kind' | 'outcome'>,
    outcome?: OutcomeClass,
  ): Arrival | undefined {
    for (const unit of unitsOf(pending)) {
      if (kind !== (unit.kind === 'done' || unit.kind === 'error' ? 'node' : unit.kind)) continue;
      if (unit.kind === 'timer') {
        const way = timerOf(unit.live.name);
        if (way.by === by && way.outcome === name) return this.#arrivalOf(pending, unit, undefined);
      } else if (outcome && (unit.kind === 'wait' ? unit.path : unit.live.path) === by && fits(unit, outcome)) {
        // outcomes that depend on the state are made anew
        const now = this.#options.dependsOnState(by) ? this.#outcomesOf(pending, unit).find((each) => nameOf(each) === name) : outcome;
        return now && this.#arrivalOf(pending, unit, now);
      }
    }
    return undefined;
  }

  #leave(place: number, pending: Pending): void {
    for (const unit of unitsOf(pending)) {
      const key = this.#sharedKey(place, pending, unit);
      const known = key === undefined ? undefined : this.#shared.get(key);
      if (known !== undefined) {
        this.graph.addBlock(known);
        continue;
      }
      const block = this.graph.beginBlock();
      this.graph.addBlock(block);
      if (key !== undefined) this.#shared.set(key, block);
      const ways = new Set<string>();
      for (const outcome of this.#outcomesOf(pending, unit)) {
        if (this.#isTired()) return;
        const arrival = this.#arrivalOf(pending, unit, outcome, place);
        if (!arrival) continue;
        const count = this.graph.moveCount;
        const target = this.#arrive(arrival.pending, { from: place, move: count });
        if (target === undefined) continue;
        if (isIdle(arrival.pending))
          this.#fail(place, arrival.label, noEdge(`Nothing is in progress in "${arrival.pending.position.where}"`));
        const { state, where } = arrival.pending.position;
        const moment = this.#options.momentOf(state, where, arrival.label.edges);
        const way = this.#wayOf(target, arrival, moment);
        if (ways.has(way)) continue;
        ways.add(way);
        this.graph.addMove(target, this.#labelIndex(arrival.label), this.#outcomeAt(outcome), moment === '' ? undefined : state);
      }
    }
  }

  #outcomesOf({ position }: Pending, unit: Unit): readonly (OutcomeClass | undefined)[] {
    if (unit.kind === 'timer') return [undefined];
    const [path, kind] = unit.kind === 'wait' ? [unit.path, 'wait' as const] : [unit.live.path, 'node' as const];
    return this.#options.outcomesOf(path, kind, position.state).filter((outcome) => fits(unit, outcome));
  }

  /** Returns the key of a block that places share because a node replaces what distinguishes them. */
  #sharedKey(place: number, { vector }: Pending, unit: Unit): string | undefined {
    if (unit.kind !== 'done') return undefined;
    const survivors = this.#options.survivorsOf(unit.live.path);
    if (!survivors) return undefined;
    const configuration = this.graph.configurationAt.at(place);
    return `${configuration} ${unit.live.path} ${survivors.map((at) => vector[at]).join()}`;
  }

  /** Returns where an outcome leads; `undefined` for a refused outcome, and for a failure, which is noted. */
  #arrivalOf(pending: Pending, unit: Unit, outcome: OutcomeClass | undefined, place?: number): Arrival | undefined {
    this.#tried++;
    const { position, inProgress } = pending;
    const event = this.#eventOf(position.state, unit, outcome);
    if (!event) return undefined;
    const way =
      unit.kind === 'timer' ? timerOf(unit.live.name) : { by: unit.kind === 'wait' ? unit.path : unit.live.path, outcome: nameOf(outcome) };
    const kind = unit.kind === 'timer' || unit.kind === 'wait' ? unit.kind : 'node';
    const calls = outcome?.calls;
    const label = { ...way, kind, ...(calls ? { calls } : {}) } as const;
    let next: Move | undefined;
    try {
      next = this.#options.stepper.move(position, event);
    } catch (thrown) {
      if (thrown instanceof WorkflowError && thrown.code === 'ENDLESS_LOOP') this.#tried += movesPerLoop;
      this.#fail(place, label, thrown);
      return undefined;
    }
    if (!next) {
      if (kind !== 'wait') this.#fail(place, label, noEdge(`"${position.where}" has no edge for ${way.outcome} of "${way.by}"`));
      return undefined;
    }
    const rest = unit.kind === 'wait' ? inProgress : inProgress.filter((other) => other !== unit.live);
    const stops = next.commands.flatMap((command) => (command.type === 'stop' ? [command.id] : []));
    const stopped = rest.flatMap((live) => (live.type === 'start' && stops.includes(live.id) ? [live.path] : []));
    const { state } = Object.freeze(next.position);
    Object.freeze(state);
    const vector = this.#options.vectorOf(state, next.position.where);
    return {
      pending: { position: next.position, inProgress: follow(rest, next.commands), vector },
      label: { ...label, edges: next.edges, stopped },
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
    try {
      return { ...this.#options.stepper.parse({ ...outcome.event }) };
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
  #arrive(pending: Pending, arrival?: { readonly from: number; readonly move: number }): number | undefined {
    const { position, inProgress, vector } = pending;
    const key = configurationKey(position, inProgress);
    let configuration = this.#configurations.get(key);
    if (configuration === undefined) {
      configuration = this.graph.configurations.length;
      this.#configurations.set(key, configuration);
      const { where, done, waits } = position;
      const working = inProgress.flatMap((live) => (live.type === 'start' ? [live.path] : []));
      this.graph.configurations.push(toConfiguration({ where, done, waiting: waits.map(({ path }) => path), working }));
    }
    const known = this.#index.find(configuration, vector);
    if (known !== undefined) {
      this.#noteMerged(known, pending);
      this.#noteTwin(known, pending);
      return known;
    }
    if (this.graph.size >= this.#options.maxStates) {
      this.cut = true;
      return undefined;
    }
    const place = this.graph.addPlace(position.state, configuration, arrival);
    this.#index.add(configuration, vector);
    this.#pending.push(pending);
    return place;
  }

  #noteMerged(place: number, { position }: Pending): void {
    const count = this.#mergedCounts.get(place) ?? 0;
    if (count >= maxMerged || this.merged.length >= maxAllTwins || position.state === this.graph.state(place)) return;
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
    const units = unitsOf(pending);
    const found: string[] = [];
    for (const [at, unit] of units.entries()) {
      if (unit.kind === 'done' && !this.#options.survive(unit.live.path, this.graph.state(place), pending.position.state)) continue;
      const block = blocks[at];
      if (block === undefined) continue;
      for (let move = this.graph.firstMove(block); move < this.graph.endOfMoves(block); move++) {
        const target = this.graph.target(move);
        const label = this.graph.label(move);
        const moment = this.#options.momentOf(this.graph.stateAfter(move), this.graph.configuration(target).where, label.edges);
        expected.push(this.#wayOf(target, { label }, moment));
      }
      for (const outcome of this.#outcomesOf(pending, unit)) {
        const arrival = this.#arrivalOf(pending, unit, outcome);
        if (!arrival) continue;
        const target = this.placeOf(arrival.pending);
        const { state, where } = arrival.pending.position;
        found.push(this.#wayOf(target ?? -1, arrival, this.#options.momentOf(state, where, arrival.label.edges)));
        if (target !== undefined) this.#noteTwin(target, arrival.pending); // the two may differ later only
      }
    }
    if (isSame(expected, found)) return;
    this.misfits.push({ where: pending.position.where, states: [this.graph.state(place), pending.position.state] });
  }

  #wayOf(target: number, { label: { by, calls, edges } }: Pick<Arrival, 'label'>, moment: string): string {
    return `${target} ${by} ${calls ? JSON.stringify(calls) : ''} ${this.#textOf(edges)} ${moment}`;
  }

  #textOf(edges: readonly TakenEdge[]): string {
    const known = this.#edgeTexts.get(edges);
    if (known !== undefined) return known;
    const text = edges.map(({ from, on, guard }) => `${from} ${on} ${guard}`).join();
    this.#edgeTexts.set(edges, text);
    return text;
  }

  #labelIndex(label: Arrival['label']): number {
    if (label.calls || label.stopped.length > 0) return this.#labelOf(label);
    // a table has one list for each edge, so that most moves need no text
    const known = this.#labelsOf.get(label.edges) ?? new Map<string, number>();
    this.#labelsOf.set(label.edges, known);
    let index = known.get(label.outcome);
    if (index === undefined || this.graph.labels[index]?.by !== label.by) {
      index = this.#labelOf(label);
      known.set(label.outcome, index);
    }
    return index;
  }

  #labelOf(label: Arrival['label']): number {
    const { by, outcome, calls, edges, stopped } = label;
    const key = `${by}\n${outcome}\n${this.#textOf(edges)}\n${stopped.join()}\n${calls ? JSON.stringify(calls) : ''}`;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    this.graph.labels.push(toLabel(label));
    this.#labels.set(key, this.graph.labels.length - 1);
    return this.graph.labels.length - 1;
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

/** Returns what may end at a position, in an order that depends on nothing but its configuration. */
function unitsOf({ position, inProgress }: Pending): readonly Unit[] {
  const units: Unit[] = [];
  for (const live of inProgress.length > 1 ? inProgress.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : inProgress) {
    if (live.type === 'delay') units.push({ kind: 'timer', live });
    else units.push({ kind: 'done', live }, { kind: 'error', live });
  }
  for (const { path, accepts } of position.waits) units.push({ kind: 'wait', path, accepts });
  return units;
}

function fits(unit: Unit, outcome: OutcomeClass): boolean {
  if (unit.kind === 'wait') return 'event' in outcome && unit.accepts.includes(outcome.event.type);
  return unit.kind === 'error' ? 'error' in outcome : unit.kind === 'done' && 'patch' in outcome;
}

const isIdle = ({ position, inProgress }: Pending): boolean => !position.done && inProgress.length === 0 && position.waits.length === 0;

function configurationKey({ where, history = '' }: Position, inProgress: readonly InProgress[]): string {
  if (inProgress.length === 0 && history === '') return where; // a new text would have to be hashed for each move
  const [only] = inProgress;
  if (inProgress.length < 2) return `${where} ${only?.id ?? ''} ${history}`;
  return `${where} ${inProgress.map(({ id }) => id).sort()} ${history}`;
}

function timerOf(name: string): { readonly by: string; readonly outcome: string } {
  const at = name.lastIndexOf(' after ');
  return { by: name.slice(0, at), outcome: name.slice(at + 1) };
}

const names = new WeakMap<OutcomeClass, string>();

function nameOf(outcome: OutcomeClass | undefined): string {
  if (!outcome) return '';
  const known = names.get(outcome);
  if (known !== undefined) return known;
  const name = nameOfOutcome(outcome);
  names.set(outcome, name);
  return name;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((each) => b.has(each));
}

function follow(inProgress: readonly InProgress[], commands: readonly Command[]): readonly InProgress[] {
  if (commands.length === 0) return inProgress;
  let now = [...inProgress];
  for (const command of commands) {
    if (command.type === 'stop') now = now.filter(({ id }) => id !== command.id);
    else now.push(command);
  }
  return now;
}

const noEdge = (what: string): WorkflowError =>
  new WorkflowError({ code: 'NO_EDGE', message: `${what}.`, hint: 'Add an edge without a guard to the state.' });
