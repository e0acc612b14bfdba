import type { MachineContext } from 'xstate';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { memberSchema } from '../schema-parts.ts';
import { type Candidates, spread } from './candidates.ts';
import { type Changes, mergeOutput } from './changes.ts';
import type { Classes } from './classes.ts';
import { distinctBy } from './distinct-by.ts';
import { type OutcomeClass, type Outcomes, withFailure } from './outcome-class.ts';
import { checkOfSchema, valuesOfSchema } from './schema-values.ts';
import type { Subject } from './subject.ts';

/** Most combinations of values with which a node returns; more are tried by pairs. */
const maxPatches = 2_048;

interface NodeOutcomesOptions {
  readonly subject: Subject;
  /** Keys that matter, sorted. */
  readonly keys: readonly string[];
  readonly classes: Classes;
  /** Values to try. */
  readonly candidates: Candidates;
  /** Values that may occur in a state. */
  readonly occurring: Candidates;
  /** Patches of keys with a reducer. */
  readonly deltas: ReadonlyMap<string, readonly unknown[]>;
  readonly failures: Parameters<typeof withFailure>[1];
  /** Returns the keys that are read after a node has ended in one way. */
  after(path: string, on: string): ReadonlySet<string>;
  readonly changes: Changes;
}

/** Given and proposed outcomes of nodes. A proposal has one patch for each combination of classes. */
export class NodeOutcomes {
  readonly #options: NodeOutcomesOptions;
  readonly #deltas: ReadonlyMap<string, readonly unknown[]>;
  readonly #made = new Map<string, readonly OutcomeClass[]>();
  readonly #optionsAt = new Map<string, Options>();
  readonly #survivors = new Map<string, readonly number[] | undefined>();
  /** Paths of nodes that return more combinations than are tried. */
  readonly cut: Set<string> = new Set();

  constructor(options: NodeOutcomesOptions) {
    this.#options = options;
    this.#deltas = this.#distinctDeltas(options.deltas);
  }

  /** Outcomes that were asked for, by path. */
  get made(): ReadonlyMap<string, readonly OutcomeClass[]> {
    return this.#made;
  }

