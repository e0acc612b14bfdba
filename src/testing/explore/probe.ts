import type { MachineContext } from 'xstate';
import type { NamedGuard } from './guard-texts.ts';
import type { Moment, Predicate } from './invariant.ts';
import { Known } from './known.ts';
import { nameOfOutcome, type OutcomeClass, type OutcomeFunction } from './outcome-class.ts';
import type { Configuration, MoveLabel, PlaceGraph } from './place-graph.ts';
import { toMoment } from './place-graph.ts';
import { addReads, emptyReads, type ReadTree, recording } from './read-tree.ts';

/** A function of the state whose results tell states apart. */
export interface Probe {
  /** Source text, searched for constants. */
  readonly text: string;
  /** Values that it has read so far. */
  readonly reads: ReadTree;
  /** True if it takes much longer than a comparison, so that it is asked less. */
  readonly isSlow?: boolean;
  /** Returns a short text: `1` or `0` for a condition, `!` if it throws. */
  ask(state: MachineContext): string;
  /** Asks, and notes what else the condition asks about a moment. */
  watch?(state: MachineContext): string;
}

/** Returns a condition's result as a digit, or `!` if it throws. */
export function answerOf(passes: () => boolean): string {
  try {
    return passes() ? '1' : '0';
  } catch {
    return '!';
  }
}

/** Returns a value as a text, or `!` if it cannot be made. */
export function answerText(make: () => unknown): string {
  try {
    return JSON.stringify(make()) ?? '';
  } catch {
    return '!';
  }
}

/** Returns the probe of a guard. */
export const guardProbe = ({ passes, text }: NamedGuard): Probe => ({
  text,
  reads: emptyReads(),
  ask: (state) => answerOf(() => passes(state)),
});

/** Returns the probe of a function that gives outcomes: which of them there are, but not their patches. */
export const outcomesProbe = (outcomes: OutcomeFunction): Probe => ({
  text: String(outcomes),
  reads: emptyReads(),
  isSlow: true,
  ask: (state) => {
    try {
      return `(${outcomes(state).map((outcome) => `${nameOfKind(outcome)} ${JSON.stringify(outcome.calls ?? '')}`)})`;
    } catch {
      return '!';
    }
  },
});

const nameOfKind = (outcome: OutcomeClass): string =>
  outcome.name === undefined && 'patch' in outcome ? Object.keys(outcome.patch).join('+') : nameOfOutcome(outcome);

/**
 * Adds the values that a probe reads in some states.
 *
 * @param fill Also adds those that it would read if empty values were filled.
 * @returns true if one of them is new.
 */
export function noteReads(probe: Probe, states: Iterable<MachineContext>, fill = false): boolean {
  const found = emptyReads();
  for (const state of states) {
    (probe.watch ?? probe.ask)(recording(state, found));
    if (fill) probe.ask(recording(state, found, true));
  }
  return addReads(probe.reads, found);
}

/** States in which probes have read. A probe reads the same in two states that are equal in all keys that it reads. */
export class ReadStates {
  readonly #ids = new Known();
  #count = 0;
  readonly #seen = new WeakMap<Probe, Set<string>>();

  /** Adds what a probe reads in a state. Returns true if something is new. */
  noteReads(probe: Probe, state: MachineContext): boolean {
    const seen = this.#seen.get(probe) ?? new Set();
    this.#seen.set(probe, seen);
    if (seen.has(this.#partOf(state, probe))) return false;
    const isNew = noteReads(probe, [state]);
    seen.add(this.#partOf(state, probe)); // with the keys that are new
    return isNew;
  }

  #partOf(state: MachineContext, { reads }: Probe): string {
    let part = '';
    for (const key of reads.whole ? Object.keys(state) : reads.members.keys()) part += ` ${this.#idOf(state[key])}`;
    return part;
  }

  #idOf(value: unknown): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    this.#ids.set(value, this.#count);
    return this.#count++;
  }
}

/** A question that a predicate asks about a moment, besides those about its state. */
interface Asked {
  readonly name: string;
  answer(configuration: Configuration, label: MoveLabel | undefined): unknown;
}

/** A predicate with what it asks. Moments with equal answers are one probe of the state. */
export class ProbedPredicate {
  readonly predicate: Predicate;
  readonly #questions = new Map<string, Asked>();
  readonly #probes = new Map<string, Probe>();

  constructor(predicate: Predicate) {
    this.predicate = predicate;
  }

