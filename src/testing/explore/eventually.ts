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
        const ended = firstOf(reached.places, (place) => graph.configuration(place).done);
        const way = ended === undefined ? undefined : reached.pathTo(ended);
        const circle = shortestLoop(graph, reached, left);
        if (way && (!circle || way.moves.length <= circle.path.moves.length)) {
          return { why: () => `A run ends in "${graph.configuration(ended ?? 0).where}" without it.`, path: way };
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

function firstOf(places: Iterable<number>, fits: (place: number) => boolean): number | undefined {
  for (const place of places) if (fits(place)) return place;
  return undefined;
}

/** Returns the shortest path into and around a loop of selected moves. */
function shortestLoop(graph: PlaceGraph, reached: Reached, isLeft: (move: number) => boolean): Violation | undefined {
  const component = loopsOf(graph, reached, isLeft);
  let shortest: readonly number[] | undefined;
  let found: Violation | undefined;
  for (const place of reached.places) {
    if (component[place] === 0) continue;
    const way = reached.pathTo(place);
    const best = shortest?.length ?? Number.POSITIVE_INFINITY;
    if (way.moves.length + 1 >= best) break; // places are ordered by distance
    const round = wayBack(
      graph,
      place,
      best - way.moves.length,
      (move) => isLeft(move) && component[graph.target(move)] === component[place],
    );
    if (!round) continue;
    shortest = [...way.moves, ...round];
    found = { why: () => 'A run can loop forever without it.', path: { start: way.start, moves: shortest, loopFrom: way.moves.length } };
  }
  return found;
}

/** Returns a shortest path from a place back to itself, with fewer moves than `limit`. */
function wayBack(graph: PlaceGraph, place: number, limit: number, isAllowed: (move: number) => boolean): readonly number[] | undefined {
  const reached = new Reached(graph, [place]);
  const end = reached.search((move) => {
    if (!isAllowed(move)) return 'skip';
    return graph.target(move) === place ? 'stop' : 'follow';
  });
  if (!end) return undefined;
  const { moves } = reached.pathTo(end.from);
  return moves.length + 1 < limit ? [...moves, end.move] : undefined;
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
  const open: number[] = [];
  let [count, components] = [0, 0];
  const successors = (vertex: number): readonly number[] => {
    const found: number[] = [];
    if (vertex < size) graph.eachBlock(vertex, (block) => found.push(size + block));
    else {
      const block = vertex - size;
      for (let move = graph.firstMove(block); move < graph.endOfMoves(block); move++) if (isLeft(move)) found.push(graph.target(move));
    }
    return found;
  };
  const enter = (vertex: number): { vertex: number; next: readonly number[]; at: number } => {
    count++;
    order[vertex] = count;
    low[vertex] = count;
    isOpen[vertex] = 1;
    open.push(vertex);
    return { vertex, next: successors(vertex), at: 0 };
  };
  const lower = (vertex: number, to: number): void => {
    low[vertex] = Math.min(low[vertex] ?? 0, to);
  };
  for (const place of reached.places) {
    if (order[place] !== 0) continue;
    const stack = [enter(place)];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.next[top.at++];
      if (next !== undefined) {
        if (order[next] === 0) stack.push(enter(next));
        else if (isOpen[next] === 1) lower(top.vertex, order[next] ?? 0);
        continue;
      }
      stack.pop();
      const parent = stack.at(-1);
      if (parent) lower(parent.vertex, low[top.vertex] ?? 0);
      if (low[top.vertex] !== order[top.vertex]) continue;
      const members = open.splice(open.lastIndexOf(top.vertex));
      components++;
      for (const member of members) {
        isOpen[member] = 0;
        if (members.length > 1 && member < size) component[member] = components;
      }
    }
  }
  return component;
}
