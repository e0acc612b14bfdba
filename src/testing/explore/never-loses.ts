import type { EventObject, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { Json } from '../../core/ports/json.ts';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { findMerger, type Merger } from '../../engine/define/state.ts';
import { mergeOutput } from './changes.ts';
import { toCounterexample } from './counterexample.ts';
import { distinctBy } from './distinct-by.ts';
import type { Exploration, ExploredState } from './exploration.ts';
import { constantsIn } from './guard-texts.ts';
import type { Invariant, Verdict } from './invariant.ts';
import { distinct, longLength, samplesOf } from './key-samples.ts';
import { proposeEvents } from './propose-event.ts';

/**
 * Invariant that a key keeps what it holds and takes what arrives, whatever nodes return, for logs, taint and token usage. It tries the
 * reducers, every event and a failure with values of the key, and needs no search of runs.
 *
 * A list keeps its items in front and takes all new ones. A number does not fall below its old value or the arriving one. `true` stays
 * and arrives. A text is continued. An object keeps and takes its members by the same rules. Arriving numbers count as not negative. Lists
 * and texts of up to 1,000 items and characters are tried.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a key that the state lacks.
 * @example neverLoses('nothing that was said is lost', ['messages', 'taint', 'usage'])
 */
export const neverLoses = <TState = MachineContext>(name: string, keys: readonly (keyof TState & string)[]): Invariant<TState> =>
  growth(name, keys, true);

/**
 * Invariant that a key keeps what it holds, as in `neverLoses`. What arrives may be dropped, for example by a merge that takes each document
 * once, or a list of limited length.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a key that the state lacks.
 * @example neverShrinks('no document is forgotten', ['documents'])
 */
export const neverShrinks = <TState = MachineContext>(name: string, keys: readonly (keyof TState & string)[]): Invariant<TState> =>
  growth(name, keys, false);

function growth<TState>(name: string, keys: readonly string[], mustArrive: boolean): Invariant<TState> {
  return {
    name,
    check(exploration) {
      const merger = findMerger(exploration.workflow.machine);
      const [start] = exploration.states;
      if (!start || !merger) return { verdict: 'holds' }; // nothing is merged
      const undecided: UndecidedReason[] = [];
      const events = eventsOf(exploration as Exploration, merger);
      for (const key of keys) {
        assertKey(exploration, start.state, key);
        const found = new Lemma(exploration as Exploration, merger, { key, mustArrive, events }).check();
        if (found === 'untried') undecided.push(notTried(key));
        else if (found) {
          const place: ExploredState<TState> = { ...start, state: { ...start.state, [key]: found.before } };
          return { verdict: 'broken', why: found.why, counterexample: toCounterexample(place, []) } satisfies Verdict<TState>;
        }
      }
      return undecided.length > 0 ? { verdict: 'undecided', reasons: undecided } : { verdict: 'holds' };
    },
  };
}

interface Loss {
  readonly before: unknown;
  readonly why: string;
}

/** Numbers of states, values and events to try. */
const maxStates = 9;
const maxSeen = 12;
const maxEvents = 8;
const unmerged = Symbol('unmerged');

interface LemmaOptions {
  readonly key: string;
  readonly mustArrive: boolean;
  readonly events: readonly EventObject[];
}

/** Returns the events of an exploration, some more of each type, and a failure. */
function eventsOf({ outcomes, graph }: Exploration, merger: Merger): readonly EventObject[] {
  const sent = [...outcomes.values()].flat().flatMap((outcome) => ('event' in outcome ? [outcome.event] : []));
  const types = new Set(graph.states.flatMap(({ edges }) => edges.map(({ on }) => on)).filter((on) => merger.eventOf(on)));
  const made = [...types].flatMap((type) =>
    proposeEvents(type, (event) => merger.parse(event), constantsIn([]), merger.eventOf(type)).slice(0, maxEvents),
  );
  const error = { code: 'NODE_FAILED', message: 'failed', name: 'Error', retryable: false };
  return distinctBy([...sent, ...made, { type: 'xstate.error.actor.node', error } as EventObject], (event) => JSON.stringify(event));
}

/** The rules of growth for one key of one machine. */
class Lemma {
  readonly #merger: Merger;
  readonly #key: string;
  readonly #mustArrive: boolean;
  readonly #states: readonly MachineContext[];
  readonly #events: readonly EventObject[];
  readonly #families: readonly (readonly unknown[])[];

  constructor({ states, outcomes }: Exploration, merger: Merger, { key, mustArrive, events }: LemmaOptions) {
    this.#merger = merger;
    this.#key = key;
    this.#mustArrive = mustArrive;
    this.#events = events;
    const step = Math.max(1, Math.ceil(states.length / maxStates));
    this.#states = states.filter((_, at) => at % step === 0).map(({ state }) => state);
    const given = [...outcomes.values()].flat();
    const returned = given.flatMap((outcome) => ('patch' in outcome && Object.hasOwn(outcome.patch, key) ? [outcome.patch[key]] : []));
    this.#families = samplesOf(merger, key, distinct([...this.#states.map((state) => state[key]), ...returned]).slice(0, maxSeen));
  }

  /** @returns a loss in each family of values, or `untried` if no values could be combined. */
  check(): Loss | 'untried' | undefined {
    const ends = this.#families.map((family) => this.#inFamily(family));
    if (ends.includes(undefined)) return undefined; // the values of that family are of the right type
    return ends.find((end) => end !== 'untried') ?? 'untried';
  }

  #inFamily(values: readonly unknown[]): Loss | 'untried' | undefined {
    const [state = {}] = this.#states;
    const short = values.filter((value) => !isLong(value));
    const some = short.find((value) => !isEmpty(value));
    let tried = 0;
    for (const before of values) {
      for (const next of values) {
        if ((isLong(before) && next !== some) || (isLong(next) && before !== some)) continue; // long values take time
        const after = this.#merge({ ...state, [this.#key]: before }, { [this.#key]: next });
        if (after === unmerged) continue;
        if (!isEmpty(before) && !isEmpty(next)) tried++;
        const loss = this.#lossOf(before, next, after, 'A node');
        if (loss) return loss;
      }
    }
    return this.#inEvents(short) ?? (tried > 0 ? undefined : 'untried');
  }

  #inEvents(values: readonly unknown[]): Loss | undefined {
    const tries = this.#states.flatMap((state) =>
      values.map((before) => ({ state, before, from: Object.freeze({ ...state, [this.#key]: before }) })),
    );
    for (const event of this.#events) {
      const who = 'error' in event ? 'A failure' : `The event ${event.type}`;
      const tried = new TriedPatches();
      for (const { state, before, from } of tries) {
        const written = this.#writtenPatch(from, event);
        if (written === undefined || tried.has(written, state, before)) continue;
        const patch = this.#patchOf(from, event);
        if (!patch || !Object.hasOwn(patch, this.#key)) continue;
        tried.add(written, state, before);
        const after = this.#merge(from, patch);
        const loss = after === unmerged ? undefined : this.#lossOf(before, patch[this.#key], after, who);
        if (loss) return loss;
      }
    }
    return undefined;
  }

  #lossOf(before: unknown, next: unknown, after: unknown, who: string): Loss | undefined {
    const isKept = keeps(before, after);
    if (isKept && (!this.#mustArrive || arrives(next, after))) return undefined;
    const lost = isKept ? 'what it brings does not arrive' : 'what was there is lost';
    const [old, brought, result] = [before, next, after].map((value) => shorten(shown(value), 200));
    return { before, why: `${who} brings ${brought} for "${this.#key}", which is ${old}. It becomes ${result}: ${lost}.` };
  }

  #merge(state: MachineContext, patch: object): unknown {
    try {
      return mergeOutput(this.#merger, state, patch)[this.#key];
    } catch {
      return unmerged; // the value does not fit, or the definition expects another state
    }
  }

  /** Returns the patch as the definition's function writes it, as a text; `undefined` if it leaves the key out or throws. */
  #writtenPatch(state: MachineContext, event: EventObject): string | undefined {
    try {
      const written = this.#merger.writtenPatch(event)?.at(state);
      if ('error' in event) return JSON.stringify(written) ?? ''; // a failure also brings its taint
      return isObject(written) && Object.hasOwn(written, this.#key) ? JSON.stringify(written) : undefined;
    } catch {
      return undefined;
    }
  }

  #patchOf(state: MachineContext, event: EventObject): MachineContext | undefined {
    try {
      return this.#merger.patchOf(state, event);
    } catch {
      return undefined;
    }
  }
}

/**
 * Written patches of one event with the states and the values in which the checks of a schema have read them. These take long, so a patch
 * that does not depend on the state is read in each state beside one value that can be lost, and beside each value in one state.
 */
class TriedPatches {
  readonly #tried = new Map<string, Set<unknown>>();

  has(patch: string, state: MachineContext, before: unknown): boolean {
    const tried = this.#tried.get(patch);
    return tried?.has(state) === true && tried.has(before);
  }

  add(patch: string, state: MachineContext, before: unknown): void {
    const tried = this.#tried.get(patch) ?? new Set();
    this.#tried.set(patch, tried.add(before));
    if (!isEmpty(before)) tried.add(state);
  }
}

function keeps(before: unknown, after: unknown): boolean {
  if (typeof before === 'number') return typeof after === 'number' && after >= before;
  if (typeof before === 'boolean') return !before || after === true;
  if (typeof before === 'string') return typeof after === 'string' && after.startsWith(before);
  if (Array.isArray(before)) return Array.isArray(after) && before.every((item, at) => isSame(item, after[at]));
  return !isObject(before) || (isObject(after) && Object.entries(before).every(([name, member]) => keeps(member, after[name])));
}

function arrives(next: unknown, after: unknown): boolean {
  if (typeof next === 'number') return next < 0 || (typeof after === 'number' && after >= next);
  if (typeof next === 'boolean') return !next || after === true;
  if (typeof next === 'string') return typeof after === 'string' && after.includes(next);
  if (Array.isArray(next)) {
    const there = new Set(Array.isArray(after) ? after.map(shown) : []);
    return next.every((item) => there.has(shown(item)));
  }
  return !isObject(next) || (isObject(after) && Object.entries(next).every(([name, member]) => arrives(member, after[name])));
}

const isSame = (a: unknown, b: unknown): boolean => shown(a) === shown(b);

const shown = (value: unknown): string => canonicalJson((value ?? null) as Json);

const isLong = (value: unknown): boolean =>
  typeof value === 'string' || Array.isArray(value) ? value.length >= longLength : isObject(value) && Object.values(value).some(isLong);

function isEmpty(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every(isEmpty);
  return !value || (Array.isArray(value) && value.length === 0);
}

function assertKey<TState>({ workflow }: Exploration<TState>, state: object, key: string): void {
  if (Object.hasOwn(state, key)) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The state of "${workflow.id}" has no key "${key}".`,
    hint: `Its keys are ${Object.keys(state).join(', ')}.`,
    data: { key },
  });
}

const notTried = (key: string): UndecidedReason => ({
  code: 'NEVER_BREAKABLE',
  message: `No two values of "${key}" are known that its reducer merges.`,
  hint: 'Give the state a schema, or give `outcomes` that bring such values.',
});
