import type { Json, JsonObject } from '../../ports/json.ts';
import { isObject } from '../../util/is-object.ts';

/** Fields of a message or a call that providers want back: reasoning, signatures, whatever they encrypt. Others they may refuse. */
const keptName = /reason|think|thought|signature|encrypt|extra_content|provider_specific/i;

/** What of an object is to be sent back. */
export function keptFields(fields: Readonly<Record<string, unknown>>): JsonObject {
  const kept = Object.entries(fields).filter(([name, value]) => keptName.test(name) && !isBlank(value));
  return Object.fromEntries(kept) as JsonObject; // it was read from JSON
}

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === '' || value === false;

/** Texts that come in pieces; all others come whole, and may come again. */
const growing = new Set(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking', 'text', 'summary', 'data']);

/** Adds a piece of a stream to what has come before. */
export function joinKept(before: JsonObject, after: JsonObject): JsonObject {
  const joined: Record<string, Json> = { ...before };
  for (const [name, value] of Object.entries(after)) {
    const known = joined[name];
    joined[name] = known === undefined ? value : join(known, value, name);
  }
  return joined;
}

function join(before: Json, after: Json, name: string): Json {
  if (isBlank(after)) return before;
  if (typeof before === 'string' && typeof after === 'string') return growing.has(name) ? before + after : after;
  if (isList(before) && isList(after)) return after.reduce<readonly Json[]>(withItem, before);
  return isObject(before) && isObject(after) ? joinKept(before, after) : after;
}

/** A piece of an item goes on with the one of its number, or with the last one until that is signed. */
function withItem(list: readonly Json[], item: Json): readonly Json[] {
  const at = list.findLastIndex((known, place) => isObject(known) && isObject(item) && goesOn(known, item, place === list.length - 1));
  const known = list[at];
  return isObject(known) && isObject(item) ? list.with(at, joinKept(known, item)) : [...list, item];
}

function goesOn(known: JsonObject, item: JsonObject, isLast: boolean): boolean {
  if (known.type !== item.type) return false;
  if (item.index !== undefined || known.index !== undefined) return item.index === known.index;
  return isLast && isBlank(known.signature) && Object.keys(known).some((name) => growing.has(name));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
