import type { MachineContext } from 'xstate';
import type { JsonObject } from '../../core/ports/json.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import { memberSchema } from '../schema-parts.ts';
import { isByLength, withOtherItems } from './by-length.ts';
import { Candidates, spread } from './candidates.ts';
import { Changes } from './changes.ts';
import { Classes, type ClassesOptions, exactLevel } from './classes.ts';
import { type Constants, constantsIn } from './guard-texts.ts';
import type { Predicate } from './invariant.ts';
import { leavesOf, withLeaf } from './leaves.ts';
import { leavesNear } from './leaves-near.ts';
import { edgeKey, LiveKeys, textOf } from './live-keys.ts';
import { NodeOutcomes, valuesInPatch } from './node-outcomes.ts';
import type { Configuration, MoveLabel, PlaceGraph } from './place-graph.ts';
import { guardProbe, noteReads, outcomesProbe, type Probe, ProbedPredicate, ReadStates } from './probe.ts';
import { valuesFor } from './propose-values.ts';
import { addReads, emptyReads, type ReadTree } from './read-tree.ts';
import { valuesOfSchema } from './schema-values.ts';
import type { Subject } from './subject.ts';

/** Most states in which a guard is asked whether it can pass and fail. */
const maxGuardStates = 2_048;
const maxReadStates = 24;
/** Most probes of one predicate for which further values are looked for. */
const maxSearched = 16;
const maxVisited = 200;
/** Values of a key that are tried although they continue like others. */
const fewValues = 8;
/** Most values of one key for each of which a state is kept. */
const maxDistinct = 96;
const maxThresholdStates = 6;

