import { IntList } from './int-list.ts';
import type { Path, PlaceGraph } from './place-graph.ts';

/** Places that are reached from some others along selected moves, nearest first. */
export class Reached {
  readonly #graph: PlaceGraph;
  readonly #places: IntList;
  /** For each reached place, the index of the one before it, `-1` for a start. */
  readonly #before: IntList;
  /** For each reached place, the move that reached it. */
  readonly #moves: IntList;
  readonly #depths: IntList;
  /** Index of each place among the reached ones, counted from 1; 0 for the others. */
  readonly #indices: Int32Array;
  readonly #isSeen: Uint8Array;

  constructor(graph: PlaceGraph, starts: readonly number[]) {
    this.#graph = graph;
    // a search from the starts mostly reaches all places
    const capacity = starts.length > 0 ? graph.size : 0;
    this.#places = new IntList(capacity);
    this.#before = new IntList(capacity);
    this.#moves = new IntList(capacity);
    this.#depths = new IntList(capacity);
    this.#indices = new Int32Array(graph.size);
    this.#isSeen = new Uint8Array(graph.blockCount);
    for (const start of starts) this.#add(start, -1, -1);
  }

  /** Forgets everything. Takes as long as the search did, however large the graph is. */
  restart(start: number): void {
    for (let at = 0; at < this.size; at++) {
      this.#indices[this.placeAt(at)] = 0;
      this.#graph.eachBlock(this.placeAt(at), (block) => {
        this.#isSeen[block] = 0;
      });
    }
    for (const list of [this.#places, this.#before, this.#moves, this.#depths]) list.length = 0;
    this.#add(start, -1, -1);
  }

  get size(): number {
    return this.#places.length;
  }

  placeAt(index: number): number {
    return this.#places.at(index);
  }

  /** Returns the number of moves to a reached place. */
  depthAt(index: number): number {
    return this.#depths.at(index);
  }

  /**
   * Follows moves.
   *
   * @param judge decides about each move once, although several places may share it.
   * @param maxMoves Most moves of a path. Default: no limit.
   * @returns the first move at which to stop, and the index of the place that it leaves.
   */
  search(
    judge: (move: number) => 'follow' | 'skip' | 'stop',
    maxMoves: number = Number.POSITIVE_INFINITY,
  ): { readonly index: number; readonly move: number } | undefined {
    const graph = this.#graph;
    for (let index = 0; index < this.size && this.depthAt(index) < maxMoves; index++) {
      const place = this.placeAt(index);
      for (let at = graph.firstBlock(place); at < graph.endOfBlocks(place); at++) {
        const block = graph.blockAt(at);
        if (this.#isSeen[block] === 1) continue;
        this.#isSeen[block] = 1;
        for (let move = graph.firstMove(block); move < graph.endOfMoves(block); move++) {
          const judgement = judge(move);
          if (judgement === 'stop') return { index, move };
          if (judgement === 'follow') this.#add(graph.target(move), index, move);
        }
      }
    }
    return undefined;
  }

  /** Returns a shortest path to a reached place. */
  pathAt(index: number): Path {
    const moves: number[] = [];
    let start = index;
    for (; this.#before.at(start) >= 0; start = this.#before.at(start)) moves.push(this.#moves.at(start));
    return { start: this.placeAt(start), moves: moves.reverse() };
  }

  #add(place: number, before: number, move: number): void {
    if (this.#indices[place] !== 0) return;
    this.#places.push(place);
    this.#before.push(before);
    this.#moves.push(move);
    this.#depths.push(before < 0 ? 0 : this.depthAt(before) + 1);
    this.#indices[place] = this.size;
  }
}
