import type { MachineContext } from 'xstate';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import type { Move } from '../../engine/drive/stepper.ts';
import { abstraction } from './abstraction.ts';
import type { Counterexample } from './counterexample.ts';
import type { Question, Refined } from './decide.ts';
import { emptyProofs, type MomentParts, momentsOf } from './gaps.ts';
import type { Predicate } from './invariant.ts';
import { Knowledge } from './knowledge.ts';
import { textOfObject } from './known.ts';
import type { OutcomeClass } from './outcome-class.ts';
import { Patches } from './patches.ts';
import type { Path, PlaceGraph } from './place-graph.ts';
import { replay } from './replay.ts';
import { Search, type SearchOptions } from './search.ts';
import { inputsFor } from './starts.ts';
import type { Subject } from './subject.ts';

/** Most searches of one refinement; each learns from the one before. */
const maxRounds = 12;
/** Places of the first searches of a large machine, which learn nearly as much as searches of all places. */
const firstPlaces = 2_000;
const maxNotedStates = 20_000;
const maxNotedMoves = 4_000;

export interface RefinementOptions {
  readonly maxStates: number;
  readonly abstract?: ((state: MachineContext) => unknown) | undefined;
  readonly values?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** True if the inputs are given, so that no others are tried. */
  readonly hasInputs: boolean;
}

/** A search of a machine with what is known about another one. */
export type Trial = Refined & Pick<Refinement, 'search' | 'knowledge' | 'cutOff'>;

const onlyTried: UndecidedReason = {
  code: 'STILL_GROWING',
  message: 'The machine was only tried with the values of another one.',
  hint: 'Explore it by itself.',
};

/** An exploration that tells apart what guards and some predicates ask. */
export class Refinement implements Refined {
  readonly predicates: ReadonlySet<Predicate>;
  readonly knowledge: Knowledge;
  readonly #subject: Subject;
  readonly #options: RefinementOptions;
  #search: Search | undefined;
  #patches = new Patches();
  #isGrowing = false;
  #hasMisfits = false;
  #cutOff: readonly UndecidedReason[] | undefined;
  /** Kinds of moments of the last search. */
  moments: readonly MomentParts[] = [];

  constructor(subject: Subject, options: RefinementOptions, predicates: readonly Predicate[], base?: Refinement) {
    this.#subject = subject;
    this.#options = options;
    this.predicates = new Set(predicates);
    this.knowledge = new Knowledge(subject, predicates, options.values);
    if (base) this.knowledge.addMoments(base.moments);
    this.#explore();
  }

