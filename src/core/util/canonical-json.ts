import type { Json } from '../ports/json.ts';

/**
 * Canonical text of a JSON value (RFC 8785): equal values give equal text, whatever the order of their keys.
 *
 * @example canonicalJson({ b: 1, a: [2] }) // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort() // by UTF-16 code units, as the RFC requires
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

// `Array.isArray` does not narrow a readonly array away
const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