/** Knowledge about a machine: values that matter, their classes, and outcomes of nodes and humans. */
export class Knowledge {
  readonly #subject: Subject;
  readonly #guards: readonly Probe[];
  /** Functions that give outcomes. */
  readonly #functions: readonly Probe[];
  readonly predicates: readonly ProbedPredicate[];
  readonly candidates: Candidates = new Candidates((key, value) => this.#isAllowed(key, value));
  /** Values of starts, given outcomes and visited places. */
  readonly #occurring = new Candidates();
  /** True if some node has no given outcomes, so that any candidate may occur. */
  readonly #proposes: boolean;
  readonly changes: Changes;
  /** Keys whose changes were not followed to an end, and states of the last search. */
  readonly #open = new Set<string>();
  #visited: readonly MachineContext[];
  readonly #levels = new Map<string, number>();
  /** Keys that properties read at moments of a search, by the paths of active states. */
  readonly #readIn = new Map<string, Set<string>>();
  /** Keys that properties read at moments right after an edge. */
  readonly #readAfter = new Map<string, Set<string>>();
  #moments: readonly (readonly [Configuration, MoveLabel | undefined])[] = [];
  readonly #alwaysLive = new Set<string>();
  #live: LiveKeys | undefined;
  readonly #searched = new WeakSet<Probe>();
  readonly #readStates = new ReadStates();
  /** Numbers of the values for which the reads of a probe were noted. */
  readonly #readFor = new WeakMap<Probe, string>();
  /** Functions that make patches, by the keys that they write. */
  #patchProbes: readonly Probe[] = [];
  readonly #given: Readonly<Record<string, readonly unknown[]>>;
  #keys: readonly string[] = [];
  #classes: Classes | undefined;
  #outcomes: NodeOutcomes | undefined;
  /** Classes of this round and of the last one, by what they were made from. */
  #madeClasses = new Map<string, Classes>();
  #lastClasses: ReadonlyMap<string, Classes> = new Map();
  /** Functions from the value of each key to its class, by the active states. */
  readonly #readers = new Map<string | undefined, readonly (((value: unknown) => number) | undefined)[]>();
  #vector = new Int32Array(0);
  /** Live keys of the last round as a text. */
  #liveText = '';
  readonly #probeIds = new Map<Probe, number>();
  /** Keys all of whose possible values are tried. */
  readonly #exhausted = new Set<string>();

  constructor(subject: Subject, predicates: readonly Predicate[], given: Readonly<Record<string, readonly unknown[]>> = {}) {
    this.#subject = subject;
    this.#given = given;
    this.#proposes = [...subject.handlers.keys()].some((path) => !subject.given.has(path));
    this.#guards = subject.guards.map(guardProbe);
    this.#functions = subject.functions.map(outcomesProbe);
    this.predicates = predicates.map((predicate) => new ProbedPredicate(predicate));
    this.changes = new Changes(subject);
    this.#visited = subject.starts.map(({ position }) => position.state);
  }

  /** Keys that matter, sorted. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  get probes(): readonly Probe[] {
    return [...this.#guards, ...this.#functions, ...this.predicates.flatMap(({ probes }) => probes)];
  }

  get classes(): Classes {
    if (!this.#classes) throw new Error('grow first');
    return this.#classes;
  }

  /** Outcomes of nodes by these classes. */
  get outcomes(): NodeOutcomes {
    if (!this.#outcomes) throw new Error('grow first');
    return this.#outcomes;
  }

  /** Keys that matter in each configuration. */
  get live(): LiveKeys {
    if (!this.#live) throw new Error('grow first');
    return this.#live;
  }

  /** Everything that probes and changes read. */
  get reads(): ReadTree {
    const all = emptyReads();
    for (const { reads } of this.probes) addReads(all, reads);
    addReads(all, this.changes.reads);
    return all;
  }

  /** Names and answers of guards that gave the same answer for every tried value. */
  get oneSided(): readonly { readonly guard: string; readonly passed: boolean }[] {
    return this.#subject.guards.flatMap(({ name }, at) => {
      const probe = this.#guards[at];
      if (!probe || this.#keysOf(probe).length === 0) return [];
      const states = this.statesFor(probe, maxGuardStates);
      const answers = new Set(states.map((state) => probe.ask(state)));
      if ((answers.has('1') && answers.has('0')) || this.isExhaustive(probe, states.length)) return [];
      return [{ guard: name, passed: answers.has('1') }];
    });
  }

  /** Keys that patches of events and failures read, but that changed none of them. Keys with a constant or a known value are none. */
  get unmoved(): readonly { readonly on: string; readonly key: string }[] {
    if (!this.#proposes) return [];
    const written = new Set(
      this.changes.effects(new Set(Object.keys(this.sample)), this.#combined, [this.sample]).flatMap(({ writes }) => [...writes]),
    );
    return this.changes.unmoved(new Set(this.#keys), this.#combined).filter(({ key }) => {
      const mayChange = this.#isFree || written.has(key) || this.#returnedValues(key).length > 0;
      return mayChange && !(this.#exhausted.has(key) && !this.candidates.cut.has(key));
    });
  }

  /** Lists of which the length matters, and whose reducers look at the items: with more items they may get longer than was seen. */
  get collecting(): readonly string[] {
    const { handlers, waits, given } = this.#subject;
    if ([...handlers.keys(), ...waits.keys()].every((path) => given.has(path))) return [];
    const { members, whole } = this.reads;
    return this.#keys.filter((key) => !this.#isByLength(key) && (whole || members.get(key)?.length || members.get(key)?.whole));
  }

  readonly #byLength = new Map<string, { readonly count: number; readonly isByLength: boolean }>();

  #isByLength(key: string): boolean {
    const reduce = this.#subject.merger?.reducers.get(key);
    if (!reduce) return true;
    const count = this.candidates.countOf(key);
    const known = this.#byLength.get(key);
    if (known?.count === count) return known.isByLength; // values are only added
    const made = { count, isByLength: isByLength(reduce, this.#listsOf(key)) };
    this.#byLength.set(key, made);
    return made.isByLength;
  }

  #listsOf(key: string): readonly (readonly unknown[])[] {
    return this.candidates.of(key).filter((value) => Array.isArray(value));
  }

  /** Returns true if a number of states are all states that a probe can tell apart, because its keys have few possible values. */
  isExhaustive(probe: Probe, count: number): boolean {
    const keys = this.#keysOf(probe);
    const all = keys.reduce((product, key) => product * this.candidates.of(key).length, 1);
    return keys.length > 0 && all === count && keys.every((key) => this.#exhausted.has(key) && !this.candidates.cut.has(key));
  }

  /** @returns true if a predicate asks something new at one of the moments. */
  addMoments(moments: readonly (readonly [Configuration, MoveLabel | undefined])[]): boolean {
    const samples = this.#samples();
    this.#moments = moments;
    return this.predicates.map((predicate) => predicate.addMoments(moments, samples)).some((isNew) => isNew);
  }

  /** Tells more values of a key apart. Returns false if all of them are told apart already. */
  deepen(key: string): boolean {
    const level = this.#levelOf(key);
    if (level >= exactLevel) return false;
    this.#levels.set(key, level + 1);
    return true;
  }

  #levelOf(key: string): number {
    return this.#levels.get(key) ?? 1;
  }

  /** Keys whose values grow on, although a probe tells other values apart. */
  get growing(): readonly string[] {
    return [...this.#open].filter((key) => this.candidates.of(key).some((value) => this.classes.isUnreached(key, value)));
  }

  /** Finds the values that matter. Returns false if a search would find the same as after the last call. */
  grow(): boolean {
    const { starts, listed } = this.#subject;
    const [classes, outcomes, liveText] = [this.#classes, this.#outcomes, this.#liveText];
    [this.#lastClasses, this.#madeClasses] = [this.#madeClasses, new Map()];
    for (let round = 0; round < 3; round++) {
      let isNew = false;
      for (const probe of this.probes) isNew = this.#noteReadsOf(probe) || isNew;
      for (const key of this.#readKeys()) isNew = this.#addValues(key) || isNew;
      if (!isNew) break;
    }
    const relevant = new Set(this.#readKeys());
    // the moments of one predicate mostly compare with the same values
    const searched = [
      ...this.#guards,
      ...this.predicates.flatMap(({ probes }) => evenly(probes.length, maxSearched).flatMap((at) => probes[at] ?? [])),
    ];
    for (const probe of searched) if (!this.#searched.has(probe)) this.#searchValues(probe);
    for (const { position } of starts) for (const [key, value] of Object.entries(position.state)) this.#addOccurring(key, value);
    for (const outcome of listed) {
      if ('patch' in outcome) for (const [key, value] of Object.entries(outcome.patch)) this.#addOccurring(key, value);
    }
    const samples = this.#samples();
    const coarse = this.#classesWith(relevant, [], this.#combined);
    const constants = this.#findConstants(relevant);
    this.changes.proposeFailures(constants);
    this.changes.proposeEvents(
      constants,
      new Map([...relevant].map((key) => [key, coarse.representatives(key, this.candidates.of(key))])),
      samples,
    );
    let transforms: ReturnType<Changes['transforms']> = [];
    let deltas: ReadonlyMap<string, readonly unknown[]> = new Map();
    for (let size = -1; size < relevant.size; ) {
      size = relevant.size;
      this.#patchProbes = this.changes.probes(relevant, samples);
      for (const key of new Set(this.#patchProbes.flatMap((probe) => this.#keysOf(probe)))) this.#addValues(key);
      for (const probe of this.#patchProbes) if (!this.#searched.has(probe)) this.#searchValues(probe);
      deltas = this.#deltasOf(relevant);
      transforms = this.changes.transforms(relevant, { deltas, values: this.#combined, samples });
    }
    for (const key of relevant) this.#addValues(key);
    this.#keys = [...relevant].filter((key) => Object.hasOwn(this.#subject.sample, key)).sort();
    const newClasses = (): Classes => {
      const made = this.#classesWith(relevant, [], this.#combined, this.#patchProbes);
      return this.#classesWith(relevant, transforms, this.#representatives(made));
    };
    let made = newClasses();
    for (const key of this.#keys) if (!made.isSettled(key) && this.deepen(key)) made = newClasses();
    this.#classes = made;
    const newOutcomes = (): NodeOutcomes =>
      new NodeOutcomes({
        subject: this.#subject,
        keys: this.#keys,
        classes: made,
        candidates: this.candidates,
        occurring: this.#combined,
        deltas,
        failures: this.changes.failures,
        after: (path, on) => this.live.after(path, on),
        changes: this.changes,
      });
    this.#outcomes = newOutcomes();
    for (const key of this.changes.failing(deltas, this.#combined)) this.#alwaysLive.add(key);
    this.#live = this.#findLiveKeys(this.#outcomes, relevant, samples);
    this.#readers.clear();
    this.#vector = new Int32Array(this.#keys.length);
    this.#liveText = `${this.#live.text} ${textOf(this.#readAfter)}`;
    if (made !== classes || this.#liveText !== liveText || !outcomes) return true;
    const isSame = outcomes.isSameAs(this.#outcomes);
    if (!isSame) this.#outcomes = newOutcomes(); // the comparison has asked for outcomes that the next search may not ask for
    return !isSame;
  }

  #findLiveKeys(outcomes: NodeOutcomes, relevant: ReadonlySet<string>, samples: readonly MachineContext[]): LiveKeys {
    const { graph, given, functions } = this.#subject;
    this.#noteReadsIn(this.#moments);
    const keysOf = (probe: Probe | undefined): ReadonlySet<string> => (probe ? new Set(this.#keysOf(probe)) : relevant);
    const guards = new Map(this.#subject.guards.map(({ name }, at) => [name, keysOf(this.#guards[at])]));
    const ofFunctions = new Set([...this.#functions.flatMap((probe) => this.#keysOf(probe)), ...(functions.length > 0 ? relevant : [])]);
    return new LiveKeys({
      graph,
      keys: this.#keys,
      always: this.#alwaysLive,
      effects: this.changes.effects(relevant, this.#combined, samples),
      readsOf: (guard) => guards.get(guard) ?? relevant,
      overwrittenBy: (path) => outcomes.overwrittenBy(path),
      readsOfOutcomes: (path) => (typeof given.get(path) === 'function' ? ofFunctions : new Set()),
      reducedBy: (path) => outcomes.reducedBy(path),
      // a moment that was not seen yet is noted after the search, which then is repeated
      readsIn: (path) => this.#readIn.get(path) ?? new Set(),
      readsAfter: (edge) => this.#readAfter.get(edgeKey(edge)) ?? new Set(),
    });
  }

  /** Adds the keys that properties read at moments. Returns true if one of them was taken for dead. */
  #noteReadsIn(moments: readonly (readonly [Configuration, MoveLabel | undefined])[]): boolean {
    let isNew = false;
    for (const [configuration, label] of moments) {
      const probes = this.predicates.flatMap((predicate) => predicate.probeAt(configuration, label) ?? []);
      const keys = probes.flatMap((probe) => this.#keysOf(probe));
      const live = this.#live?.at(configuration.where);
      const onArrival = this.#live?.onArrival(configuration.where, label?.edges ?? []);
      isNew ||= live !== undefined && keys.some((key) => !live.has(key) && !onArrival?.includes(key) && this.#keys.includes(key));
      if (label && label.edges.length > 0) for (const edge of label.edges) addTo(this.#readAfter, edgeKey(edge), keys);
      else for (const path of configuration.where.split('|')) addTo(this.#readIn, path, keys);
    }
    return isNew;
  }

  /** Takes keys for live everywhere from now on. Returns false if all of them are already. */
  keepAlive(keys: readonly string[]): boolean {
    const { size } = this.#alwaysLive;
    for (const key of keys) this.#alwaysLive.add(key);
    return this.#alwaysLive.size > size;
  }

  /** Adds values of visited states that no candidate represents. Returns true if there is one. */
  noteStates(graph: PlaceGraph, most: number, merged: readonly MachineContext[]): boolean {
    const count = Math.min(graph.size, most);
    this.#visited = [...distinctStates(graph, count), ...evenly(count, maxVisited).map((at) => graph.state(at))];
    this.#open.clear();
    const idsOf = (idOf: (key: string, value: unknown) => number): ReadonlyMap<string, Set<number>> =>
      new Map(this.#keys.map((key) => [key, new Set(this.#combined.of(key).map((value) => idOf(key, value)))]));
    const ids = idsOf((key, value) => this.classes.classOf(key, value));
    const rows = idsOf((key, value) => this.classes.rowOf(key, value));
    let isNew = false;
    for (let place = 0; place < count; place++) {
      const state = graph.state(place);
      const { where } = graph.configuration(place);
      const live = this.live.at(where);
      const changing = this.live.changingAt(where);
      for (const key of this.#keys) {
        if (!live.has(key)) continue;
        const isChanging = changing.has(key);
        if (isChanging && this.classes.isOpen(key, state[key])) this.#open.add(key);
        // a value that changes no more still decides what is told apart in other keys
        const id = isChanging ? this.classes.classOf(key, state[key]) : this.classes.rowOf(key, state[key]);
        const known = (isChanging ? ids : rows).get(key);
        if (!known || known.has(id)) continue;
        known.add(id);
        isNew = this.#addReached(key, state[key]) || isNew;
      }
    }
    // two keys may decide together, so a few values are tried although nothing tells them apart
    for (const state of [...this.#visited, ...merged]) {
      for (const key of this.#keys) {
        if (this.#combined.countOf(key) < fewValues) isNew = this.#addReached(key, state[key]) || isNew;
      }
    }
    return isNew;
  }

  #addReached(key: string, value: unknown): boolean {
    // what has accumulated is no value that a node returns
    return this.#subject.merger?.reducers.has(key) ? this.#occurring.add(key, [value]) : this.#addOccurring(key, value);
  }

  /**
   * Returns the classes of a state's live keys, and 0 for other keys, in a list that the next call changes. Classes are counted from 1.
   *
   * @param where Active states. Default: unknown, so that all keys are taken for live.
   */
  vectorOf(state: MachineContext, where?: string): ArrayLike<number> {
    const known = this.#readers.get(where);
    const readers = known ?? this.#readersAt(where);
    if (!known) this.#readers.set(where, readers);
    const vector = this.#vector;
    for (let at = 0; at < readers.length; at++) {
      const read = readers[at];
      vector[at] = read ? read(state[this.#keys[at] ?? '']) + 1 : 0;
    }
    return vector;
  }

  #readersAt(where: string | undefined): readonly (((value: unknown) => number) | undefined)[] {
    if (where === undefined) return this.#keys.map((key) => this.classes.readerOf(key, 'class'));
    const live = this.live.at(where);
    const changing = this.live.changingAt(where);
    // without further changes, only the present answers matter
    return this.#keys.map((key) => (live.has(key) ? this.classes.readerOf(key, changing.has(key) ? 'class' : 'row') : undefined));
  }

  /** Returns the answers about keys that are read at the moment after edges and not later. */
  momentOf(state: MachineContext, where: string, edges: readonly TakenEdge[]): string {
    const keys = this.live.onArrival(where, edges);
    return keys.length === 0 ? '' : keys.map((key) => this.classes.rowOf(key, state[key])).join();
  }

  /** Adds what the probes read at the places that a search has found. Returns true if something is new. */
  noteReads(graph: PlaceGraph, most: number): boolean {
    const places = evenly(graph.size, Math.ceil(most / 10)).map((place) => graph.state(place));
    const ofGuards = this.#guards.flatMap((probe) => places.map((state) => this.#readStates.noteReads(probe, state)));
    const moves = evenly(graph.moveCount, most);
    const ofPredicates = this.predicates.map((predicate) => predicate.noteReads(graph, moves, this.#readStates));
    const isLive = this.#noteReadsIn(this.#moments);
    return isLive || [...ofGuards, ...ofPredicates].some((isNew) => isNew);
  }

  /** Adds what a probe reads for the values that are known of its keys. Returns true if something is new. */
  #noteReadsOf(probe: Probe): boolean {
    const values = this.#keysOf(probe)
      .map((key) => `${key} ${this.candidates.countOf(key)}`)
      .join();
    if (this.#readFor.get(probe) === values) return false; // values are only added
    this.#readFor.set(probe, values);
    return noteReads(probe, this.statesFor(probe, maxReadStates), true);
  }

  get sample(): MachineContext {
    return this.#subject.sample;
  }

  /** Returns states in which a probe may answer differently. */
  statesFor(probe: Probe, most: number): readonly MachineContext[] {
    const values = this.#keysOf(probe).map((key) => [key, this.candidates.of(key)] as const);
    return spread(values, most).map((made) => ({ ...this.#subject.sample, ...made }));
  }

  /** Returns true if the schema of the state allows a value. */
  #isAllowed(key: string, value: unknown): boolean {
    const { merger, sample } = this.#subject;
    try {
      merger?.checks?.readPatch({ [key]: value } as JsonObject, sample);
      return true;
    } catch {
      return false;
    }
  }

  /** Values that may occur in a state. */
  get #combined(): Candidates {
    return this.#proposes ? this.candidates : this.#occurring;
  }

  #addOccurring(key: string, value: unknown): boolean {
    const isNew = this.#occurring.add(key, [value]);
    return this.candidates.add(key, [value]) || isNew;
  }

  #samples(): readonly MachineContext[] {
    const { starts, sample } = this.#subject;
    const values = Object.keys(sample).map((key) => [key, this.#combined.of(key)] as const);
    return [
      ...starts.slice(0, 3).map(({ position }) => position.state),
      ...spread(values, 6).map((made) => Object.freeze({ ...sample, ...made })),
    ];
  }

  #classesWith(
    keys: ReadonlySet<string>,
    transforms: ReturnType<Changes['transforms']>,
    values: Candidates,
    more: readonly Probe[] = [],
  ): Classes {
    const options: ClassesOptions = {
      sample: this.#subject.sample,
      keys: [...keys].sort(),
      probes: [...this.probes, ...more],
      patchReads: this.#patchProbes.map(({ reads }) => reads),
      transforms,
      values,
      levelOf: (key) => this.#levelOf(key),
      isByLength: (key) => this.#isByLength(key),
      visited: this.#visited,
      isGiven: !this.#proposes,
    };
    const text = this.#textOf(options);
    const made = this.#madeClasses.get(text) ?? this.#lastClasses.get(text) ?? new Classes(options);
    this.#madeClasses.set(text, made);
    return made;
  }

  /** Returns everything that decides classes as a text. */
  #textOf({ keys, probes, patchReads, transforms, values, visited, isGiven, levelOf }: ClassesOptions): string {
    for (const probe of probes) if (!this.#probeIds.has(probe)) this.#probeIds.set(probe, this.#probeIds.size);
    const isVisited = isGiven || probes.some(({ isSlow }) => isSlow) || transforms.some(({ isSlow }) => isSlow);
    return textOf([
      keys.map((key) => [key, levelOf(key), this.#isByLength(key), values.of(key)]),
      probes.map((probe) => [this.#probeIds.get(probe), probe.reads]),
      patchReads,
      transforms.map(({ name, reads }) => [name, reads]),
      isVisited ? visited : [],
    ]);
  }

  #representatives(classes: Classes): Candidates {
    const chosen = new Candidates();
    for (const key of Object.keys(this.#subject.sample)) chosen.add(key, classes.representatives(key, this.#combined.of(key)));
    return chosen;
  }

  #keysOf({ reads }: Probe): readonly string[] {
    const { sample } = this.#subject;
    return reads.whole ? Object.keys(sample) : [...reads.members.keys()].filter((key) => Object.hasOwn(sample, key));
  }

  #readKeys(): readonly string[] {
    return [...new Set(this.probes.flatMap((probe) => this.#keysOf(probe)))];
  }

  #findConstants(keys: Iterable<string>): Constants {
    const { functions, guards } = this.#subject;
    const { texts, numbers } = constantsIn([
      ...guards.map(({ text }) => text),
      ...functions.map(String),
      ...this.predicates.map(({ predicate }) => String(predicate)),
    ]);
    const found = [...keys].flatMap((key) => this.candidates.of(key));
    return {
      texts: [...new Set([...texts, ...found.filter((value) => typeof value === 'string')])].slice(0, 60),
      numbers: [...new Set([...numbers, ...found.filter((value) => typeof value === 'number')])].slice(0, 60),
    };
  }

  /** Adds the values that the first state, the options, the schema, or the sources of the probes suggest for a key. */
  #addValues(key: string): boolean {
    const { sample, starts, schema: whole } = this.#subject;
    const readers = [...this.probes, ...this.#patchProbes].filter(({ reads }) => reads.whole || reads.members.has(key));
    const compared = constantsIn([...new Set(readers.map(({ text }) => text))]);
    const beside = readers.flatMap((probe) =>
      this.#keysOf(probe).flatMap((other) => (typeof sample[other] === 'number' ? [sample[other]] : [])),
    );
    const constants = { texts: compared.texts, numbers: [...new Set([...compared.numbers, ...beside])] };
    const reads = emptyReads();
    for (const { reads: found } of readers) addReads(reads, found.members.get(key) ?? emptyReads());
    const inside = this.changes.reads.members.get(key);
    if (inside) addReads(reads, inside);
    const schema = memberSchema(whole, key);
    const first = starts.map(({ position }) => position.state[key]);
    const known = schema && valuesOfSchema(schema, constants);
    if (known?.complete) this.#exhausted.add(key);
    const suggested = known ? known.values : valuesFor(reads, sample[key], constants);
    const isNew = this.candidates.add(key, [...first, ...(this.#given[key] ?? []), ...this.#returnedValues(key), ...suggested]);
    return this.#isByLength(key) ? isNew : this.candidates.add(key, this.#listsOf(key).map(withOtherItems)) || isNew;
  }

  /** Looks for values at which a probe changes its answer. */
  #searchValues(probe: Probe): void {
    this.#searched.add(probe);
    const { schema: whole, merger, sample } = this.#subject;
    const { numbers } = constantsIn([probe.text]);
    for (const key of this.#keysOf(probe)) {
      const reads = probe.reads.whole ? probe.reads : (probe.reads.members.get(key) ?? emptyReads());
      const type = memberSchema(whole, key)?.type;
      // a key with a reducer counts, unless it starts with a fraction
      const counts = merger?.reducers.has(key) === true && Number.isInteger(sample[key]) && type !== 'number';
      const seen = new Set<string>();
      for (const base of this.candidates.of(key)) {
        for (const { path, value } of leavesOf(base, reads)) {
          // an empty list does not show what its items are
          const place = `${path.join('.')} ${typeof value} ${Array.isArray(value) && value.length > 0}`;
          if (seen.has(place)) continue;
          seen.add(place);
          const put = (leaf: unknown): unknown => withLeaf(base, path, leaf);
          const states = this.statesFor(probe, maxThresholdStates);
          const isWhole = path.length === 0 && (type === 'integer' || counts);
          for (const state of states) {
            const ask = (leaf: unknown): string => probe.ask({ ...state, [key]: put(leaf) });
            this.candidates.add(key, leavesNear(value, ask, numbers, isWhole).map(put));
          }
        }
      }
    }
  }

  /** Patches of the keys with a reducer. */
  #deltasOf(relevant: ReadonlySet<string>): ReadonlyMap<string, readonly unknown[]> {
    const { merger, listed } = this.#subject;
    const keys = [...(merger?.reducers.keys() ?? [])].filter((key) => relevant.has(key));
    return new Map(
      keys.map((key) => {
        const offered = listed.flatMap((outcome) =>
          'patch' in outcome && Object.hasOwn(outcome.patch, key) ? [Reflect.get(outcome.patch, key)] : [],
        );
        return [key, [...offered, ...this.#returnedValues(key), ...(this.#isFree ? this.candidates.of(key) : [])]];
      }),
    );
  }

  /** Values of a key that nodes with declared returns may bring. */
  #returnedValues(key: string): readonly unknown[] {
    const { returns, given } = this.#subject;
    return [...returns].flatMap(([path, schema]) => (given.has(path) ? [] : valuesInPatch(schema, key, this.candidates)));
  }

  /** True if some node may return anything. */
  get #isFree(): boolean {
    const { handlers, given, returns } = this.#subject;
    return [...handlers.keys()].some((path) => !given.has(path) && !returns.has(path));
  }
}

/** Returns states in which a key has a simple value that it has in no state before them. */
function distinctStates(graph: PlaceGraph, count: number): readonly MachineContext[] {
  const known = new Map<string, Set<unknown>>();
  return Array.from({ length: count }, (_, place) => graph.state(place)).filter((state) => {
    let isNew = false;
    for (const key in state) {
      const values = known.get(key) ?? new Set();
      known.set(key, values);
      const value = state[key];
      if (typeof value === 'object' || values.size >= maxDistinct || values.has(value)) continue;
      values.add(value);
      isNew = true;
    }
    return isNew;
  });
}

function addTo(sets: Map<string, Set<string>>, name: string, keys: readonly string[]): void {
  const known = sets.get(name) ?? new Set();
  for (const key of keys) known.add(key);
  sets.set(name, known);
}

/** Returns at most `most` of the numbers below `count`, evenly spread. */
const evenly = (count: number, most: number): readonly number[] =>
  Array.from({ length: Math.min(count, most) }, (_, at) => (count <= most ? at : Math.floor((at * count) / most)));
