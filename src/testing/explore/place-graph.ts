import type { MachineContext } from 'xstate';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import { type Counterexample, toCounterexample } from './counterexample.ts';
import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import { IntList } from './int-list.ts';
import type { Moment } from './invariant.ts';
import type { OutcomeClass } from './outcome-class.ts';

/** Active states and work in progress: all of a place but its state. */
export interface Configuration {
  readonly where: string;
  readonly done: boolean;
  readonly waiting: readonly string[];
  readonly working: readonly string[];
  isIn(path: string): boolean;
}

/** The part of a move that does not depend on its places. */
export interface MoveLabel extends Pick<ExploredMove, 'by' | 'kind' | 'outcome' | 'calls' | 'edges' | 'stopped'> {
  took: Moment['took'];
}

/** Returns a configuration that answers `isIn`. */
export function toConfiguration(parts: Omit<Configuration, 'isIn'>): Configuration {
  const active = new Set<string>();
  for (const part of parts.where.split('|')) {
    for (let path = part; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) active.add(path);
  }
  return { ...parts, isIn: (path) => active.has(path) };
}

/** Returns a label that answers `took`. */
export const toLabel = (parts: Omit<MoveLabel, 'took'>): MoveLabel => ({ ...parts, took: tookIn(parts.edges) });

const tookIn =
  (edges: readonly TakenEdge[]): Moment['took'] =>
  (from, on, guard) =>
    edges.some((edge) => edge.from === from && (on === undefined || edge.on === on) && (guard === undefined || edge.guard === guard));

const noEdges: readonly TakenEdge[] = [];
const tookNothing = tookIn(noEdges);

/** Returns a moment: a place, and the move that reached it. */
export function toMoment<TState>(configuration: Configuration, state: Readonly<TState>, label?: MoveLabel): Moment<TState> {
  const { where, done, waiting, isIn } = configuration;
  if (!label) return { where, state, done, waiting, edges: noEdges, isIn, took: tookNothing };
  const { by, outcome, edges, took } = label;
  return { where, state, done, waiting, by, outcome, edges, isIn, took };
}

/**
 * Places of runs and the moves between them, in columns. A *block* is a list of moves that several places share, because the moves do not
 * depend on what distinguishes these places.
 */
export class PlaceGraph {
  /** One state for each place. */
  readonly states: MachineContext[] = [];
  readonly configurations: Configuration[] = [];
  readonly labels: MoveLabel[] = [];
  readonly outcomes: (OutcomeClass | undefined)[] = [];
  /** Places at which runs start. */
  readonly starts: number[] = [];
  readonly depths: IntList = new IntList();
  /** Index of a place's configuration. */
  readonly configurationAt: IntList = new IntList();
  /** Index of a place's first move, `-1` at a start. */
  readonly #arrivals = new IntList();
  /** Place from which the first move has left. */
  readonly #origins = new IntList();
  readonly #firstBlocks = new IntList();
  readonly #blocks = new IntList();
  readonly #firstMoves = new IntList();
  readonly #targets = new IntList();
  readonly #labelAt = new IntList();
  readonly #outcomeAt = new IntList();
  readonly #explored: ExploredState[] = [];
  readonly #statesAfter = new Map<number, MachineContext>();

  get size(): number {
    return this.states.length;
  }

  get blockCount(): number {
    return this.#firstMoves.length;
  }

  get moveCount(): number {
    return this.#targets.length;
  }

  addPlace(state: MachineContext, configuration: number, arrival?: { readonly from: number; readonly move: number }): number {
    const place = this.states.length;
    this.states.push(state);
    this.configurationAt.push(configuration);
    this.depths.push(arrival ? this.depths.at(arrival.from) + 1 : 0);
    this.#origins.push(arrival ? arrival.from : -1);
    this.#arrivals.push(arrival ? arrival.move : -1);
    return place;
  }

  /** Begins the blocks of the next place. Places must begin theirs in their order. */
  beginPlace(): void {
    this.#firstBlocks.push(this.#blocks.length);
  }

  /** Begins a block and returns its index. */
  beginBlock(): number {
    this.#firstMoves.push(this.#targets.length);
    return this.#firstMoves.length - 1;
  }

  addBlock(block: number): void {
    this.#blocks.push(block);
  }

  /**
   * Adds a move to the last block.
   *
   * @param state State after it, if it matters at that moment and not later. Default: the state of the target.
   */
  addMove(target: number, label: number, outcome: number, state?: MachineContext): void {
    if (state) this.#statesAfter.set(this.#targets.length, state);
    this.#targets.push(target);
    this.#labelAt.push(label);
    this.#outcomeAt.push(outcome);
  }