  get search(): Search {
    if (!this.#search) throw new Error('explore first');
    return this.#search;
  }

  get graph(): PlaceGraph {
    return this.search.graph;
  }

  get isComplete(): boolean {
    return this.cutOff.length === 0;
  }

  /** Parts that were not explored. */
  get cutOff(): readonly UndecidedReason[] {
    this.#cutOff ??= this.#findCutOff();
    return this.#cutOff;
  }

  #findCutOff(): readonly UndecidedReason[] {
    const { maxStates, abstract } = this.#options;
    const { changes, outcomes, oneSided, unmoved, collecting } = this.knowledge;
    const reasons: UndecidedReason[] = [...changes.withoutExample].map(([type, path]) => ({
      code: 'EVENT_WITHOUT_EXAMPLE',
      message: `No example of the event ${type} of "${path}" was accepted, so nothing behind it was explored.`,
      hint: `Give \`outcomes\` of "${path}", such as [{ event: { type: '${type}', … } }], or declare the schema of the event.`,
    }));
    if (this.search.cut) {
      reasons.push({
        code: 'TOO_MANY_PLACES',
        message: `There are more than ${maxStates} places, or more moves between them than are tried.`,
        hint: 'Raise `maxStates`, or bound what nodes return by `returns` or `outcomes`.',
      });
    }
    for (const path of outcomes.cut) {
      reasons.push({
        code: 'TOO_MANY_COMBINATIONS',
        message: `"${path}" can return more combinations of values than were tried.`,
        hint: `Declare what it returns as \`returns\` of the workflow, or give \`outcomes\` of "${path}".`,
      });
    }
    for (const { guard, passed } of oneSided) {
      reasons.push({
        code: 'GUARD_ONE_SIDED',
        message: `The guard "${guard}" passed for ${passed ? 'every' : 'no'} tried value.`,
        hint: 'Give the deciding values of the state as `values`, or `outcomes` of the node that brings them.',
      });
    }
    for (const { on, key } of unmoved) {
      reasons.push({
        code: 'GUARD_ONE_SIDED',
        message: `The patch of ${on === 'error' ? 'a failure' : on} reads "${key}" and was the same for every tried value.`,
        hint: `Give deciding values as \`values\` of the exploration: { ${key}: [ … ] }.`,
      });
    }
    for (const key of collecting) {
      reasons.push({
        code: 'STILL_GROWING',
        message: `The reducer of "${key}" looks at the items of lists, of which only a few were tried.`,
        hint: 'Give `outcomes` of the nodes and the waiting states that bring the items.',
      });
    }
    for (const [path, { accepted }] of this.#patches.counts) {
      if (accepted > 0) continue;
      reasons.push({
        code: 'TOO_MANY_COMBINATIONS',
        message: `Every patch that was tried for "${path}" was refused, so nothing behind it was explored.`,
        hint: `Give \`outcomes\` of "${path}".`,
      });
    }
    if (this.#isGrowing || this.#hasMisfits || (!abstract && this.knowledge.growing.length > 0)) {
      reasons.push({
        code: 'STILL_GROWING',
        message: abstract
          ? 'The option `abstract` merges states that continue differently.'
          : 'Values kept growing, so states were merged that may continue differently.',
        hint: abstract
          ? 'Distinguish them in `abstract`, or leave it out.'
          : 'Bound the values by the schema of the state, by `returns`, or by `outcomes`.',
      });
    }
    return reasons;
  }

  gaps(question: Question<MachineContext>): readonly UndecidedReason[] {
    return [...this.cutOff, ...emptyProofs(question, this.knowledge.predicates, this.knowledge, this.moments)];
  }

  replay(path: Path): Counterexample | undefined {
    return this.#replay(path, this.search, this.#subject, this.#patches);
  }

  #replay(path: Path, search: Search, { merger }: Subject, patches: Patches): Counterexample | undefined {
    return patches.withFreshReads(() => replay(search, path, { merger, isProposed: (each) => this.#isProposed(each) }));
  }

  /** Distinguishes all values after more changes. Returns false if it cannot. */
  deepen(): boolean {
    const { keys } = this.knowledge;
    if (this.#options.abstract || !keys.map((key) => this.knowledge.deepen(key)).some((isNew) => isNew)) return false;
    this.#explore();
    return true;
  }

  /**
   * Searches a machine that is like this one, with the values and classes of this one. Nothing is learned about the differences, so only a
   * violation is certain, and only after its replay.
   */
  trial(subject: Subject): Trial {
    const { knowledge } = this;
    const { abstract } = this.#options;
    const patches = new Patches();
    const search = this.#newSearch(subject, patches, {
      // the other machine may read what this one does not read any more
      vectorOf: abstract ? abstraction(knowledge.probes, abstract) : (state) => knowledge.vectorOf(state),
      momentOf: () => '',
      difference: () => undefined, // a replay finds out what was merged wrongly
    });
    search.run();
    return {
      search,
      knowledge,
      graph: search.graph,
      cutOff: [onlyTried],
      gaps: () => [onlyTried],
      deepen: () => false,
      replay: (path) => this.#replay(path, search, subject, patches),
    };
  }

  #explore(): void {
    this.#hasMisfits = false;
    this.#cutOff = undefined;
    const { maxStates } = this.#options;
    let limit = Math.min(maxStates, firstPlaces);
    let lastBegin: string | undefined;
    for (let round = 0; round < maxRounds; round++) {
      const isKnown = !this.knowledge.grow();
      const starts = this.#starts(this.#subject);
      const begin = JSON.stringify([limit, starts.map(({ position: { where, state, history } }) => [where, state, history])]);
      if (!isKnown || begin !== lastBegin) {
        this.#patches = new Patches();
        this.#search = this.#newSearch(this.#subject, this.#patches, { starts, maxStates: limit });
        this.#search.run();
      }
      lastBegin = begin;
      const { search } = this;
      const isNew = this.#learn(search);
      const isPart = search.cut && limit < maxStates;
      // a search that was cut off decides nothing, so another one is not worth its time
      if (!isPart && (!isNew || search.cut)) {
        this.#isGrowing = false;
        return;
      }
      // the last searches are whole, so that what is reported about them is true
      if (isPart && (!isNew || round >= maxRounds / 2)) limit = maxStates;
    }
    this.#isGrowing = true;
  }

