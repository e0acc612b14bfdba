/** Largest number of constants that are taken from one list or set. */
const maxConstants = 40;

/**
 * Runs a function and returns the constants with which it has compared a marker: members of a list or set in which it looked the marker up,
 * and texts that it looked for in the marker.
 *
 * The methods of the built-in types are replaced only while the function runs, which must be synchronous.
 */
export function constantsBeside(run: () => void, marker: string | number): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const add = (values: Iterable<unknown>): void => {
    for (const value of values) {
      if (found.size >= maxConstants) return;
      if (value !== marker && (typeof value === 'string' || typeof value === 'number')) found.add(value);
    }
  };
  const note = (self: unknown, [sought]: readonly unknown[]): void => {
    const holder = typeof self === 'object' && self !== null ? self : undefined;
    if (sought === marker) {
      if (Array.isArray(holder)) add(holder);
      else if (holder instanceof Set) add(Set.prototype.values.call(holder));
      else if (holder instanceof Map) add(Map.prototype.keys.call(holder));
      else if (typeof self === 'string') add([self]);
    } else if (self === marker || (Array.isArray(holder) && holder[0] === marker)) add([sought]);
  };
  const restore = watched.map(([owner, name]) => replace(owner, name, note));
  try {
    run();
  } catch {
    // constants from before the error are kept
  } finally {
    for (const each of restore) each();
  }
  return found;
}

const watched: readonly (readonly [object, string])[] = [
  [Array.prototype, 'includes'],
  [Array.prototype, 'indexOf'],
  [Set.prototype, 'has'],
  [Map.prototype, 'has'],
  [Map.prototype, 'get'],
  [String.prototype, 'startsWith'],
  [String.prototype, 'endsWith'],
  [String.prototype, 'includes'],
  [String.prototype, 'indexOf'],
];

function replace(owner: object, name: string, note: (self: unknown, args: readonly unknown[]) => void): () => void {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  const method: unknown = original?.value;
  if (!original || typeof method !== 'function') return () => {};
  let isNoting = false;
  Object.defineProperty(owner, name, {
    ...original,
    value: function watch(this: unknown, ...args: unknown[]): unknown {
      if (!isNoting) {
        isNoting = true;
        try {
          note(this, args);
        } finally {
          isNoting = false;
        }
      }
      return Reflect.apply(method, this, args);
    },
  });
  return () => Object.defineProperty(owner, name, original);
}
