import { bracketed } from './bracketed.ts';
import { type Heading, type HeadingSource, skipMarks, strengthOf, wordsOf } from './heading.ts';
import { isCited, isTitle } from './korean-heading.ts';

const chapter = /^제\s{0,3}(\d{1,4})\s{0,3}(편|장|절|관)((?:\s?의\s?\d{1,3})?)/;
const addenda = /^[[<【(]?부\s{0,6}칙(?=[\s\]>】)<([:.,]|제\s?\d|$)[\]>】)]?/;
const exhibit =
  /^[[<【(]?\s{0,2}(별지|별표|별첨|붙임|첨부|부록)(?![가-힣])\s{0,3}((?:제\s{0,2})?(?:(?:No\.?|#)\s?)?(\d{1,3})(?:\s?호)?((?:\s?의\s?\d{1,3})*)(?:\s?호)?)?(?:\s{0,3}(?:서식|양식)(?=\s|[\]>】)]|$))?/;
/** Label of the terms agreed in addition to the printed articles. */
export const specialTerms = '특약사항';

const specialTermsAlone = /^[[<【(]?\s{0,2}특약\s{0,2}(?:사항|조항)\s{0,2}[\]>】)]?\s{0,2}(?:\([^()]{1,60}\)\s{0,2})?:?$/;
const citedGlued = /^(?:의|에|과|와|을|를|은|는|로|같|등|및|또는|내지|처럼|포함|각|기재|참조|참고|중|서류|문서|[,~·]|으로|이\s)/;
/** Matches a particle on its own after a blank: 과태료 and 의견서 only begin like one. */
const citedSpaced =
  /^(?:(?:의|에|에서|에게|에는|에도|과|와|을|를|은|는|이|로|으로|등|등의|등을|및|또는|내지|부터|까지|처럼|각|중|중에|중에서)(?=[\s,.)]|$)|같[은이다]|포함(?:한|하|된|되)|기재(?:된|의|한|와|하)|참조|참고|[,~·])/;

/** Reads the heading of a chapter, of addenda, of an exhibit or of special terms. */
export function partHeading(source: HeadingSource): Heading | undefined {
  return chapterHeading(source) ?? addendaHeading(source) ?? exhibitHeading(source) ?? specialTermsHeading(source);
}

function chapterHeading({ original, folded, line, index }: HeadingSource): Heading | undefined {
  const found = chapter.exec(line.core);
  if (!found) return undefined;
  const [all, number = '', kind = '', sub = ''] = found;
  const behind = line.coreStart + all.length;
  const at = skipMarks(folded, behind, line.end);
  const rest = folded.slice(at, Math.max(at, line.coreStart + line.core.length));
  if (rest !== '' && isCited(rest, at === behind)) return undefined;
  const words = rest.replace(/^[.:–—-]\s{0,3}/, '');
  const plain = words.replace(/^[([【](.{1,60})[)\]】]$/, '$1');
  const bare = plain.replace(/\s{0,3}<[^<>]{0,120}>$/, '');
  if (bare !== '' && line.hashes === 0 && !isTitle(bare)) return undefined;
  const from = at + (rest.length - words.length);
  return {
    kind: 'chapter',
    line: index,
    scheme: '',
    label: `제${Number(number)}${kind}${sub.replace(/\s/g, '')}`,
    labelEnd: behind,
    numbers: [Number(number)],
    through: 0,
    title: wordsOf(original, from, Math.max(from, line.coreStart + line.core.length)).replace(/^[([【](.{1,60})[)\]】]$/, '$1'),
    textStart: line.end,
    strength: strengthOf(line, 2),
    hasText: false,
  };
}

function addendaHeading({ original, line, index }: HeadingSource): Heading | undefined {
  const found = addenda.exec(line.core) ?? /^(?:addenda|addendum|supplementary provisions)\s*$/i.exec(line.core);
  if (!found) return undefined;
  const rest = line.core.slice(found[0].length);
  if (!isNumberAndDate(rest)) return undefined;
  const from = line.coreStart + found[0].length;
  const title = wordsOf(original, from, line.coreStart + line.core.length).replace(/^[:.\s]+/, '');
  return {
    kind: 'addenda',
    line: index,
    scheme: '',
    label: /^a|^s/i.test(line.core) ? 'Addenda' : '부칙',
    labelEnd: from,
    numbers: [],
    through: 0,
    title: /^[([<〈][^()[\]<>〈〉]*[)\]>〉]$/.test(title) ? title.slice(1, -1) : title,
    textStart: line.end,
    strength: strengthOf(line, 3),
    hasText: false,
  };
}

/** True for `(은행법) <제10303호, 2010. 5. 17.>`, `제2026-1호`, `2026. 1. 1.` */
export function isNumberAndDate(words: string): boolean {
  for (let at = 0; at < words.length; at++) {
    const inBrackets = '(<['.includes(words.charAt(at)) ? bracketed(words, at) : undefined;
    if (inBrackets) at = inBrackets.end - 1;
    else if (!/[\d\s.,:/*_년월일제호-]/.test(words.charAt(at))) return false;
  }
  return true;
}

function exhibitHeading({ original, folded, line, index }: HeadingSource): Heading | undefined {
  const found = exhibit.exec(line.core);
  if (!found) return undefined;
  const [all, kind = '', , number = '', sub = ''] = found;
  const framed = '[<【('.includes(line.core.charAt(0));
  const frame = framed ? bracketed(folded, line.coreStart) : undefined;
  const behind = line.coreStart + all.trimEnd().length;
  const coreEnd = line.coreStart + line.core.length;
  if (framed && (!frame || frame.end > line.end)) return undefined;
  const inFrame = frame ? folded.slice(behind, frame.to) : '';
  const behindFrame = frame ? frame.end : behind;
  const at = skipMarks(folded, behindFrame, line.end);
  const rest = folded.slice(at, Math.max(at, coreEnd));
  const words = rest.replace(/^[.:–—-]\s{0,3}/, '');
  const inBrackets = '(['.includes(words.charAt(0)) ? bracketed(folded, coreEnd - words.length) : undefined;
  const plain = inBrackets?.end === coreEnd;
  const isLong = /[.]$|다$/.test(words) || words.length > 80;
  if (isExhibitCited(inFrame.trim(), !/^\s/.test(inFrame)) || isExhibitCited(words, words === rest && at === behindFrame)) return undefined;
  if (isLong && !plain && line.hashes === 0) return undefined;
  if (!frame && (number !== '' || words !== '') && at === behind && rest !== '' && /^[가-힣]/.test(rest)) return undefined;
  if (number === '' && !frame && words !== '' && words === rest && line.hashes === 0 && !line.bold) return undefined;
  const from = at + (rest.length - words.length) + (plain ? 1 : 0);
  const title = wordsOf(original, from, Math.max(from, coreEnd - (plain ? 1 : 0)));
  return {
    kind: 'exhibit',
    line: index,
    scheme: '',
    label: number === '' ? kind : `${kind} ${Number(number)}${sub.replace(/\s/g, '')}`,
    labelEnd: behind,
    numbers: number === '' ? [] : [Number(number)],
    through: 0,
    title: title === '' && frame ? wordsOf(original, behind, frame.to).replace(/^[(:\s]+|[)\s]+$/g, '') : title,
    textStart: line.end,
    strength: strengthOf(line, frame || words === '' || words !== rest || plain ? 3 : 2),
    hasText: false,
  };
}

const englishTermsAlone = /^[[(]?special (?:terms|conditions|provisions|stipulations)(?: and conditions)?[\])]?:?$/i;

/** Reads `[특약사항]`, `특약 사항:` or `Special Terms` alone on a line: printed lease forms have it after their articles. */
function specialTermsHeading({ line, index }: HeadingSource): Heading | undefined {
  const isEnglish = englishTermsAlone.test(line.core);
  if (!isEnglish && !specialTermsAlone.test(line.core)) return undefined;
  const strength = strengthOf(line, 3);
  return {
    kind: 'exhibit',
    line: index,
    scheme: '',
    label: isEnglish ? 'Special Terms' : specialTerms,
    labelEnd: line.coreStart + line.core.length,
    numbers: [],
    through: 0,
    title: '',
    textStart: line.end,
    strength,
    hasText: false,
  };
}

const isExhibitCited = (words: string, glued: boolean): boolean =>
  glued ? citedGlued.test(words) && !isTitleOfExhibit(words) : citedSpaced.test(words);

/** Accepts a title after an exhibit's label; 과업, 의뢰, 중도, 등록 … only begin like a particle. */
const isTitleOfExhibit = (words: string): boolean =>
  /^(?:과업|과제|의뢰|의견|중도|중간|중요|등록|등급|각서|각종|을지|은행|로고|이행|서류|문서|등기)/.test(words);