  /** Learns from a search. Returns true if another search would find more. */
  #learn({ graph, misfits, merged }: Search): boolean {
    const { knowledge } = this;
    this.moments = momentsOf(graph);
    const hasMoments = knowledge.addMoments(this.moments);
    const hasReads = knowledge.noteReads(graph, maxNotedMoves);
    const hasValues = knowledge.noteStates(graph, maxNotedStates, merged);
    if (misfits.length === 0) return hasMoments || hasReads || hasValues;
    const differing = misfits.map(({ where, states: [one, other] }) => {
      const live = knowledge.live.at(where);
      const keys = knowledge.keys.filter((key) => !isEqual(one[key], other[key]));
      const relevant = keys.filter((key) => live.has(key));
      return relevant.length > 0 ? { relevant, dead: [] } : { relevant, dead: keys };
    });
    const keys = new Set(differing.flatMap(({ relevant }) => relevant));
    const isDeeper =
      !this.#options.abstract &&
      [knowledge.keepAlive(differing.flatMap(({ dead }) => dead)), ...[...keys].map((key) => knowledge.deepen(key))].some((isNew) => isNew);
    this.#hasMisfits = !isDeeper;
    return isDeeper || hasMoments || hasReads || hasValues;
  }

  #starts(subject: Subject): readonly Move[] {
    return this.#options.hasInputs ? subject.starts : inputsFor(subject, this.knowledge);
  }

  #isProposed(path: string): boolean {
    return !this.#subject.given.has(path);
  }

  #newSearch(subject: Subject, patches: Patches, more: Partial<SearchOptions> = {}): Search {
    const { knowledge } = this;
    const { abstract, maxStates } = this.#options;
    const coarse = abstract && abstraction(knowledge.probes, abstract);
    return new Search({
      stepper: subject.stepper,
      starts: this.#starts(subject),
      maxStates,
      patches,
      vectorOf: coarse ?? ((state, where) => knowledge.vectorOf(state, where)),
      momentOf: coarse ? () => '' : (state, where, edges) => knowledge.momentOf(state, where, edges),
      outcomesOf: (path, kind, state) => this.#outcomesOf(path, kind, state),
      isProposed: (path) => this.#isProposed(path),
      dependsOnState: (path) => typeof this.#subject.given.get(path) === 'function',
      survivorsOf: (path) => (abstract ? undefined : knowledge.outcomes.survivorsOf(path)),
      survive: (path, one, other) => {
        const survivors = knowledge.outcomes.survivorsOf(path);
        return !survivors || survivors.some((at) => !isEqual(one[knowledge.keys[at] ?? ''], other[knowledge.keys[at] ?? '']));
      },
      difference: (where, one, other) => {
        let found: 'dead' | undefined;
        for (const key of knowledge.keys) {
          if (one[key] === other[key] || isEqual(one[key], other[key])) continue;
          if (abstract || knowledge.live.at(where).has(key)) return 'live';
          found = 'dead';
        }
        return found;
      },
      ...more,
    });
  }

  #outcomesOf(path: string, kind: 'node' | 'wait', state: MachineContext): readonly OutcomeClass[] {
    const given = this.#subject.given.get(path);
    if (!given) return kind === 'node' ? this.knowledge.outcomes.proposed(path) : this.knowledge.outcomes.events(path);
    return this.knowledge.outcomes.given(path, given, kind, state);
  }
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (isComposed(one) && isComposed(other) && textOfObject(one) === textOfObject(other));

const isComposed = (value: unknown): value is object => typeof value === 'object' && value !== null;
