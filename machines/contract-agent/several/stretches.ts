/** A part of an answer with the contracts that it names. Everything else is blank, so that positions stay. */
export interface AnswerStretch {
  /** Empty for text that names no contract. */
  readonly names: readonly string[];
  readonly text: string;
}

const joins = /^[\s*_`"“”'’]*(?:,|·|&|\/|및|와|과|이랑|랑|and|or|,\s?and)?[\s*_`"“”'’]*$/u;

/**
 * Splits an answer where it names contracts. A stretch ends at the next name, and at a blank line unless it is only a heading. Names in
 * quoted lines are words of a contract. `a and b: …` names both.
 */
export function stretchesOf(answer: string, names: readonly string[]): readonly AnswerStretch[] {
  const mentions = mentionsOf(answer, names);
  const groups: { names: string[]; start: number; from: number; to: number }[] = [];
  for (const [index, { name, start, end }] of mentions.entries()) {
    const next = mentions[index + 1]?.start ?? answer.length;
    const last = groups.at(-1);
    if (last && last.to === start && joins.test(answer.slice(last.from, start))) {
      last.names.push(name);
      last.from = end;
      last.to = next;
    } else groups.push({ names: [name], start, from: end, to: next });
  }
  const owned = groups.map(({ names: own, start, from, to }) => ({ names: own, start, from, to: endOf(answer, from, to) }));
  const blanked = owned
    .toReversed()
    .reduce((text, { start, to }) => text.slice(0, start) + blank(text.slice(start, to)) + text.slice(to), answer);
  const stretches = owned.map(({ names: own, from, to }) => ({
    names: [...new Set(own)],
    text: blank(answer.slice(0, from)) + answer.slice(from, to),
  }));
  return blanked.trim() === '' ? stretches : [{ names: [], text: blanked }, ...stretches];
}

interface Mention {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function mentionsOf(answer: string, names: readonly string[]): readonly Mention[] {
  if (names.length === 0) return [];
  const longest = names.toSorted((one, other) => other.length - one.length);
  // a short name may be a word, so it counts only before a label
  const any = longest
    .map((name) => (name.length < 3 ? `${escaped(name)}(?=\\s+(?:제|§|Article|Section|Clause|\\d)|:)` : escaped(name)))
    .join('|');
  const quoted = Array.from(answer.matchAll(/^[ \t]*>.*$|“[^”\n]*”|"[^"\n]*"|『[^』\n]*』/gmu), ({ 0: all, index }) => ({
    start: index,
    end: index + all.length,
  }));
  return Array.from(answer.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_])(?:${any})(?![a-zA-Z0-9_])`, 'gu')), ({ 0: name, index }) => ({
    name,
    start: index,
    end: index + name.length,
  })).filter(
    ({ start, end }) => !quoted.some((quote) => quote.start <= start && end <= quote.end && end - start < quote.end - quote.start - 2),
  );
}

/** The end of a stretch: a blank line, unless the stretch has no words before it. */
function endOf(answer: string, from: number, to: number): number {
  const at = answer.slice(from, to).search(/\n[ \t]*\n/u);
  return at < 0 || !/[\p{L}\p{N}]/u.test(answer.slice(from, from + at)) ? to : from + at;
}

/** Escapes a text for a pattern. */
export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const blank = (text: string): string => text.replaceAll(/[^\n]/gu, ' ');