  /** Returns true if another object gives the same outcomes wherever this one was asked. */
  isSameAs(other: NodeOutcomes): boolean {
    const { given, waits, sample } = this.#options.subject;
    return [...this.#made].every(([path, made]) => {
      const kind = waits.has(path) ? 'wait' : 'node';
      const outcomes = given.get(path);
      const others = outcomes ? other.given(path, outcomes, kind, sample) : kind === 'wait' ? other.events(path) : other.proposed(path);
      return JSON.stringify(others) === JSON.stringify(made);
    });
  }

  /** Returns the proposed outcomes of a node. */
  proposed(path: string): readonly OutcomeClass[] {
    return this.#once(path, () => {
      const patches = this.#patchesOf(path).map((patch) => ({ patch }));
      return this.#distinct(path, withFailure(patches, this.#options.failures));
    });
  }

  /** Returns the proposed events of a wait. */
  events(path: string): readonly OutcomeClass[] {
    return this.#once(path, () => this.#distinct(path, this.#options.changes.eventsOf(path)));
  }

  /** Returns given outcomes, and a failure for a node without one. */
  given(path: string, given: Outcomes, kind: 'node' | 'wait', state: MachineContext): readonly OutcomeClass[] {
    if (typeof given === 'function') return kind === 'node' ? withFailure(given(state), this.#options.failures) : given(state);
    return this.#once(path, () => (kind === 'node' ? withFailure(given, this.#options.failures) : given));
  }

  /** Returns outcomes that what is read after them tells apart. */
  #distinct(path: string, outcomes: readonly OutcomeClass[]): readonly OutcomeClass[] {
    const { changes, classes, after } = this.#options;
    return changes.distinctIn(
      outcomes,
      (on) => after(path, on),
      (key, value) => classes.simple(key, value),
    );
  }

  #once(path: string, make: () => readonly OutcomeClass[]): readonly OutcomeClass[] {
    const made = this.#made.get(path) ?? make();
    this.#made.set(path, made);
    return made;
  }

  /** Returns the indices of the keys that a node's patches may leave as they are; `undefined` if its outcomes depend on the state. */
  survivorsOf(path: string): readonly number[] | undefined {
    if (!this.#survivors.has(path)) this.#survivors.set(path, this.#findSurvivors(path));
    return this.#survivors.get(path);
  }

  #findSurvivors(path: string): readonly number[] | undefined {
    const { graph, given, merger } = this.#options.subject;
    const edges = graph.states.find((state) => state.path === path)?.edges ?? [];
    if (edges.some(({ on, actions }) => on === 'done' && actions.length === 0)) return undefined;
    const outcomes = given.get(path) ?? this.proposed(path);
    if (typeof outcomes === 'function') return undefined;
    const patches = outcomes.flatMap((outcome) => ('patch' in outcome ? [outcome.patch] : []));
    return this.#options.keys.flatMap((key, at) =>
      !merger?.reducers.has(key) && patches.every((patch) => Object.hasOwn(patch, key)) ? [] : [at],
    );
  }

  /** Returns the keys that all patches of a node replace. */
  overwrittenBy(path: string): ReadonlySet<string> {
    const { given, merger } = this.#options.subject;
    const outcomes = given.get(path);
    if (typeof outcomes === 'function') return new Set();
    const patches = outcomes?.flatMap((outcome) => ('patch' in outcome ? [outcome.patch] : []));
    const replaced = patches ? this.#options.keys.map((key) => [key, patches.map((patch) => patch[key])] as const) : this.#optionsOf(path);
    const isReset = (key: string, value: unknown): boolean =>
      value !== undefined && (!merger?.reducers.has(key) || this.#options.changes.resets(key, value, this.#options.candidates));
    return new Set(replaced.flatMap(([key, values]) => (values.length > 0 && values.every((value) => isReset(key, value)) ? [key] : [])));
  }

  /** Returns the keys with a reducer that a node may patch. */
  reducedBy(path: string): ReadonlySet<string> {
    const { given, merger } = this.#options.subject;
    const outcomes = given.get(path);
    const reduced = this.#options.keys.filter((key) => merger?.reducers.has(key));
    if (typeof outcomes === 'function') return new Set(this.#options.keys);
    if (outcomes)
      return new Set(reduced.filter((key) => outcomes.some((outcome) => 'patch' in outcome && Object.hasOwn(outcome.patch, key))));
    const options = new Map(this.#optionsOf(path));
    return new Set(reduced.filter((key) => options.get(key)?.some((value) => value !== undefined)));
  }

  #optionsOf(path: string): Options {
    const known = this.#optionsAt.get(path);
    if (known) return known;
    const declared = this.#options.subject.returns.get(path);
    const made = declared ? this.#declaredOptions(declared) : this.#freeOptions();
    this.#optionsAt.set(path, made);
    return made;
  }

  /** Patches of a node that may return anything: every class of each key. */
  #freeOptions(): Options {
    return this.#options.keys.map((key) => {
      const deltas = this.#deltas.get(key);
      return [key, deltas ? [undefined, ...deltas] : this.#options.classes.representatives(key, this.#options.candidates.of(key))];
    });
  }

  /** Patches of a node with declared returns. A required key that does not matter has its first value. */
  #declaredOptions(patch: JsonObject): Options {
    const required: readonly unknown[] = Array.isArray(patch.required) ? patch.required : [];
    const matter = this.#options.keys.map((key): Options[number] => {
      const values = this.#distinctEffects(key, valuesInPatch(patch, key, this.#options.candidates));
      return [key, values.length === 0 || required.includes(key) ? values : [undefined, ...values]];
    });
    const others = required.filter(isText).filter((key) => !this.#options.keys.includes(key));
    return [
      ...matter.filter(([, values]) => values.length > 0),
      ...others.map((key) => [key, valuesInPatch(patch, key, this.#options.candidates).slice(0, 1)] as const),
    ];
  }

  /** One patch for each combination of classes. */
  #patchesOf(path: string): readonly MachineContext[] {
    const read = this.#options.after(path, 'done');
    // one value stands for all values of a key that is not read any more
    const options = this.#optionsOf(path).map(([key, values]) => [key, read.has(key) ? values : values.slice(0, 1)] as const);
    const all = options.reduce((product, [, values]) => product * values.length, 1);
    const patches = all <= maxPatches ? spread(options, maxPatches) : pairsOf(options);
    if (all > maxPatches) this.cut.add(path);
    return patches.map((patch) => Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)));
  }

  /** Patches that lead some value of their key to another class than all other patches, and than none. */
  #distinctDeltas(all: NodeOutcomesOptions['deltas']): ReadonlyMap<string, readonly unknown[]> {
    return new Map(
      [...all].map(([key, deltas]) => {
        const effectOf = this.#effectsOn(key);
        const unchanged = effectOf();
        const chosen = distinctBy(deltas, (delta) => {
          const effect = effectOf(delta);
          return effect === unchanged ? undefined : effect;
        });
        return [key, chosen];
      }),
    );
  }

  /** Returns the patches of a key that change some value differently. */
  #distinctEffects(key: string, patches: readonly unknown[]): readonly unknown[] {
    return this.#options.subject.merger?.reducers.has(key)
      ? distinctBy(patches, this.#effectsOn(key))
      : this.#options.classes.representatives(key, patches);
  }

  /** Returns a function from a patch to the classes to which it leads the values of its key; without a patch, their own classes. */
  #effectsOn(key: string): (patch?: unknown) => string {
    const { merger, sample } = this.#options.subject;
    const values = this.#options.classes.representatives(key, this.#options.occurring.of(key));
    const classAfter = (value: unknown, patch: unknown): number => {
      try {
        return this.#options.classes.classOf(
          key,
          mergeOutput(merger, { ...sample, [key]: value }, patch === undefined ? {} : { [key]: patch })[key],
        );
      } catch {
        return -1;
      }
    };
    return (patch) => values.map((value) => classAfter(value, patch)).join();
  }
}

/** Returns the values to try for a member of a declared patch. */
export function valuesInPatch(patch: JsonObject, key: string, candidates: Candidates): readonly unknown[] {
  const schema = memberSchema(patch, key);
  const values = candidates.of(key) as readonly Json[];
  if (!schema) return [];
  const made = valuesOfSchema(schema, { texts: values.filter(isText), numbers: values.filter(isNumber) }).values;
  // a probe may ask for a value inside a list or an object
  return distinctBy([...made, ...values.filter(checkOfSchema(schema))], canonicalJson);
}

/** Values of each key of a patch, `undefined` for an absent key. */
type Options = readonly (readonly [key: string, values: readonly unknown[]])[];

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Combinations of the values of every two keys, the others at their first value. */
function pairsOf(options: Options): readonly Readonly<Record<string, unknown>>[] {
  const first = Object.fromEntries(options.map(([key, [value]]) => [key, value]));
  return options.flatMap(([key, values], at) =>
    options
      .slice(at + 1)
      .flatMap(([other, others]) => values.flatMap((value) => others.map((one) => ({ ...first, [key]: value, [other]: one })))),
  );
}
