import type { Json, JsonObject } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';

/** Required form of a keyword's value. Nested schemas are checked when they are read. */
interface Form {
  readonly fits: (value: Json) => boolean;
  readonly name: string;
}

const isText = (value: Json): boolean => typeof value === 'string';
const isTextList = (value: Json): boolean => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isType = (value: Json): boolean => isText(value) && types.includes(String(value));

const text: Form = { fits: isText, name: 'a string' };
const flag: Form = { fits: (value) => typeof value === 'boolean', name: 'true or false' };
const number: Form = { fits: (value) => typeof value === 'number' && Number.isFinite(value), name: 'a number' };
const count: Form = { fits: (value) => Number.isInteger(value) && Number(value) >= 0, name: 'a whole number of 0 or more' };
const list: Form = { fits: (value) => Array.isArray(value), name: 'a list' };
const schemas: Form = { fits: (value) => Array.isArray(value) && value.length > 0, name: 'a list of schemas' };
const map: Form = { fits: isObject, name: 'an object' };
const anchor: Form = { fits: (value) => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(String(value)), name: 'a name' };

const forms: readonly (readonly [keywords: string, Form])[] = [
  ['$ref $dynamicRef $comment title description format pattern contentEncoding contentMediaType', text],
  ['$anchor $dynamicAnchor', anchor],
  ['$id', { fits: (value) => isText(value) && /^[^#]*#?$/.test(String(value)), name: 'a URI without a fragment' }],
  ['$defs definitions properties patternProperties dependentSchemas', map],
  ['prefixItems allOf anyOf oneOf', schemas],
  [
    'type',
    {
      fits: (value) => isType(value) || (isTextList(value) && Array.isArray(value) && value.length > 0 && value.every(isType)),
      name: 'a type or a list of types',
    },
  ],
  ['enum examples', list],
  ['multipleOf', { fits: (value) => number.fits(value) && Number(value) > 0, name: 'a number above 0' }],
  ['maximum exclusiveMaximum minimum exclusiveMinimum', number],
  ['maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties', count],
  ['uniqueItems deprecated readOnly writeOnly', flag],
  ['required', { fits: isTextList, name: 'a list of distinct strings' }],
  [
    'dependentRequired',
    { fits: (value) => isObject(value) && Object.values(value).every(isTextList), name: 'an object of lists of strings' },
  ],
  [
    'dependencies',
    {
      fits: (value) => isObject(value) && Object.values(value).every((one) => !Array.isArray(one) || isTextList(one)),
      name: 'an object of schemas and lists of strings',
    },
  ],
];

const formOf: ReadonlyMap<string, Form> = new Map(
  forms.flatMap(([keywords, form]) => keywords.split(' ').map((keyword): [string, Form] => [keyword, form])),
);

/** Keywords whose value is a schema, or unrestricted. */
const others = new Set(
  'items contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames not if then else contentSchema const default nullable $schema $vocabulary $recursiveRef $recursiveAnchor'.split(
    ' ',
  ),
);

/** Unknown keywords of one schema; they are not checked. */
export const unknownKeywords = (schema: JsonObject): readonly string[] =>
  Object.keys(schema).filter((keyword) => !formOf.has(keyword) && !others.has(keyword));

/** First violation of the meta-schema of draft 2020-12 by one schema's keywords; `undefined` if there is none. */
export function checkKeywords(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const form = formOf.get(keyword);
    if (form && !form.fits(value)) return `its "${keyword}" must be ${form.name}`;
  }
  return undefined;
}

/** Reason why a well-formed schema is unsupported; `undefined` if it is supported. */
export function unsupported({ $async, id, enum: values, nullable, type }: JsonObject): string | undefined {
  if ($async !== undefined) return 'it is asynchronous';
  if (id !== undefined) return 'it has the "id" of draft 4 instead of "$id"';
  if (Array.isArray(values) && values.length === 0) return 'its "enum" has no values';
  if (nullable === undefined) return undefined;
  if (typeof nullable !== 'boolean' || type === undefined) return 'its "nullable" must be true or false and needs a "type"';
  return nullable || ![type].flat().includes('null') ? undefined : 'its "nullable" is false and its "type" has null';
}
