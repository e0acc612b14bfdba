import type { Json } from '../ports/json.ts';

/** Parses a text as JSON. Returns the text itself if it is not JSON. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
