import type { AnyStateMachine, EventObject, MachineContext } from 'xstate';
import { errorCodes } from '../../core/errors/errors.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import { handlerOf, patchOf, toPatch } from '../../engine/define/node.ts';
import { findMerger } from '../../engine/define/state.ts';
import { answerOf } from './abstraction.ts';
import { type Constants, constantsIn, type NamedGuard } from './guard-texts.ts';
import type { OutcomeClass } from './outcome-class.ts';
import { combinations, valuesFor } from './propose-values.ts';
import { addReads, emptyReads, type ReadTree } from './read-tree.ts';

/** Maximum number of value combinations per node. */
const maxCombinations = 4_000;

export interface Proposals {
  /** Outcomes by the path of a node's state: one patch for each combination of guard results, and errors. */
  readonly outcomes: ReadonlyMap<string, readonly OutcomeClass[]>;
  /** Paths of states whose combinations were cut off. */
  readonly cut: readonly string[];
  /** Guards with the same result for every tried value. Either the result is constant, or the deciding value was not tried. */
  readonly oneSided: readonly OneSided[];
}

/** A guard with its only result. */
interface OneSided {
  readonly guard: string;
  readonly passed: boolean;
}

export interface ProposalOptions {
  readonly machine: AnyStateMachine;
  readonly graph: MachineGraph;
  readonly guards: ReadonlyMap<string, NamedGuard>;
  /** Values that each guard reads, by guard name. */
  readonly guardReads: ReadonlyMap<string, ReadTree>;
  /** A state at the start of a run. */
  readonly sample: MachineContext;
  /** Paths of the nodes' states with given outcomes. */
  readonly given: ReadonlySet<string>;
  /** Values that events and errors read from the state. */
  readonly patchReads: ReadTree;
  readonly constants: Constants;
}

/**
 * Proposes return values of nodes. The values come from comparisons in the guards of a node's own edges, and in guards that run later on
 * edges of waits, timers and errors.
 */
export function proposeOutcomes(options: ProposalOptions): Proposals {
  const { machine, graph, guards, given, constants } = options;
  const later = new Set<string>();
  for (const { path, kind, edges } of graph.states) {
    const isProposed = kind === 'node' && !given.has(path);
    for (const { on, guard } of edges) if (guard !== undefined && !(isProposed && on === 'done')) later.add(guard);
  }
  const { values, oneSided } = valuesByKey(options);
  const decisive = new Set<string>();
  const outcomes = new Map<string, readonly OutcomeClass[]>();
  const cut: string[] = [];
  for (const { path, node, edges } of graph.states) {
    if (node === undefined || given.has(path)) continue;
    const own = edges.flatMap(({ on, guard }) => (on === 'done' && guard !== undefined ? [guard] : []));
    const asked = [...new Set([...own, ...later])].flatMap((name) => guards.get(name) ?? []);
    for (const { name } of asked) decisive.add(name);
    const handler = handlerOf(machine.implementations.actors[node]) ?? {};
    const { found, isCut } = patchesFor(handler, asked, values, options);
    if (isCut) cut.push(path);
    const patches = found.map((patch) => ({ patch }));
    outcomes.set(path, withFailure(patches, constants));
  }
  return { outcomes, cut, oneSided: oneSided.filter(({ guard }) => decisive.has(guard)) };
}

/** Returns the outcomes of a node, with a failure added if there is none, because any node can fail. */
export const withFailure = (outcomes: readonly OutcomeClass[], { texts }: Constants): readonly OutcomeClass[] =>
  outcomes.some((outcome) => 'error' in outcome)
    ? outcomes
    : [
        ...outcomes,
        ...['NODE_FAILED', ...texts.filter((text) => text !== 'NODE_FAILED' && (errorCodes as readonly string[]).includes(text))].map(
          (error) => ({
            error,
          }),
        ),
      ];

interface ProposedValue {
  readonly value: unknown;
  readonly after: unknown;
  /**
   * Length class of a list that an event consumes or that is appended to another list, because different lengths lead to different ends.
   */
  readonly shape: string;
}

interface Values {
  /** For each key that guards read, the values that guards can distinguish. */
  readonly values: ReadonlyMap<string, readonly ProposedValue[]>;
  readonly oneSided: readonly OneSided[];
}

