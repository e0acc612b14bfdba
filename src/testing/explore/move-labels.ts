import type { TakenEdge } from '../../engine/drive/stepper.ts';
import { IntList } from './int-list.ts';
import { type MoveLabel, toLabel } from './place-graph.ts';

type Parts = Omit<MoveLabel, 'took'>;

/** Numbers the labels of moves, and their ways: labels of one way have the same edges and calls. */
export class MoveLabels {
  readonly #labels: MoveLabel[];
  readonly #indices = new Map<string, number>();
  readonly #indicesOf = new WeakMap<readonly TakenEdge[], Map<string, number>>();
  readonly #ways = new Map<string, number>();
  /** Way of each label. */
  readonly #wayAt = new IntList();
  readonly #edgeTexts = new WeakMap<readonly TakenEdge[], string>();

  /** @param labels Receives the labels. */
  constructor(labels: MoveLabel[]) {
    this.#labels = labels;
  }

  /** Returns the index of a label, and adds it if it is new. */
  indexOf(label: Parts): number {
    if (label.calls || label.stopped.length > 0) return this.#findIndex(label);
    // a table has one list for each edge, so that most moves need no text
    const known = this.#indicesOf.get(label.edges) ?? new Map<string, number>();
    this.#indicesOf.set(label.edges, known);
    let index = known.get(label.outcome);
    if (index === undefined || this.#labels[index]?.by !== label.by) {
      index = this.#findIndex(label);
      known.set(label.outcome, index);
    }
    return index;
  }

  /** Returns the way of a label, by its index. */
  wayAt(index: number): number {
    return this.#wayAt.at(index);
  }

  wayOf({ by, calls, edges }: Parts): number {
    const text = `${by}\n${this.#textOf(edges)}\n${calls ? JSON.stringify(calls) : ''}`;
    const way = this.#ways.get(text) ?? this.#ways.size;
    this.#ways.set(text, way);
    return way;
  }

  #findIndex(label: Parts): number {
    const way = this.wayOf(label);
    const key = `${way}\n${label.outcome}\n${label.stopped.join()}`;
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = this.#labels.push(toLabel(label)) - 1;
    this.#indices.set(key, index);
    this.#wayAt.push(way);
    return index;
  }

  #textOf(edges: readonly TakenEdge[]): string {
    const known = this.#edgeTexts.get(edges);
    if (known !== undefined) return known;
    const text = edges.map(({ from, on, guard }) => `${from} ${on} ${guard}`).join();
    this.#edgeTexts.set(edges, text);
    return text;
  }
}
