/** Values that were read from an object, at any depth. */
export interface ReadTree {
  /** True if all of it was read, by listing or copying. */
  whole: boolean;
  /** True if the length of the list or text was read. */
  length: boolean;
  /** Set if a missing value was used as a text or a number. */
  used?: 'text' | 'number';
  /** Members by key; all items of a list are under `*`. */
  readonly members: Map<string, ReadTree>;
}

export const emptyReads = (): ReadTree => ({ whole: false, length: false, members: new Map() });

/** Returns the reads of a member, creating them if needed. */
export function memberOf(reads: ReadTree, key: string): ReadTree {
  const name = isIndex(key) ? '*' : key;
  const known = reads.members.get(name);
  if (known) return known;
  const made = emptyReads();
  reads.members.set(name, made);
  return made;
}

const isIndex = (key: string): boolean => /^\d+$/.test(key);

/**
 * Adds the reads of another tree.
 *
 * @returns true if any of them is new.
 */
export function addReads(to: ReadTree, from: ReadTree): boolean {
  let grown = (from.whole && !to.whole) || (from.length && !to.length);
  to.whole ||= from.whole;
  to.length ||= from.length;
  if (from.used !== undefined) to.used ??= from.used;
  for (const [key, reads] of from.members) {
    const isNew = !to.members.has(key);
    grown = addReads(memberOf(to, key), reads) || isNew || grown;
  }
  return grown;
}

/** Returns the paths of a tree, such as `plan.length` and `steps.*.status`. */
export function pathsOf({ whole, length, members }: ReadTree, path = ''): readonly string[] {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (whole) return [path === '' ? '*' : path];
  const inside = [...members].flatMap(([key, reads]) => pathsOf(reads, at(key)));
  const own = [...(length ? [at('length')] : []), ...inside];
  return own.length === 0 && path !== '' ? [path] : own;
}

/**
 * Wraps a value to record which parts are read.
 *
 * @param fill Replaces empty values with a placeholder, to find out what would be read from them.
 */
export function recording<T>(value: T, reads: ReadTree, fill = false): T {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  const items: object = fill && isList && value.length === 0 ? [undefined, undefined] : value;
  // copied, because a proxy must return the exact members of a frozen object
  return new Proxy(isList ? [...(items as unknown[])] : { ...items }, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || typeof member === 'function') return member;
      if (isList && key === 'length') {
        reads.length = true;
        return member;
      }
      if (isList && !isIndex(key)) return member;
      const inside = memberOf(reads, key);
      return fill && (member === null || member === undefined) ? unknownOf(inside) : recording(member, inside, fill);
    },
    has(target, key) {
      if (typeof key === 'string' && !isList) memberOf(reads, key);
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      reads.whole = true;
      return Reflect.ownKeys(target);
    },
  }) as T;
}

const textMethods = new Set(Object.getOwnPropertyNames(String.prototype));
const listMethods = new Set(Object.getOwnPropertyNames(Array.prototype));

/** Placeholder for an unknown value, which supports every operation. */
function unknownOf(reads: ReadTree): unknown {
  const item = (): unknown => unknownOf(memberOf(reads, '*'));
  return new Proxy(() => {}, {
    get(_, key) {
      if (key === Symbol.toPrimitive) {
        return (hint: string): number => {
          if (hint === 'number') reads.used ??= 'number';
          return 1;
        };
      }
      if (key === Symbol.iterator) return [item()][Symbol.iterator];
      if (typeof key === 'symbol') return undefined;
      if (key === 'length') {
        reads.length = true;
        return 1;
      }
      if (textMethods.has(key) && !listMethods.has(key)) {
        reads.used = 'text';
        return () => false;
      }
      if (listMethods.has(key)) return listMethod(key, item);
      return unknownOf(memberOf(reads, key));
    },
    has(_, key) {
      if (typeof key === 'string') memberOf(reads, key);
      return true;
    },
    apply: () => undefined,
  });
}

function listMethod(name: string, item: () => unknown): (...args: readonly unknown[]) => unknown {
  const list: readonly unknown[] = [item()];
  return (...args) => {
    const method: unknown = Reflect.get(list, name);
    return typeof method === 'function' ? method.apply(list, args) : undefined;
  };
}
