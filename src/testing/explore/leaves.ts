import { isObject } from '../../core/util/is-object.ts';
import type { ReadTree } from './read-tree.ts';

/** A number, a text or a list inside a value, by the keys that lead there. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number | readonly unknown[];
}

const maxDepth = 4;

/** Returns the numbers, texts and lists inside a value that a probe reads. Only the first item of a list is entered. */
export function leavesOf(value: unknown, reads: ReadTree, path: readonly string[] = []): readonly Leaf[] {
  if (typeof value === 'number' || typeof value === 'string') return [{ path, value }];
  if (path.length >= maxDepth) return [];
  if (Array.isArray(value)) {
    const inside = reads.whole ? reads : reads.members.get('*');
    const items = value.length > 0 && inside ? leavesOf(value[0], inside, [...path, '0']) : [];
    return [{ path, value }, ...items];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inside = reads.whole ? reads : reads.members.get(key);
    return inside ? leavesOf(member, inside, [...path, key]) : [];
  });
}

/** Returns a copy of a value with another leaf. */
export function withLeaf(value: unknown, [key, ...path]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  if (Array.isArray(value)) return value.with(Number(key), withLeaf(value[Number(key)], path, leaf));
  return { ...(value as object), [key]: withLeaf(Reflect.get(value as object, key), path, leaf) };
}
