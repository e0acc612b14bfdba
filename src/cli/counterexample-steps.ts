import { type Counterexample, describeCounterexample, type Predicate } from 'agent-machines/testing';
import type { AnyWorkflow } from '../index.ts';
import { type PathStep, toGraph } from '../inspect/index.ts';
import { toConfiguration, toLabel, toMoment } from '../testing/explore/place-graph.ts';

type State = Counterexample['start']['state'];

/**
 * Describes a counterexample for a drawing, with the values that matter in each step: those that changed, and that the promise or a guard on
 * the way reads.
 *
 * @param predicates Conditions of the promise. Absent: all changed values matter.
 */
export function counterexampleSteps(
  workflow: AnyWorkflow,
  counterexample: Counterexample,
  predicates: readonly Predicate[] | undefined,
): readonly PathStep[] {
  const { start, moves } = counterexample;
  const [first = '', ...lines] = describeCounterexample(counterexample);
  const read = predicates && pathsRead(workflow, counterexample, predicates);
  const steps = moves.map((move, index): PathStep => {
    const before = moves[index - 1]?.state ?? start.state;
    return { title: lines[index] ?? move.by, edges: move.edges, values: changes(before, move.state, read ?? keysOf(before, move.state)) };
  });
  return [{ title: first, edges: [] }, ...steps, ...lines.slice(moves.length).map((title) => ({ title, edges: [] }))];
}

const keysOf = (...states: readonly State[]): readonly string[] => [...new Set(states.flatMap(Object.keys))];

/** Returns the paths that the predicates and the guards of the taken edges read, such as `order.amount`. */
function pathsRead({ machine }: AnyWorkflow, { start, moves }: Counterexample, predicates: readonly Predicate[]): readonly string[] {
  const paths = new Set<string>();
  const edgesOf = new Map(toGraph(machine).states.map(({ path, edges }) => [path, edges]));
  const guards: Readonly<Record<string, unknown>> = machine.implementations.guards;
  const ask = (state: State, question: (state: State) => void): void => {
    try {
      question(recording(state, paths));
    } catch {
      // the values read before the error matter too
    }
  };
  for (const move of [undefined, ...moves]) {
    const state = move?.state ?? start.state;
    for (const predicate of predicates)
      ask(state, (recorded) => predicate(toMoment(toConfiguration(move?.to ?? start), recorded, move && toLabel(move))));
    for (const { from, on } of move?.edges ?? []) {
      for (const edge of edgesOf.get(from) ?? []) {
        const guard = edge.on === on && edge.guard !== undefined ? guards[edge.guard] : undefined;
        if (typeof guard === 'function') ask(state, (context) => guard({ context, event: { type: on } }, undefined));
      }
    }
  }
  return [...paths].filter((path) => ![...paths].some((other) => path.startsWith(`${other}.`)));
}

/** Wraps a value to record the paths of the members that are read. An item of a list counts as the list. */
function recording<T extends object>(value: T, paths: Set<string>, path = ''): T {
  const copy: object = Array.isArray(value) ? [...value] : { ...value };
  return new Proxy(copy, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || typeof member === 'function') return member;
      const isItem = Array.isArray(target) && key !== 'length';
      const at = isItem ? path : `${path === '' ? '' : `${path}.`}${key}`;
      const isWhole = typeof member !== 'object' || member === null;
      if (isWhole || isItem || Object.keys(member).length === 0) paths.add(at);
      return isWhole ? member : recording(member, paths, at);
    },
    ownKeys(target) {
      if (path !== '') paths.add(path);
      return Reflect.ownKeys(target);
    },
  }) as T;
}

function changes(before: State, after: State, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const [old, now] = [textAt(before, path), textAt(after, path)];
    return old === now ? [] : [`${path}: ${old} → ${now}`];
  });
}

function textAt(state: State, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), state);
  return value === undefined ? 'none' : (JSON.stringify(value) ?? 'none');
}
