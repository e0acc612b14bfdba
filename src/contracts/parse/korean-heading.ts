import { bracketed } from './bracketed.ts';
import { isDeleted } from './deleted.ts';
import { type Heading, type HeadingSource, skipMarks, strengthOf, wordsOf } from './heading.ts';

const label =
  /제\s{0,3}(\d{1,5})\s{0,3}조((?:\s{0,2}의\s{0,2}\d{1,3}(?!\d|[.,]\d|(?:년|개월|개|월|일|항|호|인|명|배|%|퍼센트|회|분의|차|주|시간)))*)/y;

/** Matches a particle, comma or 제2항 … directly after a label: this is a citation, not a heading. */
const citedGlued =
  /^(?:(?:에서|에게|으로|부터|까지|이나|이며|에|의|을|를|은|는|와|과|로|만|도|상|중|등|및|내지|나){1,4}(?=[\s,.)\]」』"'”’·]|$)|에\s?(?:따|의하|의한|의해|의거|정한|정하|규정|불구|해당|관한|관하|명시|기재|대하|대한)|에서\s?(?:정|규)|의\s?(?:규정|개정)|[,·~)\]」』"'”’]|-\s?제|제\s?\d{1,5}\s?[조항호목]|[이가]\s(?:적용|규정|정하|정한|준용|있|없|아닌|아니|우선|무효|삭제|신설|개정|변경|되|된))/;
const citedBehindTitle =
  /^(?:또는|내지|부터|및\s|(?:와|과)\s|에\s{1,3}(?:따|의|관|해|정|규|불)|의\s{1,3}(?:규정|경우|개정|내용)|중에?서?\s|각\s?[호항]|에서\s|(?:본문|단서|전단|후단)(?:에도|에\s(?:따|의|해)|의\s(?:규정|경우))|소정의|규정(?:에|을|된|의)|위반(?:으로|한|하여|하는|에|\s?시)|[,·~]|제\s?\d{1,3}\s?항(?:\s?(?:[의에을를은는과와,·]|및|제|또는|중|단서|본문|부터)|$))/;
/** Matches a citation whose line wraps after the title. */
const citedBelow = /^\n[ \t]{0,4}(?:에\s?(?:따|의하|의한|의거|정한|규정|불구)|의\s?규정|에서\s?(?:정|규)|및\s|또는\s|를\s|내지\s|부터\s)/;
const citedBehindLabel =
  /^(?:제\s?\d{1,5}\s?[조항호목]|및|또는|내지|부터|와\s|과\s|에\s|에서|에따|에의|의\s|을\s|를\s|은\s|는\s|이\s?(?:정한|규정한)|중\s|중에|각\s?호|각\s?항|본문|단서|전단|후단|소정의|참조|참고$|[,·~)\]」』"'”’]\s?(?:및|제|$))/;

/** Matches a citation, unless the line reads like a title: `제26조 위반에 따른 해지`. */
const mostlyCited = /^(?:이하|이상\s|전문\s|규정(?:에|을|된|하|의)|기재(?:된|의|한|와)|위반(?:으로|한|하여|하는|에|\s?시))/;

const note = String.raw`(?:\s{0,3}[<[(][^>\])\n]{0,120}[>\])]){0,4}`;
const deletedWord = new RegExp(
  String.raw`^삭\s{0,2}제\s{0,2}\.?(?:(?:${note}|\s{0,3}\d{4}[\d.\s]{0,12})\s{0,3}\.?$|\s{0,3}[<[(][^>\])]{0,60}$)`,
);
const deletedRange = new RegExp(
  String.raw`^(?:내지|부터|및|와|과|[,~-])\s{0,3}제\s{0,2}(\d{1,5})\s{0,2}조(?:\s?의\s?\d{1,3})*\s{0,2}(?:까지)?(?:는|은)?\s{0,3}(?:생략|삭\s?제)${note}\s{0,3}\.?$`,
);
const omitted = new RegExp(String.raw`^생략${note}\.?$`);
const circled = /^[①-⑳](?!\s{0,2}(?:항|호|[,·~]|내지|부터|및))/;
const notTitle =
  /^(?:\d{1,3}|[가나다라마바사아자차카타파하]|[①-⑳]|(?:전문개정|본조신설|제목개정)(?:\s.{0,120})?|(?:개정|신설|시행일|종전).{0,8}\d.{0,120}|\d{4}\s{0,2}\..{0,40})$/;

/** Reads `제5조 …` at the beginning of a line. Returns nothing for a citation. */
export function koreanHeading(source: HeadingSource): Heading | undefined {
  const { line } = source;
  const framed = '[【<('.includes(line.core.charAt(0)) && line.core !== '' ? line.core.charAt(0) : '';
  label.lastIndex = framed === '' ? 0 : 1 + (line.core.charAt(1) === ' ' ? 1 : 0);
  const found = label.exec(line.core);
  if (!found) return undefined;
  const [all, first = '', others = ''] = found;
  const numbers = [Number(first), ...[...others.matchAll(/\d+/g)].map(Number)];
  const behind = line.coreStart + found.index + all.length;
  const read = framed === '' ? readBehind(source, behind) : readFramed(source, behind);
  if (!read) return undefined;
  const [number = 0, ...subs] = numbers;
  return {
    kind: 'article',
    line: source.index,
    scheme: '조',
    label: `제${number}조${subs.map((sub) => `의${sub}`).join('')}`,
    labelEnd: behind,
    numbers,
    through: read.through ?? number,
    title: read.title ?? '',
    textStart: read.textStart,
    strength: strengthOf(line, read.looks),
    hasText: read.hasText ?? false,
  };
}

interface Read {
  readonly title?: string;
  readonly textStart: number;
  readonly looks: number;
  readonly hasText?: boolean;
  readonly through?: number;
}

/** Reads `[제5조] 목적` and `[제5조 목적]`, but not the notes of statutes, such as `[제5조에서 이동 …]`. */
function readFramed({ original, folded, line }: HeadingSource, behind: number): Read | undefined {
  const whole = bracketed(folded, line.coreStart);
  if (!whole || whole.end > line.end || whole.to < behind) return undefined;
  const inside = folded.slice(behind, whole.to).trim();
  if (inside === '') {
    const rest = readBehind({ original, folded, line, index: 0 }, whole.end);
    return rest && { ...rest, looks: Math.min(2, rest.looks) };
  }
  if (folded.slice(whole.end, line.end).trim() !== '' || /이동|신설|개정|시행|종전|삭제|생략/.test(inside)) return undefined;
  const title = inside.startsWith('(') && inside.endsWith(')') ? inside.slice(1, -1) : inside;
  if (citedGlued.test(folded.slice(behind, whole.to)) || !isTitle(title)) return undefined;
  return { title: wordsOf(original, behind, whole.to).replace(/^\((.*)\)$/, '$1'), textStart: whole.end, looks: 2 };
}

function readBehind(source: HeadingSource, behind: number): Read | undefined {
  const { original, folded, line } = source;
  const coreEnd = line.coreStart + line.core.length;
  const at = skipMarks(folded, behind, line.end);
  const rest = folded.slice(at, Math.max(at, coreEnd));
  const glued = at === behind;
  if (/^[.:]?\s{0,3}$/.test(rest)) return bareLabel(source, at);
  const deletedTo = deletedRange.exec(rest);
  if (deletedTo) return { textStart: line.coreStart, looks: 2, hasText: true, through: Number(deletedTo[1]) };
  const title = '([【「『<'.includes(rest.charAt(0)) ? bracketed(folded, at) : undefined;
  const isTitled = title !== undefined && !/삭\s?제/.test(folded.slice(title.from, title.to));
  if (deletedWord.test(rest) || (!isTitled && isDeleted(rest))) return { textStart: at, looks: 3, hasText: true };
  if (omitted.test(rest)) return { textStart: at, looks: 2, hasText: true };
  if (circled.test(rest)) return { textStart: at, looks: 2, hasText: true };
  if (title) {
    const read = readTitled(source, title);
    if (read !== 'none') return read;
  }
  if (glued ? citedGlued.test(rest) : citedBehindLabel.test(rest)) return undefined;
  const isDoubtful = mostlyCited.test(rest);
  if (isDoubtful && !isTitle(rest)) return undefined;
  const separator = /^[.:–—-]\s{0,4}/.exec(rest)?.[0].length ?? 0;
  const words = at + separator;
  return readWords(
    original,
    folded,
    { from: words, to: Math.max(words, coreEnd), end: line.end },
    (glued && separator === 0) || isDoubtful,
  );
}

/** Reads a label alone on its line; the next line may hold a title in brackets. */
function bareLabel({ original, folded, line }: HeadingSource, at: number): Read {
  const next = /^\n[ \t*_]{0,8}(?=[([【])/.exec(folded.slice(line.end, line.end + 12));
  if (next) {
    const from = line.end + next[0].length;
    const title = bracketed(folded, from);
    const inside = title ? folded.slice(title.from, title.to).trim() : '';
    const tail = title ? folded.slice(title.end, endOfLine(folded, title.end)).replace(/[*_\s]/g, '') : 'none';
    if (title && tail === '' && !notTitle.test(inside) && isTitle(inside) && !/^삭\s?제/.test(inside))
      return { title: wordsOf(original, title.from, title.to), textStart: endOfLine(folded, title.end), looks: 3 };
  }
  return { textStart: Math.max(at, line.end), looks: 2 };
}

function readTitled(
  { original, folded, line }: HeadingSource,
  title: { from: number; to: number; end: number },
): Read | undefined | 'none' {
  const inside = folded.slice(title.from, title.to).trim();
  const lineEnd = title.end > line.end ? endOfLine(folded, title.end) : line.end;
  if (/^삭\s{0,2}제(?:\s{0,3}<?[\d.\s]{0,14}>?)?$/.test(inside)) return { textStart: title.from - 1, looks: 3, hasText: true };
  const open = folded.charAt(title.from - 1);
  if (inside === '' || notTitle.test(inside) || (open === '<' && /\d/.test(inside))) return 'none';
  const colon = /^[ \t*_]{0,6}:(?=[ \t*_]|$)/.exec(folded.slice(title.end, Math.min(lineEnd, title.end + 8)))?.[0].length ?? 0;
  const at = skipMarks(folded, title.end + colon, lineEnd);
  const tail = folded.slice(at, Math.min(lineEnd, at + 80));
  if ((open === '「' || open === '『') && tail !== '') return 'none'; // a law's name opens the text
  if (tail !== '' && (at === title.end && colon === 0 ? isCitedGlued(tail) : citedBehindTitle.test(tail))) return undefined;
  if (tail === '' && citedBelow.test(folded.slice(lineEnd, lineEnd + 16))) return undefined;
  return {
    title: wordsOf(original, title.from, title.to),
    textStart: at,
    looks: 3,
    hasText: tail !== '' && !/^\d{1,4}$/.test(tail.trim()),
  };
}

/** 을 is also a party: `(의무)을은 갑에게` is not a citation. */
const isCitedGlued = (tail: string): boolean => !/^을(?:은|이|에게|과|의)\s/.test(tail) && citedGlued.test(tail);

function readWords(
  original: string,
  folded: string,
  { from, to, end }: { from: number; to: number; end: number },
  doubtful: boolean,
): Read {
  const words = folded.slice(from, to);
  const split = /\s{0,4}(?:[①-⑳]| : |: |\t|\s{3,})/.exec(words.slice(0, 60));
  const before = split ? words.slice(0, split.index) : '';
  if (split && isTitle(before)) {
    const mark = /[①-⑳]$/.test(split[0]) ? 1 : 0;
    const cut = from + split.index + split[0].length - mark;
    return { title: wordsOf(original, from, from + split.index), textStart: cut, looks: doubtful ? 1 : 2, hasText: true };
  }
  if (end - from <= 60 && isTitle(words)) return { title: wordsOf(original, from, to), textStart: end, looks: doubtful ? 1 : 2 };
  return { textStart: from, looks: 1, hasText: true };
}

const endsOpen = /(?:[.,!?;~]|를|을|에|는|와|및|또는|하며|하고|하여|경우|따라|따른|대한|관한|위한|에서|으로|한다|이다|있다|없다|된다)$/;

/** True for a few words that do not form a sentence. */
export const isTitle = (words: string): boolean => {
  const trimmed = words.trim();
  return (
    trimmed !== '' &&
    trimmed.length <= 45 &&
    !endsOpen.test(trimmed) &&
    !/다\.|제\s?\d{1,5}\s?조|^\S{1,12}(?:은|는)\s|^(?:이|본|위)\s\S{1,10}(?:은|는)\s|[①-⑳]/.test(trimmed)
  );
};

const endOfLine = (text: string, at: number): number => {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found;
};

/** True if the text after a label, for example of a chapter, makes it a citation. */
export const isCited = (tail: string, glued: boolean): boolean => (glued ? citedGlued.test(tail) : citedBehindLabel.test(tail));
