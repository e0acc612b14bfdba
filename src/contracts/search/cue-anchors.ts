import { searchTokens } from '../../core/text/search-tokens.ts';
import type { InvertedLists } from '../../search/rank/inverted-lists.ts';

/** A word that stands in every text with a cue. `open`: the text may have more letters behind it. */
interface AnchorWord {
  readonly token: string;
  readonly open: boolean;
}

/** Words of which every text with the cue has at least one. */
export type CueAnchor = readonly AnchorWord[];

/** A shorter beginning of a word stands in too many words. */
const minOpenChars = 3;

/** Returns the anchors of a cue, in the syntax of `toCuePattern`. A cue without any may match everywhere. */
export function cueAnchors(cue: string): readonly CueAnchor[] {
  return /[가-힣]/u.test(cue) ? koreanAnchors(cue) : englishAnchors(cue);
}

/** Returns the documents that may have the cue, in no particular order; `undefined` if this must be tried on each. */
export function placesOfCue(anchors: readonly CueAnchor[], lists: InvertedLists): ReadonlySet<number> | undefined {
  let fewest: readonly (readonly number[])[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const anchor of anchors) {
    const found = anchor.flatMap((word) => listsOf(word, lists));
    const size = found.reduce((sum, { length }) => sum + length, 0);
    if (size < least) [fewest, least] = [found, size];
  }
  if (fewest === undefined) return undefined;
  const places = new Set<number>();
  for (const list of fewest) for (let i = 0; i < list.length; i += 2) places.add(list[i] ?? 0);
  return places;
}

function listsOf({ token, open }: AnchorWord, lists: InvertedLists): readonly (readonly number[])[] {
  if (!open) return lists.has(token) ? [lists.of(token)] : [];
  return lists
    .tokensWith(beginning(token), beginning)
    .filter((other) => mayBegin(token, other))
    .map((other) => lists.of(other));
}

/** True if a word with this token may begin with these letters: it has lost its ending, and its last letter may have changed. */
export function mayBegin(letters: string, token: string): boolean {
  const common = Math.max(minOpenChars, Math.min(letters.length, token.length) - 1);
  return letters.slice(0, common) === token.slice(0, common);
}

export const beginning = (token: string): string => token.slice(0, minOpenChars);

/** Pairs of letters inside each run: a blank of a cue may be none in the text. */
function koreanAnchors(cue: string): readonly CueAnchor[] {
  return partsOf(cue).flatMap((part) => {
    if (typeof part !== 'string') return together(part.alternatives.map(koreanAnchors));
    // an optional letter separates its neighbours
    return [...part.replaceAll(/.\?/gu, ' ').matchAll(/[가-힣]{2,}/gu)].flatMap(([run]) =>
      searchTokens(run).map((token) => [{ token, open: false }]),
    );
  });
}

function englishAnchors(cue: string): readonly CueAnchor[] {
  const parts = partsOf(cue);
  return parts.flatMap((part, i) =>
    typeof part === 'string' ? wordAnchors(part, { isFirst: i === 0, isLast: i === parts.length - 1 }) : groupAnchors(parts, i),
  );
}

function wordAnchors(part: string, { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean }): readonly CueAnchor[] {
  return [...part.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: word, index }) => {
    const behind = part.slice(index + word.length);
    // the rest of a word, such as `off` in `set-?off`
    if (index === 0 ? !isFirst : /[*?#]/u.test(part.charAt(index - 1))) return [];
    if (behind.startsWith('?')) return opened([{ token: word.slice(0, -1).toLowerCase(), open: true }]);
    const isOpen = behind === '' ? !isLast : /^(?:[*#]|[\s-]\?)/u.test(behind);
    return isOpen ? opened([{ token: word.toLowerCase(), open: true }]) : searchTokens(word).map((token) => [{ token, open: false }]);
  });
}

function groupAnchors(parts: readonly CuePart[], i: number): readonly CueAnchor[] {
  const [before = '', part, after = ''] = [parts[i - 1], parts[i], parts[i + 1]];
  if (typeof part !== 'object' || typeof before !== 'string' || typeof after !== 'string') return [];
  // in `sub(let|lease)` the alternatives are ends of words
  if (before === '' ? i > 1 : /[\p{L}\p{N}*?#]$/u.test(before)) return [];
  const isOpen = after === '' ? i + 2 < parts.length : /^(?:[\p{L}\p{N}*?#]|[\s-]\?)/u.test(after);
  const anchors = together(part.alternatives.map(englishAnchors));
  return isOpen ? anchors.flatMap(opened) : anchors;
}

/** The same words with more letters behind them; none if one of them is too short. */
function opened(anchor: CueAnchor): readonly CueAnchor[] {
  return anchor.every(({ token }) => token.length >= minOpenChars) ? [anchor.map(({ token }) => ({ token, open: true }))] : [];
}

/** Returns the anchor with the longest words. */
export const longestAnchor = (anchors: readonly CueAnchor[]): CueAnchor | undefined =>
  [...anchors].sort((one, other) => lengthOf(other) - lengthOf(one))[0];

/** One anchor of several alternatives; none if one of them has none. */
function together(alternatives: readonly (readonly CueAnchor[])[]): readonly CueAnchor[] {
  const longest = alternatives.map(longestAnchor);
  return longest.every((anchor) => anchor !== undefined) ? [longest.flat()] : [];
}

const lengthOf = (anchor: CueAnchor): number => Math.min(...anchor.map(({ token }) => token.length));

type CuePart = string | { readonly alternatives: readonly string[] };

/** Splits a cue into texts and groups, in turns. Leaves out optional groups, and keeps their mark. */
function partsOf(cue: string): readonly CuePart[] {
  const parts: CuePart[] = [];
  let depth = 0;
  let text = '';
  let alternatives: string[] = [];
  for (const letter of cue) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === '(' && depth === 1) {
      parts.push(text);
      text = '';
    } else if (letter === ')' && depth === 0) {
      parts.push({ alternatives: [...alternatives, text] });
      [text, alternatives] = ['', []];
    } else if (letter === '|' && depth === 1) {
      alternatives.push(text);
      text = '';
    } else if (letter === '?' && depth === 0 && text === '' && typeof parts.at(-1) === 'object') {
      parts.pop();
      text = '?';
    } else text += letter;
  }
  return [...parts, text];
}
