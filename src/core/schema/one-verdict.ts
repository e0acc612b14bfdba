import type { Json, JsonObject } from '../ports/json.ts';
import type { Finding } from './schema-finding.ts';

/** Replaces `secondVerdict` in browsers and on Workers, where code generation is forbidden or too large. */
export function secondVerdict(_schema: JsonObject): (value: Json) => Finding | undefined {
  return () => undefined;
}
