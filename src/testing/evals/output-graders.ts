import { shorten } from '../../core/errors/shorten.ts';
import type { Citation } from '../../core/ports/citation.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { shownNames } from '../../core/util/shown-list.ts';
import { toJson } from '../../core/util/to-json.ts';
import { type Grader, pass } from './grader.ts';
import type { Observed } from './observed.ts';

/** Maximum length of a value in a reason. */
const longestShown = 200;

export interface GraderName {
  /** Name in the report. Two graders of an eval need two names. */
  readonly name?: string;
}

/** Selects a part of an output: its keys, such as `answer` or `order.total`, or a function. Empty: the whole output. */
export type Select<TOutput> = string | ((output: TOutput) => unknown);

function partOf<TOutput>({ output }: Observed<TOutput>, of: Select<TOutput>): unknown {
  if (output === undefined) return undefined;
  if (typeof of === 'function') return of(output);
  let part: unknown = output;
  for (const key of of === '' ? [] : of.split('.')) {
    if (!isObject(part) || !Object.hasOwn(part, key)) throw new Error(`the output has no "${of}": it is ${shown(output)}`);
    part = part[key];
  }
  return part;
}

const shown = (value: unknown): string => shorten(JSON.stringify(value) ?? 'nothing', longestShown);

/**
 * Compares a part of the output, by default all of it, with `expected` of the case. The order of keys does not count.
 *
 * @example equals('total')
 */
export function equals<TOutput, TExpected = unknown>(
  of: Select<TOutput> = '',
  { name = 'equals' }: GraderName = {},
): Grader<TOutput, TExpected> {
  return {
    name,
    needs: 'expected',
    grade(seen, { expected }) {
      const value = partOf(seen, of);
      const isEqual = value !== undefined && canonicalJson(toJson(value, 'output')) === canonicalJson(toJson(expected, 'expected'));
      return pass(isEqual, `${shown(value)} is not ${shown(expected)}`);
    },
  };
}

/**
 * Checks that a text of the output contains `expected` of the case: a text, a number, or a list of them. Case counts; a number must not be
 * part of a longer one. A value that is not a text is searched as JSON.
 *
 * @example contains('answer')
 */
export function contains<TOutput, TExpected = unknown>(
  of: Select<TOutput> = '',
  { name = 'contains' }: GraderName = {},
): Grader<TOutput, TExpected> {
  return {
    name,
    needs: 'expected',
    grade(seen, { expected }) {
      const value = partOf(seen, of);
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      const wanted: readonly unknown[] = Array.isArray(expected) ? expected : [expected];
      const missing = wanted.filter((part) => !hasPart(text, part));
      return pass(missing.length === 0 && wanted.length > 0, `${shown(value)} lacks ${shownNames(missing.map(shown))}`);
    },
  };
}

function hasPart(text: string, part: unknown): boolean {
  if (typeof part === 'string') return text.includes(part);
  if (typeof part !== 'number') return text.includes(JSON.stringify(part));
  const number = String(part).replaceAll(/[.+-]/g, '\\$&');
  return new RegExp(`(?<![\\d.-]|\\d,)${number}(?!\\d|[.,]\\d)`).test(text);
}

/** Checks a part of the output, by default all of it, by a schema of zod or another Standard Schema. */
export function matchesSchema<TOutput>(
  schema: StandardSchema<unknown>,
  of: Select<TOutput> = '',
  { name = 'schema' }: GraderName = {},
): Grader<TOutput> {
  return {
    name,
    async grade(seen) {
      const result = await schema['~standard'].validate(partOf(seen, of));
      return pass(result.issues === undefined, issuesText(result) ?? 'it does not match the schema');
    },
  };
}

/**
 * Checks that the output has citations and that all of them are `supported`. The score is the share of those that are.
 *
 * @example citations('citations')
 */
export function citations<TOutput>(of: Select<TOutput>, { name = 'citations' }: GraderName = {}): Grader<TOutput> {
  return {
    name,
    grade(seen) {
      const part = partOf(seen, of);
      if (!Array.isArray(part) || !part.every(isCitation)) throw new Error(`${shown(part)} is not a list of citations`);
      const all: readonly Citation[] = part;
      const wrong = all.filter(({ status }) => status !== 'supported');
      if (all.length === 0) return { score: 0, why: 'there is no citation' };
      if (wrong.length === 0) return { score: 1 };
      const why = shownNames(wrong.map(({ label, quote, status }) => `${label || shown(quote)} is ${status}`));
      return { score: (all.length - wrong.length) / all.length, why };
    },
  };
}

const isCitation = (value: unknown): value is Citation =>
  isObject(value) && typeof value.label === 'string' && typeof value.quote === 'string' && typeof value.status === 'string';
