import type { MachineContext } from 'xstate';
import { type Candidates, spread } from './candidates.ts';
import { distinctBy } from './distinct-by.ts';
import { type Followed, predecessorsOf, type Result, refine, type Step } from './followed.ts';
import { Known } from './known.ts';
import type { Probe } from './probe.ts';
import type { ReadTree } from './read-tree.ts';
import { resultsOf, type Transform } from './transform.ts';

/** Most answers about one value, over all probes and combinations of other keys. */
const maxAnswers = 6_000;
const maxCombinations = 200;
const maxTransformCombinations = 24;
const maxSlowCombinations = 12;
/** Most values of other keys that are tried one at a time. */
const maxAlone = 96;
/** Most answers about a list or an object that take less time than to find it among those that were asked about. */
const maxQuick = 16;
/** Most values of one key to which changes lead, one after the other. */
const maxFollowed = 300;
const maxReached = 4_000;
/** Most changes that a list is followed through, and most kinds of changes, one after the other. */
const maxChain = 60;
const maxChains = 4;
const maxChanges = 40_000;

/** Probes that read the same keys. */
interface Asked {
  readonly probes: readonly Probe[];
  /** States that differ in the other keys. Each is changed in place to ask about a value. */
  readonly states: readonly MachineContext[];
}

interface Changed {
  readonly transform: Transform;
  readonly states: readonly MachineContext[];
}

export interface ClassesOptions {
  readonly sample: MachineContext;
  /** Keys that some probe or change reads, sorted. */
  readonly keys: readonly string[];
  readonly probes: readonly Probe[];
  /** Reads of functions that make patches, whose answers the transforms give. */
  readonly patchReads: readonly ReadTree[];
  readonly transforms: readonly Transform[];
  /** Values that may occur, which are combined with those of other keys. */
  readonly values: Candidates;
  /** States that occur, for functions that take long. */
  readonly visited: readonly MachineContext[];
  /** True if all outcomes are given, so that no other combinations occur. */
  readonly isGiven: boolean;
  /** Returns false for a key whose reducer looks at the items of lists. */
  isByLength(key: string): boolean;
  /** Returns how finely the values of a key are told apart, from 1 to `exactLevel`. Above 1, numbers and texts all are. */
  levelOf(key: string): number;
}

/** Level at which every list or object is a class of its own. */
export const exactLevel = 4;

/**
 * Tells the values of each key apart. Two values are one class if every probe that reads the key answers equally, now and after changes:
 * after any changes for a number, after one change for a list or an object, and after more on a higher level.
 */
export class Classes {
  readonly #options: ClassesOptions;
  readonly #asked = new Map<string, readonly Asked[]>();
  readonly #changed = new Map<string, readonly Changed[]>();
  readonly #rows = new Map<string, Known>();
  /** Keys about whose values there are few and quick answers. */
  readonly #quick = new Set<string>();
  readonly #rowIds = new Map<string, Map<string, number>>();
  readonly #classes = new Map<string, Known>();
  readonly #after = new Map<string, string>();
  /** Lists by length, for each key of which only the length is read. */
  readonly #byLength = new Map<string, (readonly unknown[])[]>();
  /** Numbers of classes by their signature. */
  readonly #signatures = new Map<string, Map<string, number>>();
  /** Sizes of values that were not followed. */
  readonly #cut = new Map<string, readonly number[]>();
  readonly #followed = new Map<string, Known<Followed>>();
  readonly #allFollowed = new Map<string, Followed[]>();
  /** Class of the last followed value with each row. */
  readonly #tails = new Map<string, Map<number, number>>();

