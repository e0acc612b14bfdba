import type { Json, Storable } from '../ports/json.ts';

/**
 * Returns a typed value as JSON, if the compiler can prove that JSON preserves it. Not copied.
 *
 * @example io.emit({ type: 'sources', sources: asJson(articles) });
 */
export function asJson<T>(value: T & Storable<T>): Json {
  return value as Json;
}
