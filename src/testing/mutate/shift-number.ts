import { isObject } from '../../core/util/is-object.ts';

/** Receives each number with its path (`plan.length`, `steps[].cost`), and returns its replacement. */
type NumberMapper = (path: string, number: number) => number;

const mappedValues = new WeakSet<object>();

/** Wraps a value so that numbers inside it, lengths of lists and results of their methods are mapped. */
function withMappedNumbers(value: unknown, path: string, map: NumberMapper): unknown {
  if (typeof value === 'number') return map(path, value);
  // such as an item of a list that a method returns
  if ((!Array.isArray(value) && !isObject(value)) || mappedValues.has(value)) return value;
  const isList = Array.isArray(value);
  // copied, because a proxy must return the exact members of a frozen object
  const inside = isList ? withMappedItems([...value], `${path}[]`, map) : { ...value };
  const seen: object = new Proxy(isList ? [...value] : { ...value }, {
    get(_, key) {
      const member: unknown = Reflect.get(inside, key);
      if (typeof key === 'symbol' || (isList && isIndex(key))) return member;
      const at = path === '' ? key : `${path}.${key}`;
      // methods get mapped items but the real length; a direct read of the length is mapped
      if (typeof member === 'function')
        return (...given: readonly unknown[]) => withMappedNumbers(member.apply(inside, given), `${at}()`, map);
      return withMappedNumbers(member, at, map);
    },
  });
  mappedValues.add(seen);
  return seen;
}

const withMappedItems = (items: readonly unknown[], path: string, map: NumberMapper): object =>
  new Proxy(items, {
    get: (_, key) => {
      const member: unknown = Reflect.get(items, key);
      return isIndex(key) ? withMappedNumbers(member, path, map) : member;
    },
  });

const isIndex = (key: string | symbol): boolean => typeof key === 'string' && /^\d+$/.test(key);

/** Returns the paths of numbers that a test reads in any of these states. */
export function numbersRead<TState>(test: (state: TState) => unknown, states: Iterable<TState>): readonly string[] {
  const paths = new Set<string>();
  const note: NumberMapper = (path, number) => {
    paths.add(path);
    return number;
  };
  for (const state of states) {
    try {
      test(withMappedNumbers(state, '', note) as TState);
    } catch {
      // a guard may throw in a state in which it is never evaluated
    }
  }
  return [...paths].sort();
}

/** Returns the test with one number shifted. */
export const shiftNumber =
  <TState, TResult>(test: (state: TState) => TResult, at: string, by: number): ((state: TState) => TResult) =>
  (state) =>
    test(withMappedNumbers(state, '', (path, number) => (path === at ? number + by : number)) as TState);