  constructor(options: ClassesOptions) {
    this.#options = options;
    const { keys, probes, patchReads, transforms, values, sample, visited } = options;
    const combined = (key: string, reads: Iterable<string>, most: number, isVisited = false): readonly MachineContext[] => {
      const others = [...reads].filter((other) => other !== key && keys.includes(other));
      if (isVisited)
        return distinctIn(others, visited)
          .slice(0, most)
          .map((state) => ({ ...state }));
      const members = others.map((other) => [other, values.of(other)] as const);
      const all = members.reduce((product, [, each]) => product * Math.max(1, each.length), 1);
      const made = spread(members, all <= maxAlone ? maxAlone : most);
      // a value of another key that decides alone must not be missed, however many there are
      const alone = all <= maxAlone ? [] : members.flatMap(([other, each]) => each.map((value) => ({ [other]: value })));
      return [...made, ...alone.slice(0, maxAlone)].map((each) => ({ ...sample, ...each }));
    };
    for (const key of keys) {
      this.#rows.set(key, new Known());
      this.#classes.set(key, new Known());
      this.#rowIds.set(key, new Map());
      this.#signatures.set(key, new Map());
      this.#followed.set(key, new Known());
      this.#allFollowed.set(key, []);
      this.#tails.set(key, new Map());
      const readers = probes.filter(({ reads }) => reads.whole || reads.members.has(key));
      if (
        readers.length > 0 &&
        options.isByLength(key) &&
        readers.every(({ reads }) => readsLength(reads, key)) &&
        patchReads.every((reads) => (!reads.whole && !reads.members.has(key)) || readsLength(reads, key)) &&
        values.of(key).every((value) => Array.isArray(value))
      )
        this.#byLength.set(key, []);
      const groups = Map.groupBy(readers, groupOf);
      const most = Math.min(maxCombinations, Math.max(8, Math.floor(maxAnswers / Math.max(1, readers.length))));
      this.#asked.set(
        key,
        [...groups].map(([name, group]) => {
          const [slow, read] = name.startsWith('!') ? [true, name.slice(1)] : [false, name];
          return { probes: group, states: combined(key, read === '*' ? keys : read.split(','), slow ? maxSlowCombinations : most, slow) };
        }),
      );
      const asked = this.#asked.get(key) ?? [];
      const answers = asked.reduce((sum, { probes: some, states }) => sum + some.length * states.length, 0);
      if (answers <= maxQuick && !readers.some(({ isSlow }) => isSlow)) this.#quick.add(key);
    }
    for (const key of keys) {
      const changed = transforms.flatMap((transform): readonly Changed[] => {
        if (!transform.reads.has(key)) return [];
        const most = transform.isSlow || !options.isGiven ? maxTransformCombinations : maxAlone;
        return [{ transform, states: combined(key, transform.reads, most, options.isGiven || transform.isSlow) }];
      });
      this.#changed.set(
        key,
        distinctBy(changed, (each) => this.#effectOf(key, each) ?? each.transform.name),
      );
    }
    this.#follow();
    this.#refine();
  }

  /** Returns a text for a change that makes the same of every value of a key as others with this text; `undefined` for any other one. */
  #effectOf(key: string, { transform: { isDelta, reads, patchBeside }, states }: Changed): string | undefined {
    const patches: unknown[] = [];
    for (const state of states) {
      const patch = patchBeside?.(key, state);
      if (!patch) return undefined;
      patches.push(Object.entries(patch).map(([name, value]) => [name, this.simple(name, value)]));
    }
    return JSON.stringify([isDelta, [...reads].sort(), patches]);
  }

  /** Returns the number of a value's class. */
  classOf(key: string, given: unknown): number {
    const value = this.simple(key, given);
    const classes = this.#classes.get(key);
    const known = classes?.get(value);
    if (known !== undefined) return known;
    const id = this.#findClass(key, value);
    classes?.set(value, id);
    return id;
  }

  /** Returns `classOf` or `rowOf` of a key as a function, which finds known values faster. */
  readerOf(key: string, kind: 'class' | 'row'): (value: unknown) => number {
    const known = kind === 'class' ? this.#classes.get(key) : this.#rows.get(key);
    const find = (value: unknown): number => (kind === 'class' ? this.classOf(key, value) : this.rowOf(key, value));
    // lists and objects may be told apart by their length, or not be kept at all
    return (value) => (typeof value === 'object' ? find(value) : (known?.get(value) ?? find(value)));
  }

  /** Returns the first value of each class. */
  representatives(key: string, values: readonly unknown[]): readonly unknown[] {
    return distinctBy(values, (value) => this.classOf(key, value));
  }

  /** Returns true if probes tell a value apart from all values to which changes led, and it lies beyond them: a larger number, a longer list. */
  isUnreached(key: string, value: unknown): boolean {
    if (this.#tails.get(key)?.has(this.rowOf(key, value))) return false;
    const size = sizeOf(value);
    const known = this.#allFollowed.get(key) ?? [];
    const sizes = known.flatMap((one) => (one.isFollowed ? (sizeOf(one.value) ?? []) : []));
    const cut = [...(this.#cut.get(key) ?? []), ...known.flatMap((one) => (one.isFollowed ? [] : (sizeOf(one.value) ?? [])))];
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    return size !== undefined && ((size > most && cut.some((each) => each > most)) || (size < least && cut.some((each) => each < least)));
  }

  /** Returns false if changes lead two lists or objects of one class to different classes, so that they must be told apart. */
  isSettled(key: string): boolean {
    if (this.#byLength.has(key)) return true;
    const values = this.#options.values.of(key);
    const successors = new Map<string, string>();
    const changed = (this.#changed.get(key) ?? []).filter(({ transform }) => !transform.isSlow);
    const deltas = changed.filter(({ transform }) => transform.isDelta).slice(0, maxChains);
    for (const [at, { transform, states }] of [
      ...changed.filter(({ transform }) => !transform.isDelta).slice(0, maxChains),
      ...deltas,
    ].entries()) {
      const [state] = states;
      for (const first of state ? values.filter(isComposed).slice(0, 2) : []) {
        let before: MachineContext = { ...state, [key]: first };
        for (let count = 0; count < maxChain; count++) {
          const [next] = resultsOf(transform, before);
          if (!next || !isComposed(next[key]) || next[key] === before[key]) break;
          const from = `${this.classOf(key, before[key])}`;
          const to = `${this.classOf(key, next[key])}`;
          const place = `${at} ${from}`;
          if ((successors.get(place) ?? to) !== to) return false;
          successors.set(place, to);
          before = { ...before, [key]: next[key] };
        }
      }
    }
    return true;
  }

  /** Returns true if changes of a value were not followed to an end. */
  isOpen(key: string, value: unknown): boolean {
    const followed = this.#followed.get(key)?.get(this.simple(key, value));
    if (followed) return followed.isOpen;
    return !this.#isComposed(key, value) && (this.#changed.get(key)?.some(({ transform }) => !transform.isSlow) ?? false);
  }

  /** Returns a list of the same length with equal items, if only the length matters. */
  simple(key: string, value: unknown): unknown {
    const lists = Array.isArray(value) ? this.#byLength.get(key) : undefined;
    if (!lists || !Array.isArray(value)) return value;
    const list = lists[value.length] ?? (value.length === 0 ? value : Array<unknown>(value.length).fill(value[0]));
    lists[value.length] = list;
    return list;
  }

  #isComposed(key: string, value: unknown): value is object {
    return isComposed(value) && !(this.#byLength.has(key) && Array.isArray(value));
  }

  #findClass(key: string, value: unknown): number {
    if (this.#isComposed(key, value)) return this.#composedClass(key, value);
    if (this.#options.levelOf(key) > 1) return this.#idOf(key, JSON.stringify(value) ?? 'undefined');
    const followed = this.#followed.get(key)?.get(value);
    if (followed) return followed.id;
    const row = this.rowOf(key, value);
    const results = this.#resultsOf(key, value, () => undefined);
    const signature = this.#signatureOf({ key, row, results, id: -1 });
    const tail = this.#tails.get(key)?.get(row);
    return this.#signatures.get(key)?.get(signature) ?? tail ?? this.#idOf(key, signature);
  }

  /** Returns the class of a list or an object. On level 2 and 3 lists of different lengths differ, on level 3 after two changes. */
  #composedClass(key: string, value: object): number {
    const level = this.#options.levelOf(key);
    if (level >= exactLevel) return this.#idOf(key, JSON.stringify(value));
    const length = level > 1 && Array.isArray(value) ? value.length : '';
    return this.#idOf(key, `${length} ${this.#rowAfter(key, value, level === 3 ? 2 : 1)}`);
  }

  /** Returns the answers about a value, and those after some changes. */
  #rowAfter(key: string, value: unknown, changes: number): string {
    const row = this.rowOf(key, value);
    if (changes === 0) return String(row);
    const place = `${key} ${changes} ${JSON.stringify(value)}`;
    const known = this.#after.get(place);
    if (known !== undefined) return known;
    const parts = new Set<string>();
    for (const [at, { transform, states }] of (this.#changed.get(key) ?? []).entries()) {
      for (const [index, state] of states.entries()) {
        const before = { ...state, [key]: value };
        for (const next of resultsOf(transform, before)) {
          const changed = this.#options.keys.filter((each) => next[each] !== before[each]);
          const change = transform.isDelta ? '' : `${at}.${index} `;
          parts.add(change + changed.map((each) => `${each}:${this.#rowAfter(each, next[each], changes - 1)}`).join());
        }
      }
    }
    const text = `${row}(${[...parts].sort().join('|')})`;
    this.#after.set(place, text);
    return text;
  }

  #idOf(key: string, signature: string): number {
    const ids = this.#signatures.get(key) ?? new Map<string, number>();
    const id = ids.get(signature) ?? ids.size;
    ids.set(signature, id);
    return id;
  }

  /** Returns the number of the answers about a value, without those after changes. */
  rowOf(key: string, given: unknown): number {
    const value = this.simple(key, given);
    const asked = this.#asked.get(key) ?? [];
    const rows = this.#isComposed(key, value) && this.#quick.has(key) ? undefined : this.#rows.get(key);
    const known = rows?.get(value);
    if (known !== undefined) return known;
    const answers: string[] = [];
    for (const { probes, states } of asked) {
      for (const state of states) {
        state[key] = value;
        for (const probe of probes) answers.push(probe.ask(state));
      }
    }
    const row = answers.join('');
    const ids = this.#rowIds.get(key) ?? new Map<string, number>();
    const id = ids.get(row) ?? ids.size;
    ids.set(row, id);
    rows?.set(value, id);
    return id;
  }

  /** Follows the changes of all values, also of those to which they lead. */
  #follow(): void {
    const { keys, values } = this.#options;
    const open: (Omit<Followed, 'results'> & { results: Followed['results'] })[] = [];
    const firsts = new Map<string, number>();
    const add = (key: string, given: unknown): Followed | undefined => {
      const value = this.simple(key, given);
      const known = this.#followed.get(key);
      const all = this.#allFollowed.get(key);
      if (!known || !all || value === undefined || this.#isComposed(key, value)) return undefined;
      const found = known.get(value);
      if (found) return found;
      const first = firsts.get(key);
      if (first !== undefined && all.length >= first + maxReached) {
        this.#cut.set(key, [...(this.#cut.get(key) ?? []), sizeOf(value) ?? 0]);
        return undefined;
      }
      const made = { at: all.length, key, value, row: this.rowOf(key, value), results: [], id: 0, isOpen: false, isFollowed: false };
      known.set(value, made);
      all.push(made);
      open.push(made);
      return made;
    };
    for (const key of keys) {
      for (const value of values.of(key)) add(key, value);
      firsts.set(key, this.#allFollowed.get(key)?.length ?? 0);
    }
    this.#budget = maxChanges;
    const counts = new Map<string, number>();
    while (open.length > 0) {
      // small values first, so that a counter is followed without gaps, however far other changes lead
      const at = open.reduce((best, each, index) => (magnitude(each.value) < magnitude(open[best]?.value) ? index : best), 0);
      const [entry] = open.splice(at, 1);
      if (!entry) break;
      const count = counts.get(entry.key) ?? 0;
      if (count >= maxFollowed + (firsts.get(entry.key) ?? 0)) continue;
      counts.set(entry.key, count + 1);
      entry.results = this.#resultsOf(entry.key, entry.value, add);
      entry.isFollowed = true;
    }
    this.#markOpen();
  }

  #budget = 0;

  /** Marks the values from which changes lead to one that was not followed. */
  #markOpen(): void {
    const all = [...this.#allFollowed.values()].flat();
    const isCut = ({ key, isFollowed, results }: Followed): boolean =>
      isFollowed
        ? results.some(({ reached }) => reached.some((result) => result.key === key && result.isCut))
        : (this.#changed.get(key)?.length ?? 0) > 0;
    // another key is examined at its own values
    const before = predecessorsOf(all, (one, { key }) => key === one.key);
    const open: Followed[] = [];
    const mark = (one: Followed): void => {
      if (one.isOpen) return;
      one.isOpen = true;
      open.push(one);
    };
    for (const one of all) if (isCut(one)) mark(one);
    for (let one = open.pop(); one; one = open.pop()) for (const each of before.get(one) ?? []) mark(each);
  }

  #resultsOf(key: string, value: unknown, follow: (key: string, value: unknown) => Followed | undefined): readonly Step[] {
    const steps: Step[] = [];
    /** Patches that a node may return, by what they lead to. */
    const distinct = new Map<string, Step>();
    let change = 0;
    for (const { transform, states } of this.#changed.get(key) ?? []) {
      for (const state of states) {
        change++;
        const before = { ...state, [key]: value };
        const reached: Result[] = [];
        for (const next of resultsOf(transform, before)) {
          for (const each of this.#options.keys) if (next[each] !== before[each]) reached.push(this.#resultOf(each, next[each], follow));
        }
        if (transform.isDelta)
          distinct.set(reached.map((result) => `${result.key} ${result.row} ${result.to?.at}`).join(), { change: '', reached });
        else steps.push({ change: `${change}`, reached });
      }
    }
    return [...steps, ...distinct.values()];
  }

  #resultOf(key: string, given: unknown, follow: (key: string, value: unknown) => Followed | undefined): Result {
    this.#budget--;
    const value = this.simple(key, given);
    const isComposed = this.#isComposed(key, value);
    let to: Followed | undefined;
    if (!isComposed) to = this.#budget > 0 ? follow(key, value) : this.#followed.get(key)?.get(value);
    const row = this.rowOf(key, value);
    const isCut = !to && !isComposed;
    return to ? { key, row, isCut, to } : { key, row, isCut };
  }

  /** Splits classes until the changes lead each of them to one class. */
  #refine(): void {
    const reached = [...this.#allFollowed.values()].flat();
    const all = reached.filter(({ isFollowed }) => isFollowed);
    refine(all, (one) => this.#signatureOf(one));
    for (const one of all) this.#signatures.get(one.key)?.set(this.#signatureOf(one), one.id);
    // the largest value of each row stands for those beyond it
    for (const { key, row, id } of all.toSorted((a, b) => magnitude(a.value) - magnitude(b.value))) this.#tails.get(key)?.set(row, id);
    for (const one of reached) if (!one.isFollowed) one.id = this.#tails.get(one.key)?.get(one.row) ?? this.#idOf(one.key, `${one.row}`);
  }

  #signatureOf({ key, row, results, id }: Pick<Followed, 'key' | 'row' | 'results' | 'id'>): string {
    const parts = new Set(
      results.map(
        ({ change, reached }) =>
          `${change} ${reached
            .map((result) => {
              // a chain that is not followed to its end is taken to go on as before
              const isTail = result.key === key && result.row === row && (!result.to?.isFollowed || result.to.id === id);
              return isTail ? `${result.key}=` : result.to?.isFollowed ? `${result.key}:${result.to.id}` : `${result.key}~${result.row}`;
            })
            .join()}`,
      ),
    );
    return `${row}|${[...parts].sort().join('|')}`;
  }
}

const magnitude = (value: unknown): number => Math.abs(sizeOf(value) ?? 0);

const sizeOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : Array.isArray(value) || typeof value === 'string' ? value.length : undefined;

/** Returns the states that differ in some keys. */
function distinctIn(keys: readonly string[], states: readonly MachineContext[]): readonly MachineContext[] {
  return [...new Map(states.map((state) => [JSON.stringify(keys.map((key) => state[key])), state])).values()];
}

/** Returns true if nothing but the length of a key is read. */
function readsLength(reads: ReadTree, key: string): boolean {
  const inside = reads.members.get(key);
  return !reads.whole && inside !== undefined && inside.length && !inside.whole && inside.members.size === 0;
}

const isComposed = (value: unknown): value is object => typeof value === 'object' && value !== null;

const groupOf = ({ reads, isSlow }: Probe): string => `${isSlow ? '!' : ''}${reads.whole ? '*' : [...reads.members.keys()].sort().join()}`;
