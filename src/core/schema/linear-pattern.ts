import { shorten } from '../errors/shorten.ts';
import { PatternProgram, sizeOf } from './pattern-program.ts';
import { type Pattern, readPattern } from './pattern-syntax.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** A regular expression matched in time proportional to the text and to the pattern's size. */
export interface LinearPattern {
  readonly source: string;
  test(text: string): boolean;
  /** Number of states followed per character. */
  readonly size: number;
}

const maxLength = 2_000;
/** Maximum sum of its counts, because repetitions are expanded. */
const maxRepeats = 5_000;
/** Maximum product of nested counts. */
const maxNested = 1_000;
const maxSize = 20_000;

/**
 * Parses a JavaScript regular expression, because JavaScript's own engine can take exponential time.
 * @throws {UnusableSchemaError} for a pattern that is malformed or too large, has back references, or looks around anywhere but at its start.
 */
export function toLinearPattern(source: string): LinearPattern {
  const about = `the pattern ${JSON.stringify(shorten(source, 80))}`;
  if (source.length > maxLength) throw new UnusableSchemaError(`${about} has more than ${maxLength} characters`);
  assertJavaScript(source, about);
  const repeats = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce((sum, [, min, max]) => sum + Number(max || min), 0);
  if (repeats > maxRepeats) throw new UnusableSchemaError(`${about} has ${repeats} repetitions, more than ${maxRepeats}`);
  const parts: { readonly pattern: Pattern; readonly wanted: boolean }[] = [];
  let rest = source;
  for (let look = lookAhead(rest); look; look = lookAhead(rest)) {
    parts.push({ pattern: read(`^(?:${look.inner})`, about), wanted: look.wanted });
    rest = look.rest;
  }
  parts.push({ pattern: read(rest, about), wanted: true });
  const size = parts.reduce((sum, { pattern }) => sum + sizeOf(pattern) + 1, 0);
  if (size > maxSize) throw new UnusableSchemaError(`${about} has ${size} parts after its repetitions are expanded, more than ${maxSize}`);
  const programs = parts.map(({ pattern, wanted }) => ({ program: new PatternProgram(pattern), wanted }));
  return { source, size, test: (text) => programs.every(({ program, wanted }) => program.test(text) === wanted) };
}

export function isLinearPattern(source: string): boolean {
  try {
    toLinearPattern(source);
    return true;
  } catch (error) {
    if (error instanceof UnusableSchemaError) return false;
    throw error;
  }
}

/** Patterns are meant with the flag `u`, but many are written for engines that accept `\_`. */
function assertJavaScript(source: string, about: string): void {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags);
      return;
    } catch (error) {
      if (flags === '')
        throw new UnusableSchemaError(`${about} is not a JavaScript pattern: ${error instanceof Error ? shorten(error.message, 100) : ''}`);
    }
  }
}

function read(source: string, about: string): Pattern {
  if (/\\[1-9]|\\k</.test(source.replaceAll('\\\\', '')))
    throw new UnusableSchemaError(`${about} has a back reference, which cannot be matched in linear time`);
  if (/\(\?<?[=!]/.test(source.replace(/\\[\s\S]/g, ''))) {
    throw new UnusableSchemaError(`${about} has a look-around other than ^(?=…) and ^(?!…) at its start`);
  }
  let reason: string;
  try {
    const pattern = readPattern(source);
    if (timesOf(pattern) <= maxNested) return pattern;
    reason = `its nested repetitions multiply to more than ${maxNested}`;
  } catch (error) {
    reason = error instanceof Error ? shorten(error.message, 100) : 'the reason is unknown';
  }
  throw new UnusableSchemaError(`${about} cannot be matched in linear time: ${reason}`);
}

/** Number of copies after repetitions are expanded. */
function timesOf(pattern: Pattern): number {
  if (pattern.type === 'character' || pattern.type === 'place') return 1;
  if (pattern.type === 'sequence' || pattern.type === 'choice') return Math.max(1, ...pattern.of.map(timesOf));
  const { min, max } = pattern;
  return Math.max(1, max === Number.POSITIVE_INFINITY ? min : max) * timesOf(pattern.of);
}

/** A lookahead at the start is independent of the rest, so it is tested separately. */
function lookAhead(source: string): { readonly inner: string; readonly rest: string; readonly wanted: boolean } | undefined {
  if (!/^\^\(\?[=!]/.test(source)) return undefined;
  let depth = 0;
  let end = 0;
  let isClass = false;
  for (const { 0: token, index } of source.matchAll(/\\[\s\S]|[[\]()|]/g)) {
    if (token === '[') isClass = true;
    else if (token === ']') isClass = false;
    else if (isClass || token.startsWith('\\')) continue;
    else if (token === '(') depth++;
    else if (token === ')' && --depth === 0 && end === 0) end = index;
    else if (token === '|' && depth === 0) return undefined; // belongs to one of the alternatives only
  }
  const rest = source.slice(end + 1);
  return /^[*+?{]/.test(rest) ? undefined : { inner: source.slice(4, end), rest: `^${rest}`, wanted: source[3] === '=' };
}