function valuesByKey(options: ProposalOptions): Values {
  const { machine, guards, guardReads, sample, patchReads, constants } = options;
  const merger = findMerger(machine);
  const read = [...guards.values()].map((guard) => ({ guard, keys: keysOf(guardReads.get(guard.name), sample) }));
  const all = new Map<string, readonly ProposedValue[]>();
  for (const key of new Set(read.flatMap(({ keys }) => keys))) {
    const readers = read.filter(({ keys }) => keys.includes(key));
    const own = constantsIn(readers.map(({ guard }) => guard.text));
    const beside = readers.flatMap(({ keys }) => keys.flatMap((other) => (typeof sample[other] === 'number' ? [sample[other]] : [])));
    const reads = emptyReads();
    for (const { guard } of readers) addReads(reads, guardReads.get(guard.name)?.members.get(key) ?? emptyReads());
    addReads(reads, patchReads.members.get(key) ?? emptyReads());
    const compared = { texts: own.texts.length > 0 ? own.texts : constants.texts, numbers: [...new Set([...own.numbers, ...beside])] };
    const proposed = valuesFor(reads, sample[key], compared).flatMap((value): readonly ProposedValue[] => {
      try {
        const output = toPatch({ [key]: value }, sample);
        const event: EventObject & { readonly output: unknown } = { type: 'xstate.done.actor.', output };
        const after: unknown = (merger?.merge(sample, event) ?? sample)[key];
        return [{ value, after, shape: patchReads.members.has(key) || after !== output[key] ? shapeOf(value) : '' }];
      } catch {
        return []; // the value is not JSON, or its reducer rejects it
      }
    });
    all.set(key, proposed);
  }
  const rows = new Map([...all].map(([key, proposed]) => [key, proposed.map(({ shape }) => shape)]));
  const oneSided = read.flatMap(({ guard, keys }): readonly OneSided[] => {
    const said = addAnswers(guard, keys);
    if (said.has('0') && said.has('1')) return [];
    return keys.length === 0 ? [] : [{ guard: guard.name, passed: said.has('1') }];
  });
  const values = new Map(
    [...all].map(([key, proposed]) => [key, proposed.filter((_, at) => rows.get(key)?.indexOf(rows.get(key)?.[at] ?? '') === at)] as const),
  );
  return { values, oneSided };

  /**
   * Records a guard's result for each value, combined with all others.
   *
   * @returns all results.
   */
  function addAnswers({ passes }: NamedGuard, keys: readonly string[]): ReadonlySet<string> {
    const said = new Set<string>();
    const indices = keys.map((key) => [key, (all.get(key) ?? []).map((_, at) => at)] as const);
    for (const made of combinations(indices, maxCombinations).combined) {
      const state = { ...sample };
      for (const key of keys) state[key] = all.get(key)?.[Number(made[key])]?.after;
      const answer = answerOf(passes, state);
      said.add(answer);
      for (const key of keys) {
        const row = rows.get(key);
        if (row) row[Number(made[key])] += answer;
      }
    }
    return said;
  }
}

const keysOf = (reads: ReadTree | undefined, sample: MachineContext): readonly string[] =>
  [...(reads?.members.keys() ?? [])].filter((key) => Object.hasOwn(sample, key));

/** Returns one patch per combination of guard results. */
function patchesFor(
  handler: object,
  asked: readonly NamedGuard[],
  values: ReadonlyMap<string, readonly ProposedValue[]>,
  { guardReads, sample }: ProposalOptions,
): { readonly found: readonly MachineContext[]; readonly isCut: boolean } {
  const keys = [...new Set(asked.flatMap(({ name }) => keysOf(guardReads.get(name), sample)))];
  const { combined, cut } = combinations(
    keys.map((key) => [key, values.get(key) ?? []]),
    maxCombinations,
  );
  const found = new Map<string, MachineContext>();
  for (const made of combined as readonly Readonly<Record<string, ProposedValue>>[]) {
    const after = { ...sample };
    for (const key of keys) after[key] = made[key]?.after;
    const answers = asked.map(({ passes }) => answerOf(passes, after)).join('');
    const kind = `${answers} ${keys.map((key) => made[key]?.shape).join()}`;
    // ignores a guard that throws for an artificial value
    if (answers.includes('!') || found.has(kind)) continue;
    const patch = Object.fromEntries(keys.map((key) => [key, made[key]?.value]));
    if (isTaken(handler, patch, sample)) found.set(kind, patch);
  }
  return { found: [...found.values()], isCut: cut };
}

/** Returns true if the state's schema accepts a patch. */
function isTaken(handler: object, patch: MachineContext, sample: MachineContext): boolean {
  try {
    patchOf(handler, patch, sample);
    return true;
  } catch {
    return false;
  }
}

const shapeOf = (value: unknown): string => (Array.isArray(value) ? String(Math.min(value.length, 2)) : '');