  /** Its probes: one for each kind of moment that was added. */
  get probes(): readonly Probe[] {
    return [...this.#probes.values()];
  }

  get questions(): readonly Asked[] {
    return [...this.#questions.values()];
  }

  /**
   * Adds moments.
   *
   * @returns true if it asks something new.
   */
  addMoments(moments: Iterable<readonly [Configuration, MoveLabel | undefined]>, samples: readonly MachineContext[]): boolean {
    const known = this.#questions.size;
    const found = new Map<string, readonly [Configuration, MoveLabel | undefined]>();
    const all = [...moments];
    for (;;) {
      const before = this.#questions.size;
      found.clear();
      for (const moment of all) {
        const signature = this.#signature(...moment);
        if (!found.has(signature)) found.set(signature, moment);
      }
      for (const [configuration, label] of found.values()) {
        for (const state of samples) answerOf(() => this.ask(configuration, state, label)); // it may throw on a state that no run has
      }
      if (this.#questions.size === before) break;
    }
    const isNew = this.#questions.size > known || [...found.keys()].some((signature) => !this.#probes.has(signature));
    if (this.#questions.size > known) this.#probes.clear(); // the older signatures lack an answer
    for (const [signature, [configuration, label]] of found) {
      if (this.#probes.has(signature)) continue;
      const moment = { ...toMoment(configuration, samples[0] ?? {}, label) };
      this.#probes.set(signature, {
        text: String(this.predicate),
        reads: emptyReads(),
        ask: (state) => {
          moment.state = state; // one moment for all states, because rows ask millions of times
          return answerOf(() => this.predicate(moment));
        },
        watch: (state) => answerOf(() => this.ask(configuration, state, label)),
      });
    }
    return isNew;
  }

  /** Asks the predicate, and notes its questions. */
  ask(configuration: Configuration, state: MachineContext, label: MoveLabel | undefined): boolean {
    const moment = toMoment(configuration, state, label);
    return this.predicate(this.#watched(moment, (question) => question.answer(configuration, label)));
  }

  /** Returns the probe of a moment, if it was added. */
  probeAt(configuration: Configuration, label: MoveLabel | undefined): Probe | undefined {
    return this.#probes.get(this.#signature(configuration, label));
  }

  /** Adds what the predicate reads at the ends of some moves. Returns true if something is new. */
  noteReads(graph: PlaceGraph, moves: readonly number[], known: ReadStates): boolean {
    const probes = new Map<number, Probe | undefined>();
    const seen = new Map<Probe, Set<MachineContext>>();
    let asked = this.#questions.size;
    let isNew = false;
    for (const move of moves) {
      if (asked !== this.#questions.size) probes.clear(); // a new question may be answered differently
      asked = this.#questions.size;
      const place = graph.target(move);
      const kind = graph.kindOf(place, move);
      if (!probes.has(kind)) probes.set(kind, this.probeAt(graph.configuration(place), graph.label(move)));
      const probe = probes.get(kind);
      if (!probe) continue;
      const states = seen.get(probe) ?? new Set();
      seen.set(probe, states);
      const state = graph.stateAfter(move);
      if (states.has(state)) continue; // many moves lead to one place
      states.add(state);
      isNew = known.noteReads(probe, state) || isNew;
    }
    return isNew;
  }

  /** Asks the predicate with answers of one's own. */
  askFreely(moment: Moment, answer: (name: string) => boolean): boolean {
    return this.predicate({
      ...moment,
      isIn: (path) => answer(`isIn(${path})`),
      took: (...edge) => answer(`took(${edge.filter((part) => part !== undefined).join(', ')})`),
    });
  }

  #signature(configuration: Configuration, label: MoveLabel | undefined): string {
    return JSON.stringify([...this.#questions.values()].map((question) => question.answer(configuration, label) ?? null));
  }

  #watched(moment: Moment, answer: (question: Asked) => unknown): Moment {
    const note = (name: string, ask: Asked['answer']): unknown => {
      const known = this.#questions.get(name);
      if (known) return answer(known);
      const question = { name, answer: ask };
      this.#questions.set(name, question);
      return answer(question);
    };
    const watched = {
      state: moment.state,
      get where(): string {
        note('where', ({ where }) => where);
        return moment.where;
      },
      get done(): boolean {
        note('done', ({ done }) => done);
        return moment.done;
      },
      get waiting(): readonly string[] {
        note('waiting', ({ waiting }) => waiting);
        return moment.waiting;
      },
      get edges(): Moment['edges'] {
        note('edges', (_, label) => label?.edges.map(({ from, on, guard }) => [from, on, guard ?? null]));
        return moment.edges;
      },
      get by(): string | undefined {
        note('by', (_, label) => label?.by);
        return moment.by;
      },
      get outcome(): string | undefined {
        note('outcome', (_, label) => label?.outcome);
        return moment.outcome;
      },
      isIn: (path: string) => note(`isIn(${path})`, ({ isIn }) => isIn(path)) === true,
      took: (...edge: Parameters<Moment['took']>) =>
        note(`took(${edge.filter((part) => part !== undefined).join(', ')})`, (_, label) => label?.took(...edge) ?? false) === true,
    };
    return watched as Moment; // `by` is present at a start, too, with the value undefined
  }
}