  /** Calls `visit` with each block of a place. */
  eachBlock(place: number, visit: (block: number) => void): void {
    for (let at = this.firstBlock(place); at < this.endOfBlocks(place); at++) visit(this.blockAt(at));
  }

  /** Index of a place's first block in the list of all places' blocks. */
  firstBlock(place: number): number {
    return this.isExpanded(place) ? this.#firstBlocks.at(place) : this.#blocks.length;
  }

  endOfBlocks(place: number): number {
    return this.isExpanded(place + 1) ? this.#firstBlocks.at(place + 1) : this.#blocks.length;
  }

  blockAt(index: number): number {
    return this.#blocks.at(index);
  }

  isExpanded(place: number): boolean {
    return place < this.#firstBlocks.length;
  }

  /**
   * Returns the first move of a place that passes a test.
   *
   * @param seen Blocks to skip, because another place has shown them already. The blocks of this place are added.
   */
  findMove(place: number, seen: Set<number> | undefined, test: (move: number) => boolean): number | undefined {
    let found: number | undefined;
    this.eachBlock(place, (block) => {
      if (found !== undefined || seen?.has(block)) return;
      seen?.add(block);
      for (let move = this.firstMove(block); move < this.endOfMoves(block) && found === undefined; move++) if (test(move)) found = move;
    });
    return found;
  }

  /** Returns 1 for each place that is a goal, or from which some moves lead to a goal or along a goal move. */
  leadingTo(isGoal: (place: number) => boolean, isGoalMove: (move: number) => boolean = () => false): Uint8Array {
    const able = new Uint8Array(this.size);
    const open: number[] = [];
    const mark = (place: number): void => {
      if (able[place] === 1) return;
      able[place] = 1;
      open.push(place);
    };
    const { blocksInto, placesOf } = this.#backwards();
    const isBlockDone = new Uint8Array(this.blockCount);
    const leave = (block: number): void => {
      if (isBlockDone[block] === 1) return;
      isBlockDone[block] = 1;
      placesOf(block, mark);
    };
    for (let place = 0; place < this.size; place++) if (isGoal(place)) mark(place);
    for (let block = 0; block < this.blockCount; block++) {
      for (let move = this.firstMove(block); move < this.endOfMoves(block); move++) {
        if (isGoalMove(move)) {
          leave(block);
          break;
        }
      }
    }
    for (let place = open.pop(); place !== undefined; place = open.pop()) blocksInto(place, leave);
    return able;
  }

