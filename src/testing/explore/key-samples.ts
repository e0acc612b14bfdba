import type { MachineContext } from 'xstate';
import type { Json } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Merger } from '../../engine/define/state.ts';
import { memberSchema } from '../schema-parts.ts';
import { distinctBy } from './distinct-by.ts';
import { emptyReads, memberOf, type ReadTree, recording } from './read-tree.ts';
import { checkOfSchema, valuesOfSchema } from './schema-values.ts';

/** Maximum number of values of a family. */
const maxValues = 24;
/** Length of a long list and of a long text, to find reducers that keep only so much. */
export const longLength = 1_000;

/**
 * Returns families of values that a key of the state may hold. If the types of a list's items are unknown, each family has items of another
 * kind, and at least one of them is right.
 *
 * @param seen Values of the key in explored states and in outcomes.
 */
export function samplesOf(merger: Merger, key: string, seen: readonly unknown[]): readonly (readonly unknown[])[] {
  const schema = memberSchema(merger.checks?.stateSchema() ?? {}, key);
  const real = distinct([...seen, ...(schema ? valuesOfSchema(schema).values : [])]);
  const items = itemsIn(real);
  const kinds = items.length > 1 ? [items] : items.length === 1 ? [[...items, ...items.flatMap(othersThan)]] : unknownItems(merger, key);
  const fits = checkOfSchema(schema ?? true);
  return kinds.map(
    (kind) =>
      distinct(real.flatMap((value) => variantsOf(value, kind)))
        .filter((value) => fits((value ?? null) as Json))
        .slice(0, maxValues)
        .map(deepFreeze), // as in a run, so that a reducer that changes its arguments fails
  );
}

function itemsIn(values: readonly unknown[]): readonly unknown[] {
  return distinct(
    values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : isObject(value) ? itemsIn(Object.values(value)) : [])),
  ).slice(0, 4);
}

/** Items of kinds that the reducer may expect. It is watched to find the members that it reads. */
function unknownItems({ reducers }: Merger, key: string): readonly (readonly unknown[])[] {
  const reads = emptyReads();
  const reducer = reducers.get(key);
  try {
    reducer?.(recording([], reads, true), recording([], reads, true));
  } catch {
    // the reducer expects other values
  }
  const inside = memberOf(reads, '*');
  const objects = ['a', 'b', 'c'].map((marker) => ({ id: marker, ...membersOf(inside, marker) }));
  if (inside.members.size > 0) return [objects];
  if (inside.used === 'number') return [[1, 2, 3]];
  if (inside.used === 'text') return [['a', 'b', 'c']];
  return [['a', 'b', 'c'], objects, [1, 2, 3]];
}

function itemOf(reads: ReadTree, marker: string): unknown {
  if (reads.members.size > 0) return membersOf(reads, marker);
  return reads.used === 'number' ? marker.charCodeAt(0) : marker;
}

const membersOf = ({ members }: ReadTree, marker: string): object =>
  Object.fromEntries([...members].map(([name, inside]) => [name, itemOf(inside, `${marker} ${name}`)]));

/** Returns the value, and others of its type: larger numbers, both booleans, longer lists. */
function variantsOf(value: unknown, items: readonly unknown[]): readonly unknown[] {
  if (typeof value === 'number') return [value, value + 1, value + 3, 0, 1].filter((number) => number >= 0);
  if (typeof value === 'boolean') return [true, false];
  if (typeof value === 'string') return [value, 'a', 'b', 'c'.repeat(longLength)];
  if (Array.isArray(value)) {
    const [one, two, three] = items;
    const lists = [[], [one], [two], [one, two], [two, three]].map((list) => list.filter((item) => item !== undefined));
    const many = Array.from({ length: longLength }, (_, at) => marked(one, `${at}`));
    return [value, ...lists, ...(one === undefined ? [] : [many])];
  }
  if (!isObject(value)) return [value];
  const members = Object.entries(value as MachineContext);
  const each = members.map(([name, member]) => [name, variantsOf(member, items)] as const);
  const single = each.flatMap(([name, variants]) => variants.map((variant) => ({ ...value, [name]: variant })));
  const all = [0, 1, 2].map((at) => Object.fromEntries(each.map(([name, variants]) => [name, variants[at] ?? variants[0]])));
  return [value, ...all, ...single];
}

const othersThan = (item: unknown): readonly unknown[] =>
  distinct([marked(item, 'a'), marked(item, 'b')]).filter((other) => other !== item);

/** Returns the item with other texts and numbers. */
function marked(item: unknown, mark: string): unknown {
  if (typeof item === 'string') return `${item}${mark}`;
  if (typeof item === 'number') return item + 1 + Number.parseInt(mark, 36);
  return isObject(item) ? Object.fromEntries(Object.entries(item).map(([name, member]) => [name, marked(member, mark)])) : item;
}

export const distinct = (values: readonly unknown[]): readonly unknown[] =>
  distinctBy(values, (value) => canonicalJson((value ?? null) as Json));
