import type { Json, Storable } from '../ports/json.ts';

/**
 * A value of a type of one's own as JSON, for where any JSON is taken: the compiler has to find that JSON keeps all of it. It is not copied.
 *
 * @example io.emit({ type: 'sources', sources: asJson(articles) });
 */
export function asJson<T>(value: T & Storable<T>): Json {
  return value as Json;
}
