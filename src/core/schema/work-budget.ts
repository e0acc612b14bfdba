import type { Json } from '../ports/json.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import { Place } from './value-place.ts';

/** Reason why a value cannot be checked. */
export class WorkBudgetError extends Error {}

/** About a second, at a microsecond per check. */
const maxWork = 1_000_000;
/** Each level takes one or two stack frames. */
const maxDepth = 1_000;
const maxValueDepth = 250;

/**
 * Checks the depth of a value before any recursive walk.
 * @throws {WorkBudgetError} for a value nested deeper than the JSON that we read; `toJson` accepts 200 levels.
 */
export function assertShallow(value: Json): void {
  const open: (readonly [value: Json, depth: number])[] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [at, depth] = next;
    if (depth > maxValueDepth) throw new WorkBudgetError(`is nested more than ${maxValueDepth} levels deep`);
    if (typeof at === 'object' && at !== null) for (const inner of Object.values(at)) open.push([inner, depth + 1]);
  }
}

/**
 * Counts the checks of a value without making them, because a schema reached by many paths may report on each. Each place is counted once,
 * so counting is linear in both sizes.
 * @throws {WorkBudgetError} above the limit.
 */
export function assertWork(schema: Schema, root: Place): void {
  const known = new Map<Place, Map<SchemaNode, number>>();
  let depth = 0;
  const workOf = (one: Schema, place: Place): number => {
    if (typeof one === 'boolean') return 1;
    if (!place.isObject && !place.isList && one.ofSameValue.length === 0) return ownWork(one, place);
    const counted = known.get(place) ?? new Map<SchemaNode, number>();
    known.set(place, counted);
    const before = counted.get(one);
    if (before !== undefined) return before;
    if (++depth > maxDepth) throw new WorkBudgetError('is nested too deeply to be checked');
    let work = ownWork(one, place);
    for (const same of one.ofSameValue) work += workOf(same, place);
    if (place.isObject) {
      if (one.propertyNames !== undefined) for (const key of place.keys) work += workOf(one.propertyNames, new Place(key));
      for (const key of place.keys) for (const inner of one.ofMember(key)) work += workOf(inner, place.member(key));
    } else if (place.isList) {
      for (const [index, key] of place.keys.entries()) {
        for (const inner of one.ofItem(index)) work += workOf(inner, place.member(key));
        if (one.contains !== undefined) work += workOf(one.contains, place.member(key));
      }
    }
    depth--;
    if (work > maxWork) throw new WorkBudgetError('takes too much work to check');
    counted.set(one, work);
    return work;
  };
  workOf(schema, root);
}

/** Checks by one schema, without its subschemas. */
function ownWork({ raw, pattern, patternProperties, properties }: SchemaNode, place: Place): number {
  const { value } = place;
  let work = 1 + (((properties?.size ?? 0) + lengthOf(raw.required) + lengthOf(raw.enum)) >> 3);
  if (typeof value === 'string' && pattern) work += (value.length * pattern.size) / 16;
  if ((raw.enum !== undefined || raw.const !== undefined) && (place.isObject || place.isList))
    work += (lengthOf(raw.enum) + 1) * (place.size >> 3);
  if (place.isList && raw.uniqueItems === true) work += (place.keys.length * place.size) >> 3;
  if (place.isObject) {
    for (const [expression] of patternProperties) for (const key of place.keys) work += 1 + (key.length * expression.size) / 16;
  }
  return work;
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
