import type { MachineContext } from 'xstate';
import { decide, type Violation } from './decide.ts';
import type { Invariant, Predicate } from './invariant.ts';
import type { PlaceGraph } from './place-graph.ts';
import { Reached } from './reached.ts';

/**
 * Invariant that every run reaches a condition: no run ends or loops without it. Waiting for a human forever is not a loop. Repeating the
 * same nodes is one, unless a distinguished value counts the rounds.
 *
 * @example eventually('every run ends', ({ done }) => done)
 */
export const eventually = <TState = MachineContext>(name: string, comes: Predicate<TState>): Invariant<TState> => ({
  name,
  predicates: [comes],
  check: (given) =>
    decide(given, {
      predicates: [comes],
      find(graph, holds) {
        const goal = comes as Predicate;
        const isLeft = (move: number): boolean => !holds(goal, graph.target(move), move);
        const left = keptMoves(graph, isLeft);
        const reached = new Reached(
          graph,
          graph.starts.filter((place) => !holds(goal, place)),
        );
        reached.search((move) => (left(move) ? 'follow' : 'skip'));
        const ended = firstEnd(graph, reached);
        const way = ended === undefined ? undefined : reached.pathAt(ended);
        const circle = shortestLoop(graph, reached, left);
        if (ended !== undefined && way && (!circle || way.moves.length <= circle.path.moves.length)) {
          return { why: () => `A run ends in "${graph.configuration(reached.placeAt(ended)).where}" without it.`, path: way };
        }
        return circle;
      },
    }),
});

/** Returns the selection, evaluated once for each move. */
function keptMoves(graph: PlaceGraph, isKept: (move: number) => boolean): (move: number) => boolean {
  const answers = new Int8Array(graph.moveCount);
  return (move) => {
    if (answers[move] === 0) answers[move] = isKept(move) ? 1 : 2;
    return answers[move] === 1;
  };
}

/** Returns the index of the first reached place at which a run has ended. */
function firstEnd(graph: PlaceGraph, reached: Reached): number | undefined {
  for (let at = 0; at < reached.size; at++) if (graph.configuration(reached.placeAt(at)).done) return at;
  return undefined;
}

/** Returns the shortest path into and around a loop of selected moves. */
function shortestLoop(graph: PlaceGraph, reached: Reached, isLeft: (move: number) => boolean): Violation | undefined {
  const component = loopsOf(graph, reached, isLeft);
  const around = new Reached(graph, []);
  let shortest = Number.POSITIVE_INFINITY;
  let found: Violation | undefined;
  for (let at = 0; at < reached.size && reached.depthAt(at) + 1 < shortest; at++) {
    const place = reached.placeAt(at);
    if (component[place] === 0) continue;
    around.restart(place);
    const end = around.search(
      (move) => {
        const to = graph.target(move);
        if (!isLeft(move) || component[to] !== component[place]) return 'skip';
        return to === place ? 'stop' : 'follow';
      },
      shortest - reached.depthAt(at) - 1,
    );
    if (!end) continue;
    const { start, moves } = reached.pathAt(at);
    const path = { start, moves: [...moves, ...around.pathAt(end.index).moves, end.move], loopFrom: moves.length };
    shortest = path.moves.length;
    found = { why: () => 'A run can loop forever without it.', path };
  }
  return found;
}

/**
 * Returns for each place the number of its loop, 0 for none: the strongly connected components (Tarjan) of places and blocks. Blocks are
 * vertices too, because a block that many places share would otherwise count once for each of them.
 */
function loopsOf(graph: PlaceGraph, reached: Reached, isLeft: (move: number) => boolean): Int32Array {
  const { size } = graph;
  const vertices = size + graph.blockCount;
  const order = new Int32Array(vertices);
  const low = new Int32Array(vertices);
  const isOpen = new Uint8Array(vertices);
  const component = new Int32Array(size);
  // the vertices that are in no component yet; those that are being walked, and the index of the next successor of each of them
  const [open, stack, next] = [new Int32Array(vertices), new Int32Array(vertices), new Int32Array(vertices)];
  let [opened, depth, count, components] = [0, 0, 0, 0];
  const enter = (vertex: number): void => {
    count++;
    order[vertex] = count;
    low[vertex] = count;
    isOpen[vertex] = 1;
    open[opened++] = vertex;
    stack[depth] = vertex;
    next[depth++] = vertex < size ? graph.firstBlock(vertex) : graph.firstMove(vertex - size);
  };
  /** Returns the next successor of the last vertex of the stack, `-1` after the last one. */
  const successor = (vertex: number): number => {
    const end = vertex < size ? graph.endOfBlocks(vertex) : graph.endOfMoves(vertex - size);
    for (let at = next[depth - 1] ?? 0; at < end; at++) {
      if (vertex >= size && !isLeft(at)) continue;
      next[depth - 1] = at + 1;
      return vertex < size ? size + graph.blockAt(at) : graph.target(at);
    }
    return -1;
  };
  const lower = (vertex: number, to: number): void => {
    if (to < (low[vertex] ?? 0)) low[vertex] = to;
  };
  for (let start = 0; start < reached.size; start++) {
    if (order[reached.placeAt(start)] !== 0) continue;
    enter(reached.placeAt(start));
    while (depth > 0) {
      const vertex = stack[depth - 1] ?? 0;
      const to = successor(vertex);
      if (to >= 0) {
        if (order[to] === 0) enter(to);
        else if (isOpen[to] === 1) lower(vertex, order[to] ?? 0);
        continue;
      }
      depth--;
      if (depth > 0) lower(stack[depth - 1] ?? 0, low[vertex] ?? 0);
      if (low[vertex] !== order[vertex]) continue;
      const isLoop = open[opened - 1] !== vertex;
      if (isLoop) components++;
      for (let isLast = false; !isLast; ) {
        const member = open[--opened] ?? 0;
        isLast = member === vertex;
        isOpen[member] = 0;
        if (isLoop && member < size) component[member] = components;
      }
    }
  }
  return component;
}
