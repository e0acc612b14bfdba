import type { GraphState, MachineGraph } from '../../engine/define/graph.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import { distinctBy } from './distinct-by.ts';
import { toLeafGraph } from './leaf-graph.ts';

/** Effect of an event or a failure on the keys of the state. */
export interface PatchEffect {
  /** Type of the event; `error` for a failure. */
  readonly on: string;
  /** Keys that decide the patch. */
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** Keys whose next value depends on their present one. */
  readonly changes: ReadonlySet<string>;
  /** Keys that it replaces in every state. */
  readonly overwrites: ReadonlySet<string>;
}

export interface LiveKeysOptions {
  readonly graph: MachineGraph;
  /** Keys that matter. */
  readonly keys: readonly string[];
  readonly effects: readonly PatchEffect[];
  /** Keys that are live everywhere, because a search has shown that they matter where they seemed not to. */
  readonly always: ReadonlySet<string>;
  /** Returns the keys that a guard reads. */
  readsOf(guard: string): ReadonlySet<string>;
  /** Returns the keys that all patches of a node replace. */
  overwrittenBy(path: string): ReadonlySet<string>;
  /** Returns the keys that decide the given outcomes of a node or a wait. */
  readsOfOutcomes(path: string): ReadonlySet<string>;
  /** Returns the keys with a reducer that a node may patch. */
  reducedBy(path: string): ReadonlySet<string>;
  /** Returns the keys that properties read in a state without inner states, however it was reached. */
  readsIn(path: string): ReadonlySet<string>;
  /** Returns the keys that properties read at the moment after an edge. */
  readsAfter(edge: TakenEdge): ReadonlySet<string>;
}

/**
 * Finds the live keys of each configuration: something that can be reached from it may read them before they are overwritten. Places that
 * differ in other keys only continue equally. The walk follows every edge, whatever its guard says.
 */
export class LiveKeys {
  readonly #options: LiveKeysOptions;
  readonly #graph: ReturnType<typeof toLeafGraph>;
  readonly #live = new Map<string, Set<string>>();
  /** Live keys that may still change in a way that depends on their present value. */
  readonly #changing = new Map<string, Set<string>>();
  readonly #all: ReadonlySet<string>;
  readonly #known = new Map<string, ReadonlySet<string>>();
  readonly #knownChanging = new Map<string, ReadonlySet<string>>();
  /** True if an event can lead to changes that are not visible at the edge that takes it. */
  readonly #isIndirect: boolean;

