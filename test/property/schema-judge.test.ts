// Another reader of the same standard, which makes code of schemas, is the oracle.
import type { Json, JsonObject } from 'agent-machines';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeOf } from '../fixtures/judge-schema.ts';
import { value as anyValue, objectValue, whole } from '../fixtures/random-schemas.ts';
import { share } from '../fixtures/share.ts';

type Finding = ReturnType<ReturnType<typeof judgeOf>>['findings'][number];

const ajv = new Ajv2020({
  allErrors: true,
  ownProperties: true,
  strict: false,
  meta: false,
  validateSchema: false,
  multipleOfPrecision: 6,
  validateFormats: false,
  logger: false,
});

/** Both in the same words; in no order. */
const inWords = (
  all: readonly (Finding | { instancePath: string; keyword: string; message?: string; params: object })[],
): readonly string[] =>
  [
    ...new Set(
      all.map((one) => {
        if ('path' in one) return `${one.path} ${one.keyword}`;
        const extra: unknown = Object(one.params).additionalProperty ?? Object(one.params).unevaluatedProperty;
        return `${one.instancePath}${typeof extra === 'string' ? `/${extra}` : ''} ${one.keyword}`;
      }),
    ),
  ].toSorted();

function findingsOf(schema: JsonObject, value: Json): readonly Finding[] {
  const { fits, findings } = judgeOf(schema)(value);
  expect(findings.length === 0).toBe(fits);
  return findings;
}

/** `undefined` where the oracle throws: of an alternative that it counts members of, and that it finds wrong before it has counted. */
function verdictOf(oracle: ReturnType<Ajv2020['compile']>, value: Json): boolean | undefined {
  try {
    return oracle(value) === true;
  } catch {
    return undefined;
  }
}

/** Ajv counts what an `if` has looked at also where it does not hold: what is left over is less for it. */
const isCountedWrong = (schema: string): boolean => /"if":/.test(schema) && /"unevaluated/.test(schema);

describe('Judge', () => {
  it('ignores the findings of an `if` that does not hold, unlike Ajv', () => {
    const schema: JsonObject = { if: { properties: { c: false } }, else: { maximum: -1 }, unevaluatedProperties: false };
    expect(ajv.compile(schema)({ c: null })).toBe(true);
    expect(inWords(findingsOf(schema, { c: null }))).toEqual(['/c unevaluatedProperties']);
    expect(findingsOf({ ...schema, if: { properties: { c: true } } }, { c: null })).toEqual([]);
  });

  it('agrees with Ajv on every value, at the same places', () => {
    const seen = { fits: 0, not: 0 };
    fc.assert(
      fc.property(whole, fc.array(fc.oneof(objectValue, anyValue), { minLength: 4, maxLength: 8 }), (schema, values) => {
        let expected: ReturnType<Ajv2020['compile']>;
        try {
          judgeOf(schema);
          expected = ajv.compile(schema);
        } catch {
          return;
        } finally {
          ajv.removeSchema();
        }
        const text = JSON.stringify(schema);
        for (const value of values) {
          const findings = findingsOf(schema, value);
          if (isCountedWrong(text)) continue;
          const fits = verdictOf(expected, value);
          if (fits === undefined) continue;
          if (fits) seen.fits++;
          else seen.not++;
          expect({ schema, value, fits: findings.length === 0 }).toEqual({ schema, value, fits });
          // of a value that is refused in any case, Ajv does not always look at what is left over, or at every item
          if (/unevaluated|maxContains/.test(text)) continue;
          expect({ schema, value, said: inWords(findings) }).toEqual({ schema, value, said: inWords(expected.errors ?? []) });
        }
      }),
      { numRuns: share(1_000) },
    );
    expect(Math.min(seen.fits, seen.not)).toBeGreaterThan(share(1_000));
  });
});
