import { bracketed } from './bracketed.ts';
import { isDeleted } from './deleted.ts';
import { type Heading, type HeadingSource, skipMarks, strengthOf, wordsOf } from './heading.ts';
import { romanNumber } from './roman-number.ts';

const article = /^(?:(article|section|clause)\s{1,3}|§\s{0,2})(\d{1,3}(?:\.\d{1,3}){0,3}|[IVXLC]{1,8})(?![A-Za-z\d])/i;
const exhibit =
  /^(exhibit|schedule|annex|appendix|attachment)(?:\s{1,3}(?:No\.?\s?)?["“']?([A-Z]{1,2}(?:-?\d{1,2})?|\d{1,3}(?:\.\d{1,2})?|[IVX]{1,6})(?![A-Za-z\d])["”']?)?(?![A-Za-z])/i;
const chapter = /^(chapter|part)\s{1,3}(\d{1,3}|[IVXLC]{1,8}|[A-Z])(?![A-Za-z\d])/i;
const numbered = /^(\d{1,3})[.)]?\s{1,6}(?=\S)/;
const separator = /^[.:–—|-]{1,3}\s{0,6}/;
const verbs = /\b(?:shall|is|are|may|will|must|has|have|was|were|applies|apply|agrees?|means)\b/;
const small = new Set([
  'a',
  'an',
  'and',
  'as',
  'at',
  'by',
  'for',
  'from',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
  'upon',
  'without',
  'under',
  'not',
  'de',
  'vs',
  'upon',
  'than',
  'between',
  'during',
  'after',
  'before',
  'through',
  'into',
  'its',
  'their',
  'per',
  'if',
]);

/** Reads `Article 5. Term`, `ARTICLE V – TERM`, `Section 5.1 Title`, `Exhibit A`, `Part II`. */
export function englishHeading(source: HeadingSource): Heading | undefined {
  const { core } = source.line;
  if (!/^[A-Za-z§]/.test(core)) return undefined;
  return articleHeading(source) ?? otherHeading(source, exhibit, 'exhibit') ?? otherHeading(source, chapter, 'chapter');
}

function articleHeading(source: HeadingSource): Heading | undefined {
  const { line, index } = source;
  const found = article.exec(line.core);
  if (!found || /^[a-z]/.test(line.core)) return undefined;
  const [all, word = 'section', number = ''] = found;
  const numbers = /^\d/.test(number) ? number.split('.').map(Number) : [romanNumber(number)];
  if (numbers[0] === undefined || Number.isNaN(numbers[0])) return undefined;
  const read = readBehind(source, line.coreStart + all.length, /^[A-Z]{2}/.test(word));
  if (!read) return undefined;
  const scheme = ({ a: 'Article', s: 'Section', c: 'Clause' } as const)[word.charAt(0).toLowerCase()] ?? 'Section';
  const label = `${scheme} ${/^\d/.test(number) ? number : numbers.join('.')}`;
  return { kind: 'article', line: index, scheme, label, labelEnd: line.coreStart + all.length, numbers, through: numbers[0], ...read };
}

function otherHeading(source: HeadingSource, pattern: RegExp, kind: 'exhibit' | 'chapter'): Heading | undefined {
  const { line, index } = source;
  const found = pattern.exec(line.core);
  if (!found || /^[a-z]/.test(line.core)) return undefined;
  const [all, word = '', number = ''] = found;
  const read = readBehind(source, line.coreStart + all.length, true);
  if (!read || read.strength < 2 || /[;,]\s*$/.test(line.core)) return undefined;
  if (number === '' && line.hashes === 0 && line.core.length > all.length) return undefined;
  const name = `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
  const label = number === '' ? name : `${name} ${number}`;
  return { kind, line: index, scheme: '', label, labelEnd: line.coreStart + all.length, numbers: [], through: 0, ...read };
}

/** Reads `EXHIBIT A FORM OF ASSIGNMENT This Assignment …`, where the line breaks are lost. */
export function loudExhibit({ original, line, index }: HeadingSource): Heading | undefined {
  const found = exhibit.exec(line.core);
  const [all = '', word = '', number = ''] = found ?? [];
  if (number === '' || !/^[A-Z]{5}/.test(word) || !/^\s+["“([]?[A-Z]/.test(line.core.slice(all.length))) return undefined;
  const label = `${word.charAt(0)}${word.slice(1).toLowerCase()} ${number.toUpperCase()}`;
  const labelEnd = line.coreStart + all.length;
  const loud = /^\s+(?:[A-Z&][A-Z,'&-]+ (?! )){1,12}(?=[A-Z]\S?[a-z]|["“([])/.exec(line.core.slice(all.length))?.[0] ?? '';
  const textStart = labelEnd + loud.length;
  const title = wordsOf(original, labelEnd, textStart);
  return {
    kind: 'exhibit',
    line: index,
    scheme: '',
    label,
    labelEnd,
    numbers: [],
    through: 0,
    title,
    textStart,
    strength: 3,
    hasText: true,
  };
}

/** Reads `5. Term`, for contracts without any other headings. */
export function numberedHeading(source: HeadingSource, isKorean: boolean): Heading | undefined {
  const { line, index } = source;
  const found = numbered.exec(line.core);
  if (!found) return undefined;
  const read = readBehind({ ...source }, line.coreStart + found[0].length, /^\d{1,3}\.?\s{1,6}[A-Z][A-Z]/.test(line.core));
  if (!read || read.strength < 2 || (read.title === '' && line.hashes === 0)) return undefined;
  const number = Number(found[1]);
  const label = isKorean ? String(number) : `Article ${number}`;
  const labelEnd = line.coreStart + found[0].length;
  return { kind: 'article', line: index, scheme: 'number', label, labelEnd, numbers: [number], through: number, ...read };
}

type Read = Pick<Heading, 'title' | 'textStart' | 'strength' | 'hasText'>;

function readBehind({ original, folded, line }: HeadingSource, behind: number, loud: boolean): Read | undefined {
  const coreEnd = line.coreStart + line.core.length;
  const at = skipMarks(folded, behind, line.end);
  const rest = folded.slice(at, Math.max(at, coreEnd));
  const separated = separator.exec(rest)?.[0] ?? '';
  const from = at + separated.length;
  const words = rest.slice(separated.length);
  if (isDeleted(words)) return { title: '', textStart: from, strength: strengthOf(line, 3), hasText: true };
  if (words === '') return alone({ original, folded, line }, loud);
  const inBrackets = '([【'.includes(words.charAt(0)) ? bracketed(folded, from) : undefined;
  if (inBrackets && (at > behind || separated !== '') && inBrackets.to - inBrackets.from > 3) {
    const next = skipMarks(folded, inBrackets.end, line.end);
    if (/^(?:of|and|or|shall|is|above|below|,)/.test(folded.slice(next, next + 6))) return undefined;
    return {
      title: wordsOf(original, inBrackets.from, inBrackets.to),
      textStart: next,
      strength: strengthOf(line, 3),
      hasText: next < line.end,
    };
  }
  if (/^[a-z,;)(&]/.test(words) || (separated === '' && at === behind && /^[^A-Z"“가-힣]/.test(words))) return undefined;
  const colon = /^([가-힣][^:\n]{0,30}?)\s{0,3}:\s{1,3}(?=\S)/.exec(words);
  if (colon?.[1] && isHeadingTitle(colon[1])) {
    return {
      title: wordsOf(original, from, from + colon[1].length),
      textStart: from + colon[0].length,
      strength: strengthOf(line, 2),
      hasText: true,
    };
  }
  if (isHeadingTitle(words) && line.end - from <= 120) {
    const looks = loud || separated !== '' ? 3 : 2;
    return {
      title: wordsOf(original, from, coreEnd).replace(/\.$/, ''),
      textStart: line.end,
      strength: strengthOf(line, looks),
      hasText: false,
    };
  }
  const runIn = /^([^.:;\n]{1,70})(?:[.:](?:\*\*|__)?| [–—-])\s{1,4}(?=\S)/.exec(words);
  if (runIn?.[1] && isHeadingTitle(runIn[1].replace(/[*_]/g, ''))) {
    const textStart = from + runIn[0].length;
    return { title: wordsOf(original, from, from + runIn[1].length), textStart, strength: strengthOf(line, 2), hasText: true };
  }
  return { title: '', textStart: from, strength: strengthOf(line, 1), hasText: true };
}

/** Reads a line with only `ARTICLE V`: words in capitals on the next line are its title. */
function alone({ original, folded, line }: Omit<HeadingSource, 'index'>, loud: boolean): Read {
  const strength = strengthOf(line, loud ? 3 : 2);
  const next = /^\n([^\n]{1,90})(?=\n|$)/.exec(folded.slice(line.end, line.end + 100))?.[1];
  const words = next === undefined ? '' : wordsOf(folded, line.end, line.end + 1 + next.length);
  if (
    next !== undefined &&
    /^[A-Z]/.test(words) &&
    isHeadingTitle(words) &&
    !/\.$/.test(words) &&
    line.hashes === 0 &&
    ![article, exhibit, chapter].some((one) => one.test(words))
  ) {
    const end = line.end + 1 + next.length;
    return { title: wordsOf(original, line.end, end), textStart: end, strength, hasText: false };
  }
  return { title: '', textStart: line.end, strength, hasText: false };
}

/** True for capitalized words, and for Korean words that do not form a sentence. */
export function isHeadingTitle(words: string): boolean {
  const trimmed = words.trim().replace(/\.$/, '');
  if (trimmed.length === 0 || trimmed.length > 90 || verbs.test(trimmed) || /[.;!?,]$|\. |다$/.test(trimmed)) return false;
  if (/[가-힣]/.test(trimmed)) return trimmed.length <= 45;
  const all = trimmed.split(/[\s/]+/);
  const loud = all.filter((word) => /^["“(&[]?[A-Z\d&–-]/.test(word) || small.has(word.toLowerCase()));
  return (
    all.length <= 14 &&
    /^["“([]?[A-Z\d]/.test(trimmed) &&
    loud.length * 2 >= all.length &&
    (all.length <= 3 || loud.length * 3 >= all.length * 2)
  );
}
