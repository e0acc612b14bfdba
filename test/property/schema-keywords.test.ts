import { jsonSchemaValidator } from 'agent-machines/tools';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const keywords =
  '$id $anchor $comment $defs definitions title description format pattern contentEncoding contentMediaType contentSchema properties patternProperties dependentSchemas prefixItems items contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames not if then else allOf anyOf oneOf type enum const default examples multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties uniqueItems deprecated readOnly writeOnly required dependentRequired dependencies'.split(
    ' ',
  );
const leaf = fc.oneof(
  fc.constantFrom('string', 'object', 'a', '', 'text', '#', 'a#b', '^a$'),
  fc.constantFrom(0, 1, 2, -1, 0.5, true, false, null),
  fc.constantFrom(['a', 'b'], ['a', 'a'], ['string', 'null'], ['string', 'text'], [], [1], [{}], [true], [{ type: 'text' }]),
  fc.constantFrom({}, { a: {} }, { a: true }, { a: 5 }, { a: ['b'] }, { a: [1] }, { a: [] }, { a: { type: 'text' } }, { type: 'null' }),
);
// `items` as a list is read as draft 7 has it
const flat = fc.dictionary(fc.constantFrom(...keywords), leaf, { maxKeys: 2 }).filter(({ items }) => !Array.isArray(items));
const schema = fc
  .tuple(flat, flat, fc.constantFrom('none', 'properties', 'items', 'anyOf', '$defs', 'contentSchema', 'dependencies'))
  .map(([outer, inner, place]) => {
    if (place === 'none') return outer;
    const inside = place === 'items' || place === 'contentSchema' ? inner : place === 'anyOf' ? [inner] : { a: inner };
    return { ...outer, [place]: inside };
  });

it('rejects a schema exactly when the meta-schema of its draft rejects it', () => {
  const oracle = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(schema, (any) => {
      const made = jsonSchemaValidator.compile({ type: 'object', properties: { inner: any } } as never);
      const called = !made.ok && made.reason.startsWith('schema is invalid');
      const valid = oracle.validateSchema(any) === true;
      seen[valid ? 'valid' : 'invalid']++;
      // what it refuses for other reasons, it may refuse before it has looked at all keywords
      if (valid || made.ok) expect({ any, called }).toEqual({ any, called: !valid });
      else expect(made.ok).toBe(false);
    }),
    { numRuns: 2_000 },
  );
  expect([seen.valid > 200, seen.invalid > 200]).toEqual([true, true]);
});
