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

/** Number of a vertex that is in no loop. */
const noLoop = 0x7fffffff;

/**
 * Returns for each place the number of its loop, 0 for none: the strongly connected components of places and blocks. Blocks are vertices
 * too, because a block that many places share would otherwise count once for each of them.
 *
 * The variant of Tarjan's algorithm by Pearce (2016) needs one number for each vertex and one stack. Less memory matters here: its
 * allocation makes V8 mark all states, which takes as long as the search.
 */
function loopsOf(graph: PlaceGraph, reached: Reached, isLeft: (move: number) => boolean): Int32Array {
  const { size } = graph;
  const vertices = size + graph.blockCount;
  // an open vertex has the least number of an open one that it reaches; a closed one has the number of its loop, which is larger
  const numbers = new Int32Array(vertices);
  const isRoot = new Uint8Array(vertices);
  // in front the vertices that are being walked, at the back those that were walked and are in no component yet
  const stack = new Int32Array(vertices);
  // the index of the next successor of each vertex in front
  const next = new Int32Array(vertices);
  let [depth, back, count, loops] = [0, vertices, 0, vertices];
  const enter = (vertex: number): void => {
    numbers[vertex] = ++count;
    isRoot[vertex] = 1;
    stack[depth] = vertex;
    next[depth++] = vertex < size ? graph.firstBlock(vertex) : graph.firstMove(vertex - size);
  };
  /** Returns the next successor of the last vertex in front, `-1` after the last one. */
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
    const number = numbers[to] ?? 0;
    if (number >= (numbers[vertex] ?? 0)) return;
    numbers[vertex] = number;
    isRoot[vertex] = 0;
  };
  /** Closes the component of a vertex that reaches no open vertex before it. */
  const close = (vertex: number): void => {
    const number = numbers[vertex] ?? 0;
    const isInside = (): boolean => back < vertices && (numbers[stack[back] ?? 0] ?? 0) >= number;
    const loop = isInside() ? ++loops : noLoop;
    while (isInside()) numbers[stack[back++] ?? 0] = loop;
    numbers[vertex] = loop;
  };
  for (let start = 0; start < reached.size; start++) {
    if (numbers[reached.placeAt(start)] !== 0) continue;
    enter(reached.placeAt(start));
    while (depth > 0) {
      const vertex = stack[depth - 1] ?? 0;
      const to = successor(vertex);
      if (to >= 0) {
        if (numbers[to] === 0) enter(to);
        else lower(vertex, to);
        continue;
      }
      depth--;
      if (isRoot[vertex] === 1) close(vertex);
      else stack[--back] = vertex;
      if (depth > 0) lower(stack[depth - 1] ?? 0, vertex);
    }
  }
  for (let place = 0; place < size; place++) if (numbers[place] === noLoop) numbers[place] = 0;
  return numbers;
}
