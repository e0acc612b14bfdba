import { isObject } from '../../core/util/is-object.ts';
import { distinctBy } from './distinct-by.ts';
import type { Constants } from './guard-texts.ts';
import { emptyReads, type ReadTree } from './read-tree.ts';

/** Maximum number of proposed values per key. */
const maxValues = 24;
const maxLength = 12;
const maxItems = 6;

/**
 * Returns values that the readers of a key may distinguish: both booleans, compared values and their neighbours, lists of relevant lengths.
 * The current value comes first.
 */
export function valuesFor(reads: ReadTree, value: unknown, constants: Constants): readonly unknown[] {
  return distinct([...(value === undefined ? [] : [value]), ...othersFor(reads, value, constants)]).slice(0, maxValues);
}

function othersFor(reads: ReadTree, value: unknown, constants: Constants): readonly unknown[] {
  const { texts, numbers } = constants;
  if (typeof value === 'boolean') return [false, true];
  if (typeof value === 'number') return numbersNear([value, ...numbers]);
  if (typeof value === 'string') return [...texts, '', 'x'];
  if (Array.isArray(value)) return listsFor(reads, value, constants);
  if (isObject(value)) return objectsFor(reads, value, constants);
  if (reads.used === 'text') return [...texts, '', 'x'];
  if (reads.used === 'number') return numbersNear([0, ...numbers]);
  if (reads.members.has('*') || reads.length) return [null, ...listsFor(reads, [], constants)];
  if (reads.members.size > 0) return [null, ...objectsFor(reads, {}, constants)];
  // the type is unknown: tries the compared values, or presence
  const compared = [...texts, ...(texts.length > 0 ? ['x'] : []), ...numbersNear(numbers)];
  return [null, ...(compared.length > 0 ? compared : [false, true])];
}

const numbersNear = (numbers: readonly number[]): readonly number[] =>
  distinct(numbers.flatMap((number) => [number, number - 1, number + 1])) as readonly number[];

function listsFor(reads: ReadTree, value: readonly unknown[], constants: Constants): readonly unknown[] {
  const inside = reads.members.get('*') ?? emptyReads();
  const items = value.length > 0 ? valuesFor(inside, value.at(-1), constants) : itemsFor(inside, constants);
  const lengths = numbersNear([1, ...constants.numbers]).filter((length) => Number.isInteger(length) && length >= 0 && length <= maxLength);
  const few = items.slice(0, maxItems);
  const lists = lengths.toSorted((a, b) => a - b).flatMap((length) => few.map((item) => Array<unknown>(length).fill(item)));
  const mixed = few.flatMap((one) => few.filter((other) => other !== one).map((other) => [one, other]));
  return [...lists, ...mixed.slice(0, maxItems)];
}

function itemsFor(reads: ReadTree, constants: Constants): readonly unknown[] {
  if (reads.members.size > 0 || reads.used !== undefined) {
    return othersFor(reads, undefined, constants).filter((value) => value !== null);
  }
  return [...constants.texts, 'x'];
}

function objectsFor(reads: ReadTree, value: Readonly<Record<string, unknown>>, constants: Constants): readonly unknown[] {
  const members = [...reads.members].map(([key, inside]) => [key, valuesFor(inside, value[key], constants)] as const);
  return combinations(members, maxValues).combined.map((made) => ({ ...value, ...made }));
}

/** Returns all combinations of the members' values as objects, up to a maximum. */
export function combinations(
  members: readonly (readonly [key: string, values: readonly unknown[]])[],
  most: number,
): { readonly combined: readonly Readonly<Record<string, unknown>>[]; readonly cut: boolean } {
  let combined: Readonly<Record<string, unknown>>[] = [{}];
  let cut = false;
  for (const [key, values] of members) {
    const next = values.flatMap((value) => combined.map((made) => ({ ...made, [key]: value })));
    cut ||= next.length > most;
    combined = next.slice(0, most);
  }
  return { combined, cut };
}

const distinct = (values: readonly unknown[]): readonly unknown[] => distinctBy(values, (value) => JSON.stringify(value) ?? 'undefined');