  /** Returns the graph's edges in the opposite direction. */
  #backwards(): { readonly blocksInto: Visit; readonly placesOf: Visit } {
    const into = new Adjacency(this.size, (add) => {
      for (let block = 0; block < this.blockCount; block++) {
        for (let move = this.firstMove(block); move < this.endOfMoves(block); move++) add(this.target(move), block);
      }
    });
    const owners = new Adjacency(this.blockCount, (add) => {
      for (let place = 0; place < this.size; place++) this.eachBlock(place, (block) => add(block, place));
    });
    return { blocksInto: (place, visit) => into.each(place, visit), placesOf: (block, visit) => owners.each(block, visit) };
  }

  firstMove(block: number): number {
    return this.#firstMoves.at(block);
  }

  endOfMoves(block: number): number {
    return block + 1 < this.#firstMoves.length ? this.#firstMoves.at(block + 1) : this.#targets.length;
  }

  target(move: number): number {
    return this.#targets.at(move);
  }

  label(move: number): MoveLabel {
    const label = this.labels[this.#labelAt.at(move)];
    if (!label) throw new Error(`no move ${move}`);
    return label;
  }

  labelIndex(move: number): number {
    return this.#labelAt.at(move);
  }

  outcome(move: number): OutcomeClass | undefined {
    return this.outcomes[this.#outcomeAt.at(move)];
  }

  configuration(place: number): Configuration {
    const configuration = this.configurations[this.configurationAt.at(place)];
    if (!configuration) throw new Error(`no place ${place}`);
    return configuration;
  }

  state(place: number): MachineContext {
    return this.states[place] ?? {};
  }

  /** Returns the state right after a move. */
  stateAfter(move: number): MachineContext {
    return this.#statesAfter.get(move) ?? this.state(this.target(move));
  }

  momentAt(place: number, move?: number): Moment<MachineContext> {
    if (move === undefined) return toMoment(this.configuration(place), this.state(place));
    return toMoment(this.configuration(place), this.stateAfter(move), this.label(move));
  }

  /** Returns a number for a moment, equal for moments that differ in nothing but their states. */
  kindOf(place: number, move?: number): number {
    const label = move === undefined ? 0 : this.#labelAt.at(move) + 1;
    return this.configurationAt.at(place) * (this.labels.length + 1) + label;
  }

  /** Returns the shortest path to a place: its start, and the moves from there. */
  pathTo(place: number): Path {
    const moves: number[] = [];
    let start = place;
    for (let at = place; this.#arrivals.at(at) >= 0; at = this.#origins.at(at)) {
      moves.unshift(this.#arrivals.at(at));
      start = this.#origins.at(at);
    }
    return { start, moves };
  }

  explored(place: number): ExploredState {
    const known = this.#explored[place];
    if (known) return known;
    const { where, done, waiting, working } = this.configuration(place);
    const made = { index: place, where, state: this.state(place), working, waiting, done, depth: this.depths.at(place) };
    this.#explored[place] = made;
    return made;
  }

  /** Returns a move as it leaves a place. */
  exploredMove(from: number, move: number): ExploredMove {
    const { took: _, ...label } = this.label(move);
    const to = this.target(move);
    return { from: this.explored(from), to: this.explored(to), ...label, state: this.stateAfter(move) };
  }

  /** Indices of the moves that leave a place. */
  movesOf(place: number): readonly number[] {
    const moves: number[] = [];
    this.eachBlock(place, (block) => {
      for (let move = this.firstMove(block); move < this.endOfMoves(block); move++) moves.push(move);
    });
    return moves;
  }

  movesFrom(place: number): readonly ExploredMove[] {
    return this.movesOf(place).map((move) => this.exploredMove(place, move));
  }
}

type Visit = (of: number, visit: (other: number) => void) => void;

/** Neighbours of numbered vertices, in two arrays. */
class Adjacency {
  readonly #first: Int32Array;
  readonly #others: Int32Array;

  /** @param list Lists all pairs, in the same order each time. */
  constructor(size: number, list: (add: (of: number, other: number) => void) => void) {
    const first = new Int32Array(size + 1);
    let count = 0;
    list((of) => {
      first[of + 1] = (first[of + 1] ?? 0) + 1;
      count++;
    });
    for (let at = 0; at < size; at++) first[at + 1] = (first[at + 1] ?? 0) + (first[at] ?? 0);
    const next = first.slice();
    const others = new Int32Array(count);
    list((of, other) => {
      others[next[of] ?? 0] = other;
      next[of] = (next[of] ?? 0) + 1;
    });
    this.#first = first;
    this.#others = others;
  }

  each(of: number, visit: (other: number) => void): void {
    for (let at = this.#first[of] ?? 0; at < (this.#first[of + 1] ?? 0); at++) visit(this.#others[at] ?? 0);
  }
}

/** Indices of a path's start and its moves. */
export interface Path {
  readonly start: number;
  readonly moves: readonly number[];
  /** Index in `moves` of the first move of an endless loop. */
  readonly loopFrom?: number;
}

/** Returns a path as a counterexample. */
export function pathOf(graph: PlaceGraph, { start, moves, loopFrom }: Path): Counterexample {
  let from = start;
  const made = moves.map((move) => {
    const explored = graph.exploredMove(from, move);
    from = graph.target(move);
    return explored;
  });
  return toCounterexample(graph.explored(start), made, loopFrom);
}

/** Returns the graph of an exploration that was made by hand, such as the path of one run. */
export function toPlaceGraph({ states, moves }: Exploration): PlaceGraph {
  const graph = new PlaceGraph();
  const index = new Map(states.map((state, at) => [state, at]));
  const first = new Map<ExploredState, { readonly from: number; readonly move: number }>();
  const leaving = Map.groupBy(moves, ({ from }) => from);
  let count = 0;
  for (const state of states) {
    for (const { from, to } of leaving.get(state) ?? []) {
      if (to.depth > from.depth && !first.has(to)) first.set(to, { from: index.get(from) ?? 0, move: count });
      count++;
    }
  }
  for (const state of states) {
    graph.configurations.push(toConfiguration(state));
    const place = graph.addPlace(state.state, graph.configurations.length - 1, state.depth === 0 ? undefined : first.get(state));
    if (state.depth === 0) graph.starts.push(place);
  }
  for (const state of states) {
    graph.beginPlace();
    graph.addBlock(graph.beginBlock());
    for (const { to, from: _from, state: _state, ...label } of leaving.get(state) ?? []) {
      graph.labels.push(toLabel(label));
      graph.addMove(index.get(to) ?? 0, graph.labels.length - 1, -1);
    }
  }
  return graph;
}
