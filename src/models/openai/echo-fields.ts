import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Fields of a message or a call that providers expect back: reasoning, signatures, encrypted data. Providers may reject other fields. */
const echoedName = /reason|think|thought|signature|encrypt|extra_content|provider_specific/i;

export function echoFields(fields: Readonly<Record<string, unknown>>): JsonObject {
  const kept = Object.entries(fields).filter(([name, value]) => echoedName.test(name) && !isBlank(value));
  return Object.fromEntries(kept) as JsonObject; // the fields come from parsed JSON
}

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === '' || value === false;

/** Texts that arrive in pieces. All others arrive whole, and may be repeated. */
const streamedFields = new Set(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'text', 'summary', 'data']);

/** Appends a piece of a stream to the fields so far. */
export function joinFields(before: JsonObject, after: JsonObject): JsonObject {
  const joined: Record<string, Json> = { ...before };
  for (const [name, value] of Object.entries(after)) {
    const known = joined[name];
    joined[name] = known === undefined ? value : join(known, value, name);
  }
  return joined;
}

function join(before: Json, after: Json, name: string): Json {
  if (isBlank(after)) return before;
  if (typeof before === 'string' && typeof after === 'string') return streamedFields.has(name) ? before + after : after;
  if (isList(before) && isList(after)) return after.reduce<readonly Json[]>(withItem, before);
  return isObject(before) && isObject(after) ? joinFields(before, after) : after;
}

/** Joins a piece to the item with the same index, or to the last item until that is signed. */
function withItem(list: readonly Json[], item: Json): readonly Json[] {
  const at = list.findLastIndex((known, place) => isObject(known) && isObject(item) && continues(known, item, place === list.length - 1));
  const known = list[at];
  return isObject(known) && isObject(item) ? list.with(at, joinFields(known, item)) : [...list, item];
}

function continues(known: JsonObject, item: JsonObject, isLast: boolean): boolean {
  if (known.type !== item.type) return false;
  if (item.index !== undefined || known.index !== undefined) return item.index === known.index;
  return isLast && isBlank(known.signature) && Object.keys(known).some((name) => streamedFields.has(name));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
