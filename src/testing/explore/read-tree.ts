/** What is read of a value, however deep. */
export interface ReadTree {
  /** All of it: it was listed or copied. */
  whole: boolean;
  /** How long the list or text is. */
  length: boolean;
  /** It was used as a text, or as a number, where there was no value to tell. */
  used?: 'text' | 'number';
  /** By key; items of lists together as `*`. */
  readonly members: Map<string, ReadTree>;
}

export const emptyReads = (): ReadTree => ({ whole: false, length: false, members: new Map() });

/** The reads of a member, made when there are none. */
export function memberOf(reads: ReadTree, key: string): ReadTree {
  const name = isIndex(key) ? '*' : key;
  const known = reads.members.get(name);
  if (known) return known;
  const made = emptyReads();
  reads.members.set(name, made);
  return made;
}

const isIndex = (key: string): boolean => /^\d+$/.test(key);

/** Adds what another tree has. @returns whether there was anything new in it. */
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

/** The paths of a tree, such as `plan.length` and `steps.*.status`. */
export function pathsOf({ whole, length, members }: ReadTree, path = ''): readonly string[] {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (whole) return [path === '' ? '*' : path];
  const inside = [...members].flatMap(([key, reads]) => pathsOf(reads, at(key)));
  const own = [...(length ? [at('length')] : []), ...inside];
  return own.length === 0 && path !== '' ? [path] : own;
}

/**
 * A value that notes what is read of it.
 *
 * @param fill Puts something unknown in the place of what is empty, to learn what would be read of it.
 */
export function recording<T>(value: T, reads: ReadTree, fill = false): T {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  const items: object = fill && isList && value.length === 0 ? [unknownOf(memberOf(reads, '*')), unknownOf(memberOf(reads, '*'))] : value;
  // a copy, for a proxy must show the members of a frozen object as they are
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

/** Stands for a value that nobody knows, whatever is done with it. */
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

/** A method of a list of one unknown item. */
function listMethod(name: string, item: () => unknown): (...args: readonly unknown[]) => unknown {
  const list: readonly unknown[] = [item()];
  return (...args) => {
    const method: unknown = Reflect.get(list, name);
    return typeof method === 'function' ? method.apply(list, args) : undefined;
  };
}
