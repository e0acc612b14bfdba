/** Parts of a regular expression. */
export type Pattern =
  /** One character; `source` is its JavaScript pattern. */
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'place'; readonly at: Place }
  | { readonly type: 'sequence'; readonly of: readonly Pattern[] }
  | { readonly type: 'choice'; readonly of: readonly Pattern[] }
  | { readonly type: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number };

type Place = '^' | '$' | '\\b' | '\\B';

const places: readonly string[] = ['^', '$', '\\b', '\\B'];
const tokens =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[pP]\{[^}]*\}|\\c[a-zA-Z]|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<[^>]*>|\(\?:|[\s\S]/gu;
const quantifier = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/;

/**
 * Parses a JavaScript regular expression without lookarounds and back references.
 * @throws {SyntaxError} for unknown syntax.
 */
export function readPattern(source: string): Pattern {
  let at = 0;
  const choice = (): Pattern => {
    const of = [sequence()];
    while (source[at] === '|') {
      at++;
      of.push(sequence());
    }
    return of.length === 1 ? (of[0] as Pattern) : { type: 'choice', of };
  };
  const sequence = (): Pattern => {
    const of: Pattern[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') of.push(repeated(one()));
    return { type: 'sequence', of };
  };
  const one = (): Pattern => {
    tokens.lastIndex = at;
    const token = tokens.exec(source)?.[0] ?? '';
    at += token.length;
    if (token.startsWith('(')) {
      if (token === '(' && source[at] === '?') throw new SyntaxError('it has a group of an unknown kind');
      const of = choice();
      at++; // `)`
      return of;
    }
    return places.includes(token) ? { type: 'place', at: token as Place } : { type: 'character', source: token };
  };
  const repeated = (of: Pattern): Pattern => {
    const [all, min, more, max] = quantifier.exec(source.slice(at, at + 30)) ?? [];
    if (all === undefined) return of;
    at += all.length;
    if (min !== undefined) {
      const least = Number(min);
      return { type: 'repeat', of, min: least, max: more === undefined ? least : max ? Number(max) : Number.POSITIVE_INFINITY };
    }
    return { type: 'repeat', of, min: all[0] === '+' ? 1 : 0, max: all[0] === '?' ? 1 : Number.POSITIVE_INFINITY };
  };
  const whole = choice();
  if (at < source.length) throw new SyntaxError('it has an unmatched bracket');
  return whole;
}
