import { RE2JS } from 're2js';
import { shorten } from '../util/shorten.ts';
import { Unusable } from './unusable.ts';

/** A regular expression that is followed in time that grows with the text and with itself, and with nothing else. */
export interface LinearPattern {
  readonly source: string;
  test(text: string): boolean;
  /** States that may be followed for each character. */
  readonly size: number;
  /** Its source: Ajv tells patterns apart by it. */
  toString(): string;
}

const maxLength = 2_000;
/** The sum of its counts: RE2 writes repetitions out. */
const maxRepeats = 5_000;
const maxSize = 20_000;

/**
 * Reads a regular expression of JavaScript for RE2: JavaScript's own engine can take for ever.
 * @throws {Unusable} for one that is malformed, too large, refers back, or looks around anywhere but at its beginning.
 */
export function toLinearPattern(source: string): LinearPattern {
  const about = `the pattern ${JSON.stringify(shorten(source, 80))}`;
  if (source.length > maxLength) throw new Unusable(`${about} has more than ${maxLength} characters`);
  assertJavaScript(source, about);
  const repeats = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce((sum, [, min, max]) => sum + Number(max || min), 0);
  if (repeats > maxRepeats) throw new Unusable(`${about} repeats ${repeats} times; at most ${maxRepeats} can be written out`);
  const parts: { readonly expression: RE2JS; readonly wanted: boolean }[] = [];
  let rest = source;
  for (let look = lookAhead(rest); look; look = lookAhead(rest)) {
    parts.push({ expression: compile(`^(?:${look.inner})`, about), wanted: look.wanted });
    rest = look.rest;
  }
  parts.push({ expression: compile(rest, about), wanted: true });
  const size = parts.reduce((sum, { expression }) => sum + expression.programSize(), 0);
  if (size > maxSize) throw new Unusable(`${about} is too large: with its repetitions written out it has ${size} parts`);
  return {
    source,
    size,
    test: (text) => parts.every(({ expression, wanted }) => expression.test(text) === wanted),
    toString: () => source,
  };
}

export function isLinearPattern(source: string): boolean {
  try {
    toLinearPattern(source);
    return true;
  } catch (error) {
    if (error instanceof Unusable) return false;
    throw error;
  }
}

/** Patterns are meant with the flag `u`, but many are written for engines that take `\_`. */
function assertJavaScript(source: string, about: string): void {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags);
      return;
    } catch (error) {
      if (flags === '') throw new Unusable(`${about} is none of JavaScript: ${error instanceof Error ? shorten(error.message, 100) : ''}`);
    }
  }
}

function compile(source: string, about: string): RE2JS {
  if (/\\[1-9]|\\k</.test(source.replaceAll('\\\\', '')))
    throw new Unusable(`${about} refers back, which cannot be followed in linear time`);
  if (/\(\?<?[=!]/.test(source.replace(/\\[\s\S]/g, ''))) {
    throw new Unusable(`${about} looks around; that is supported at its very beginning only: ^(?=…) and ^(?!…)`);
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(inRe2Words(source)));
  } catch (error) {
    throw new Unusable(
      `${about} cannot be followed in linear time: ${error instanceof Error ? shorten(error.message, 100) : 'it is not known why'}`,
    );
  }
}

/** What stands ahead of the beginning of a text does not depend on what else matches: it is a question of its own. */
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
    else if (token === '|' && depth === 0) return undefined; // only one of the alternatives has it
  }
  const rest = source.slice(end + 1);
  return /^[*+?{]/.test(rest) ? undefined : { inner: source.slice(4, end), rest: `^${rest}`, wanted: source[3] === '=' };
}

const space = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const tokens = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\[\s\S]|\[\^?\]?|\]|\./g;

/** Says what RE2 understands otherwise, or not at all, in its words. */
function inRe2Words(source: string): string {
  let isClass = false;
  return source.replace(tokens, (token) => {
    if (token === ']') isClass = false;
    else if (token.startsWith('[')) {
      const words = isClass ? token.replace('[', '\\[') : token;
      isClass = !token.endsWith(']');
      return words;
    } else if (token === '.') return isClass ? token : '[^\\n\\r\\x{2028}\\x{2029}]';
    else if (token === '\\s') return isClass ? space : `[${space}]`;
    else if (token === '\\S') return isClass ? noSpace : `[${noSpace}]`;
    else if (token === '\\b' && isClass) return '\\x{8}';
    else if (/^\\u.{4}\\u/.test(token)) return `\\x{${String.fromCharCode(hex(token, 2), hex(token, 8)).codePointAt(0)?.toString(16)}}`;
    else if (/^\\[pP]\{/.test(token)) return token.replace(/(?:Script|sc|General_Category|gc)=/, '');
    else if (/^\\[a-zA-Z]$/.test(token) && !/^\\[dDwWbBtnvfrxu]$/.test(token)) return token.slice(1); // as JavaScript reads it without `u`
    return token;
  });
}

const hex = (text: string, from: number): number => Number.parseInt(text.slice(from, from + 4), 16);
