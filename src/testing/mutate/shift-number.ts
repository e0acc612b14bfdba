import { isObject } from '../../util/is-object.ts';

/** Is told of each number that is looked at, by where it is (`plan.length`, `steps[].cost`), and says which number is seen instead. */
type Lens = (path: string, number: number) => number;

const seenThrough = new WeakSet<object>();

/** The same value, seen through a lens: numbers inside it, lengths of lists, and what methods of those come back with. */
function through(value: unknown, path: string, lens: Lens): unknown {
  if (typeof value === 'number') return lens(path, value);
  if ((!Array.isArray(value) && !isObject(value)) || seenThrough.has(value)) return value; // such as an item of a list that a method makes
  const isList = Array.isArray(value);
  // copies: what a proxy shows of something frozen must be what that holds
  const inside = isList ? itemsThrough([...value], `${path}[]`, lens) : { ...value };
  const seen: object = new Proxy(isList ? [...value] : { ...value }, {
    get(_, key) {
      const member: unknown = Reflect.get(inside, key);
      if (typeof key === 'symbol' || (isList && isIndex(key))) return member;
      const at = path === '' ? key : `${path}.${key}`;
      // a method sees the items through the lens, and the length as it is: a test that reads it reads it itself
      if (typeof member === 'function') return (...given: readonly unknown[]) => through(member.apply(inside, given), `${at}()`, lens);
      return through(member, at, lens);
    },
  });
  seenThrough.add(seen);
  return seen;
}

const itemsThrough = (items: readonly unknown[], path: string, lens: Lens): object =>
  new Proxy(items, {
    get: (_, key) => {
      const member: unknown = Reflect.get(items, key);
      return isIndex(key) ? through(member, path, lens) : member;
    },
  });

const isIndex = (key: string | symbol): boolean => typeof key === 'string' && /^\d+$/.test(key);

/** Where a test looks at numbers in any of these states. */
export function numbersRead<TState>(test: (state: TState) => unknown, states: Iterable<TState>): readonly string[] {
  const paths = new Set<string>();
  const note: Lens = (path, number) => {
    paths.add(path);
    return number;
  };
  for (const state of states) {
    try {
      test(through(state, '', note) as TState);
    } catch {
      // a guard may throw in a state in which it is never asked
    }
  }
  return [...paths].sort();
}

/** The same test, to which one number is shown higher or lower than it is. */
export const shiftNumber =
  <TState, TResult>(test: (state: TState) => TResult, at: string, by: number): ((state: TState) => TResult) =>
  (state) =>
    test(through(state, '', (path, number) => (path === at ? number + by : number)) as TState);
