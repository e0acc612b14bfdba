import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isLinearPattern, toLinearPattern } from '../../core/schema/linear-pattern.ts';
import { type Pattern, readPattern } from '../../core/schema/pattern-syntax.ts';
import { listOf } from '../schema-parts.ts';

/** Longest text that a maximum length leads to, in characters. A longer one would make each check slow. */
const maxText = 10_000;

/** Examples of each format. The first that fits the other keywords is used. */
const formats: Readonly<Record<string, readonly string[]>> = {
  email: ['a@example.com', 'a@b.co'],
  'idn-email': ['a@example.com', 'a@b.co'],
  date: ['2024-02-29'],
  'date-time': [
    '2024-02-29T12:00:00Z',
    '2024-02-29T12:00:00.000Z',
    '2024-02-29T12:00:00',
    '2024-02-29T12:00Z',
    '2024-02-29T12:00:00+09:00',
  ],
  'iso-date-time': ['2024-02-29T12:00:00Z'],
  time: ['12:00:00Z', '12:00:00', '12:00'],
  'iso-time': ['12:00:00Z'],
  duration: ['P1D'],
  uri: ['https://example.com/', 'http://example.com/'],
  url: ['https://example.com/', 'http://example.com/'],
  iri: ['https://example.com/'],
  'uri-reference': ['/a'],
  'iri-reference': ['/a'],
  'uri-template': ['/a/{b}'],
  uuid: ['b8ce2c8e-7e1b-4a52-9d3f-0f4b6f1a2c3d'],
  hostname: ['example.com', 'a.co'],
  'idn-hostname': ['example.com', 'a.co'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  cidrv4: ['192.0.2.0/24'],
  cidrv6: ['2001:db8::/32'],
  'json-pointer': ['/a'],
  'relative-json-pointer': ['0'],
  regex: ['a'],
  base64: ['eHh4'],
  base64url: ['eHh4'],
  byte: ['eHh4'],
  e164: ['+12025550123'],
  emoji: ['🙂'],
  jwt: ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.eHh4'],
};

/**
 * Returns texts that fit the keywords of a schema: an ordinary one, the shortest and the longest, an example of its format or patterns, and
 * the fitting literals.
 */
export function textsOf(schema: JsonObject, literals: readonly string[]): readonly string[] {
  const least = Number(schema.minLength ?? 0);
  const most = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const patterns = [schema.pattern, ...listOf(schema['x-patterns'])].filter((source) => typeof source === 'string');
  const tests = patterns.map(matcherOf);
  const fits = (text: string): boolean => text.length >= least && text.length <= most && tests.every((test) => test(text));
  const examples = [...(formats[String(schema.format)] ?? []), ...patternTexts(patterns, least)];
  const [example] = examples.flatMap((text) => lengthened(text, least)).filter(fits);
  const lengths = [Math.max(1, least), least, ...(Number.isFinite(most) ? [Math.min(most, maxText)] : [])];
  // a format without a pattern is not checked here, so plain texts would only look as if they fit
  const plain = isKnown(schema.format) && patterns.length === 0 ? [] : lengths.map((length) => 'x'.repeat(length));
  return [...new Set([...(example === undefined ? [] : [example]), ...plain, ...literals])].filter(fits);
}

const isKnown = (format: Json | undefined): boolean => typeof format === 'string' && Object.hasOwn(formats, format);

/** Longest text that is matched by JavaScript's own engine, which can take exponential time. */
const maxUnbounded = 20;

function matcherOf(source: string): (text: string) => boolean {
  if (isLinearPattern(source)) {
    const pattern = toLinearPattern(source);
    return (text) => pattern.test(text);
  }
  const pattern = toRegExp(source);
  return (text) => pattern === undefined || (text.length <= maxUnbounded && pattern.test(text));
}

function toRegExp(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // patterns of other languages may only be valid without the flag, or not at all
    }
  }
  return undefined;
}

/** Returns the text, and longer ones for formats that allow more characters at an end. */
const lengthened = (text: string, least: number): readonly string[] =>
  text.length >= least || least > maxText ? [text] : [text.padStart(least, 'a'), text.padEnd(least, 'a')];

/** Returns texts that probably match all patterns. */
function patternTexts(patterns: readonly string[], least: number): readonly string[] {
  const each = patterns.map((source) => textsOfPattern(source, least));
  const [first = [], ...others] = each;
  const joint = others.flatMap((other) => first.flatMap((a) => other.flatMap((b) => [a + b, b + a])));
  return [...each.flat(), ...joint];
}

/** Returns texts that probably match a pattern: the shortest, one with more repetitions, and one with more kinds of characters. */
function textsOfPattern(source: string, least: number): readonly string[] {
  let pattern: Pattern;
  try {
    pattern = readPattern(withoutLookAhead(source));
  } catch {
    return [];
  }
  return [
    { more: 0, mixed: false },
    { more: 1, mixed: false },
    { more: Math.min(Math.max(least, 8), maxText), mixed: true },
  ].map((style) => {
    let at = 0;
    return write(pattern);

    function write(part: Pattern): string {
      switch (part.type) {
        case 'place':
          return '';
        case 'character':
          return characterOf(part.source, style.mixed ? at++ : 0);
        case 'sequence':
          return part.of.map(write).join('');
        case 'choice':
          return write(part.of[0] ?? { type: 'sequence', of: [] });
        case 'repeat':
          return Array.from({ length: Math.min(part.max, part.min + style.more, maxText) }, () => write(part.of)).join('');
      }
    }
  });
}

/** Removes look-aheads at the start of a pattern, as passwords have them. A text must still match the whole pattern. */
const withoutLookAhead = (source: string): string => source.replace(/^\^?(?:\(\?[=!](?:\[[^\]]*\]|\\.|[^()\\])*\))+/, '');

const ordinary = ['a', 'A', '1', '!'];
const others = [...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)), ' ', '\n', 'é', '가', '🙂'];

function characterOf(source: string, rotation: number): string {
  const test = toRegExp(`^(?:${source === '.' ? '[^\\n]' : source})$`);
  const at = rotation % ordinary.length;
  return [...ordinary.slice(at), ...ordinary.slice(0, at), ...others].find((character) => test?.test(character)) ?? 'a';
}
