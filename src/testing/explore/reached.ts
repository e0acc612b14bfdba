import type { Path, PlaceGraph } from './place-graph.ts';

/** Places that are reached from some others along selected moves, nearest first. */
export class Reached {
  readonly #graph: PlaceGraph;
  readonly #origins = new Map<number, { readonly from: number; readonly move: number } | undefined>();

  constructor(graph: PlaceGraph, starts: readonly number[]) {
    this.#graph = graph;
    for (const start of starts) this.#origins.set(start, undefined);
  }

  get places(): Iterable<number> {
    return this.#origins.keys();
  }

  has(place: number): boolean {
    return this.#origins.has(place);
  }

  /**
   * Follows moves.
   *
   * @param judge decides about each move once, although several places may share it.
   * @returns the first move at which to stop, and the place that it leaves.
   */
  search(judge: (move: number) => 'follow' | 'skip' | 'stop'): { readonly from: number; readonly move: number } | undefined {
    const seen = new Set<number>();
    // a Map's iteration also visits entries that are added during it
    for (const [from] of this.#origins) {
      const move = this.#graph.findMove(from, seen, (each) => {
        const judgement = judge(each);
        const to = this.#graph.target(each);
        if (judgement === 'follow' && !this.#origins.has(to)) this.#origins.set(to, { from, move: each });
        return judgement === 'stop';
      });
      if (move !== undefined) return { from, move };
    }
    return undefined;
  }

  pathTo(place: number): Path {
    const moves: number[] = [];
    let start = place;
    for (let step = this.#origins.get(place); step; step = this.#origins.get(start)) {
      moves.push(step.move);
      start = step.from;
    }
    return { start, moves: moves.reverse() };
  }
}
