import type { Json } from '../ports/json.ts';
import { Place } from './place.ts';
import type { Schema, SchemaNode } from './schema-node.ts';

/** Why a value cannot be checked. */
export class Exhausted extends Error {}

/** About a second: a schema is judged in a microsecond. */
const maxWork = 1_000_000;
/** Each is a frame of the stack, or two. */
const maxDepth = 1_000;
const maxValueDepth = 250;

/**
 * Looks at a value before anything walks through it.
 * @throws {Exhausted} for one that is nested deeper than JSON that we have read, of which `toJson` takes 200 levels.
 */
export function assertShallow(value: Json): void {
  const open: (readonly [value: Json, depth: number])[] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [at, depth] = next;
    if (depth > maxValueDepth) throw new Exhausted(`is nested more than ${maxValueDepth} deep`);
    if (typeof at === 'object' && at !== null) for (const inner of Object.values(at)) open.push([inner, depth + 1]);
  }
}

/**
 * Counts what a check would do, without doing it: a schema that is reached in many ways may have to say in each what is wrong. Counted once for each place, so
 * counting takes no longer than the size of both.
 * @throws {Exhausted} when it is too much.
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
    if (++depth > maxDepth) throw new Exhausted('is nested too deep to be checked');
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
    if (work > maxWork) throw new Exhausted('takes more work to check than is allowed');
    counted.set(one, work);
    return work;
  };
  workOf(schema, root);
}

/** Of a schema without those inside it. */
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