  constructor(options: LiveKeysOptions) {
    this.#options = options;
    this.#graph = toLeafGraph(options.graph);
    this.#all = new Set(options.keys);
    const { states } = options.graph;
    this.#isIndirect = states.some(({ edges }) => edges.some(({ on }) => on === 'always'));
    if (states.some(({ history }) => history !== undefined)) return; // a history state leads to states that its edges do not name
    const leaves = states.filter(({ kind }) => kind !== 'compound' && kind !== 'parallel');
    for (const { path } of leaves) {
      this.#live.set(path, new Set([...options.readsIn(path), ...options.always]));
      this.#changing.set(path, new Set([...options.always, ...(this.#isIndirect ? options.keys : [])]));
    }
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const leaf of leaves) isNew = this.#extend(leaf) || isNew;
    }
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const leaf of leaves) isNew = this.#extendChanging(leaf) || isNew;
    }
  }

  /** Live keys of all states as a text. */
  get text(): string {
    return textOf([this.#live, this.#changing]);
  }

  /** Returns the live keys that may change in a way that depends on their present value, and be read after that. */
  changingAt(where: string): ReadonlySet<string> {
    const known = this.#knownChanging.get(where);
    if (known) return known;
    const paths = where.split('|');
    const isKnown = paths.every((path) => this.#changing.has(path));
    const found = isKnown ? union(paths.map((path) => this.#changing.get(path) ?? [])) : this.#all;
    this.#knownChanging.set(where, found);
    return found;
  }

  /** Returns the keys that are read when edges have led to a configuration, although they are not live there. */
  onArrival(where: string, edges: readonly TakenEdge[]): readonly string[] {
    const live = this.at(where);
    if (live.size === this.#all.size) return [];
    const reads = edges.map((edge) => this.#readsAfter(edge)).filter(({ size }) => size > 0);
    return reads.length === 0 ? [] : this.#options.keys.filter((key) => !live.has(key) && reads.some((keys) => keys.has(key)));
  }

  readonly #readAfter = new Map<string, ReadonlySet<string>>();

  #readsAfter(edge: TakenEdge): ReadonlySet<string> {
    const place = edgeKey(edge);
    const found = this.#readAfter.get(place) ?? new Set(this.#options.readsAfter(edge));
    this.#readAfter.set(place, found);
    return found;
  }

  /** Returns the live keys of active states, given as their joined paths. */
  at(where: string): ReadonlySet<string> {
    const known = this.#known.get(where);
    if (known) return known;
    const paths = where.split('|');
    const found = paths.every((path) => this.#live.has(path)) ? union(paths.map((path) => this.#live.get(path) ?? [])) : this.#all;
    this.#known.set(where, found);
    return found;
  }

  /** Returns the keys that are read after the node or the wait of a state has ended in one way, by guards or later. */
  after(path: string, on: string): ReadonlySet<string> {
    if (this.#live.size === 0 || this.#isIndirect) return this.#all;
    const place = `${path} ${on}`;
    const known = this.#known.get(place);
    if (known) return known;
    const inside = [...this.#live.keys()].filter((leaf) => leaf === path || leaf.startsWith(`${path}.`));
    const states = this.#options.graph.states.filter((state) => inside.includes(state.path));
    const found = union([
      ...states.flatMap((leaf) => this.#graph.leaving(leaf).flatMap((way) => (takes(way.edge.on, on) ? [this.#behind(leaf, way)] : []))),
      this.#beside(path),
    ]);
    this.#known.set(place, found);
    return found;
  }

  #extend(leaf: GraphState): boolean {
    const live = this.#live.get(leaf.path) ?? new Set();
    const { size } = live;
    const { readsOf, readsOfOutcomes } = this.#options;
    for (const way of this.#graph.leaving(leaf)) {
      const { from, edge } = way;
      for (const key of readsOfOutcomes(from)) live.add(key);
      const { taken, overwritten } = this.#effectsOf(way);
      const isMerged = edge.actions.length > 0;
      for (const key of this.#readsAfter(toTaken(way))) if (!isMerged || !overwritten.has(key)) live.add(key);
      // guards see the state after the patch, even if the edge does not merge it
      if (edge.guard !== undefined) for (const key of readsOf(edge.guard)) if (!overwritten.has(key)) live.add(key);
      for (const key of union(this.#targets(leaf, way).map((path) => this.#live.get(path) ?? []))) {
        if (!isMerged || !overwritten.has(key)) live.add(key);
      }
      const behind = this.#isIndirect ? this.#all : union([this.#behind(leaf, way), this.#beside(leaf.path)]);
      for (const { reads, writes } of taken) {
        if ([...writes].some((key) => behind.has(key))) for (const key of reads) live.add(key);
      }
    }
    return live.size > size;
  }

  #extendChanging(leaf: GraphState): boolean {
    const changing = this.#changing.get(leaf.path) ?? new Set();
    const { size } = changing;
    const { reducedBy, readsOfOutcomes } = this.#options;
    for (const way of this.#graph.leaving(leaf)) {
      const { from, edge } = way;
      const { taken, overwritten } = this.#effectsOf(way);
      const behind = union([this.#behind(leaf, way), this.#beside(leaf.path)]);
      const changed = edge.on === 'done' ? reducedBy(from) : union(taken.map(({ changes }) => changes));
      for (const key of union([changed, readsOfOutcomes(from)])) if (behind.has(key)) changing.add(key);
      for (const { reads, writes } of taken) if ([...writes].some((key) => behind.has(key))) for (const key of reads) changing.add(key);
      for (const key of union(this.#targets(leaf, way).map((path) => this.#changing.get(path) ?? []))) {
        if (edge.actions.length === 0 || !overwritten.has(key)) changing.add(key);
      }
    }
    return changing.size > size;
  }

  readonly #effects = new Map<string, EdgeEffects>();

  /** Returns the effects of the events that take an edge, and the keys that are replaced in any case. */
  #effectsOf({ from, edge: { on } }: Way): EdgeEffects {
    const place = `${from} ${on}`;
    const known = this.#effects.get(place);
    if (known) return known;
    // many events and failures have the same effect
    const taken = distinctBy(
      this.#options.effects.filter((effect) => takes(on, effect.on)),
      ({ reads, writes, changes, overwrites }) => textOf([reads, writes, changes, overwrites]),
    );
    const overwritten = on === 'done' ? this.#options.overwrittenBy(from) : inAll(taken.map(({ overwrites }) => overwrites));
    this.#effects.set(place, { taken, overwritten });
    return { taken, overwritten };
  }

  /** Returns the keys that are read by the guard of an edge or behind it. */
  #behind(leaf: GraphState, way: Way): ReadonlySet<string> {
    const { guard } = way.edge;
    return union([
      guard === undefined ? [] : this.#options.readsOf(guard),
      this.#readsAfter(toTaken(way)),
      ...this.#targets(leaf, way).map((path) => this.#live.get(path) ?? []),
    ]);
  }

  #targets(leaf: GraphState, { edge }: Way): readonly string[] {
    const entered = this.#graph.entered(edge).map(({ path }) => path);
    return entered.length > 0 ? entered : [leaf.path];
  }

  /** Returns the keys that are live in states which may be active at the same time. */
  #beside(path: string): ReadonlySet<string> {
    const around = this.#options.graph.states.filter((state) => state.kind === 'parallel' && path.startsWith(`${state.path}.`));
    return union([...this.#live].flatMap(([leaf, live]) => (around.some((state) => leaf.startsWith(`${state.path}.`)) ? [live] : [])));
  }
}

interface EdgeEffects {
  readonly taken: readonly PatchEffect[];
  readonly overwritten: ReadonlySet<string>;
}

type Way = ReturnType<ReturnType<typeof toLeafGraph>['leaving']>[number];

const toTaken = ({ from, edge: { on, guard } }: Way): TakenEdge => ({ from, on, ...(guard === undefined ? {} : { guard }) });

/** Returns a text for an edge, the same for equal ones. */
export const edgeKey = ({ from, on, guard = '' }: TakenEdge): string => `${from}\n${on}\n${guard}`;

/** Returns maps and sets as a text. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (each instanceof Map ? [...each] : each instanceof Set ? [...each].sort() : each));

/** Returns true if an edge takes events of a type. */
const takes = (edge: string, on: string): boolean => edge === on || (edge.endsWith('*') && on !== 'done' && on !== 'error');

const union = (sets: readonly Iterable<string>[]): ReadonlySet<string> => new Set(sets.flatMap((each) => [...each]));

function inAll(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = sets;
  return new Set([...first].filter((key) => others.every((other) => other.has(key))));
}
