import type { Json } from '../ports/json.ts';

/** Parses a text as JSON. Returns `undefined` if it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Parses a text as JSON. Returns the text itself if it is not JSON. */
export function jsonOrText(text: string): Json {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
