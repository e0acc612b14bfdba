import type { Article, CrossReference } from '../contract-document.ts';
import type { CitationTarget, Labels } from './labels.ts';
import { romanNumber } from './roman-number.ts';

const citation =
  /\b(article|section|clause)(s?)\s{1,3}(\d{1,3}(?:\.\d{1,3}){0,3}|[IVXLC]{1,8}\b)((?:\([a-z0-9]{1,4}\)){0,3})|\b(exhibit|schedule|annex|appendix|attachment)\s{1,3}([A-Z](?![A-Za-z])(?:-?\d{1,2})?|\d{1,3}(?:\.\d)?|[IVX]{1,6}\b)/gi;
const further =
  /\s{0,2}(,\s{0,2}(?:and|or)|,|and|or|to|through|[–-])\s{0,2}(\d{1,3}(?:\.\d{1,3}){0,3})(?![\w%])(?!\s(?:days?|months?|years?|hours?|percent|business|calendar))/y;
const ofOther = /\s{1,2}of\s(?:the\s)?([A-Z][\w'’-]{0,30}(?:\s(?:[A-Z][\w'’-]{0,30}|of|and|the|on|for)){0,8})/y;
const isLaw = /\b(?:Act|Code|Law|Regulation|Convention|Directive|Treaty|Statute|GDPR|Ordinance|Rules)\b/;
const maxRange = 60;

/** Finds `Article 5`, `Sections 5.1 and 5.2`, `Exhibit A` in an English contract. Returns nothing for a contract without such labels. */
export function englishReferences({ text }: Pick<Article, 'text'>, folded: string, labels: Labels): readonly CrossReference[] {
  const isEnglish = labels.hasKind('Article') || labels.hasKind('Section') || labels.hasKind('Clause');
  if (!isEnglish && !['Exhibit', 'Schedule', 'Annex', 'Appendix', 'Attachment'].some(labels.hasKind)) return [];
  const found: CrossReference[] = [];
  for (const match of folded.matchAll(citation)) {
    const [all, word, plural, number = '', sub = '', kind, letter = ''] = match;
    const start = match.index;
    if (kind !== undefined) {
      const exhibit = labels.exhibit(capital(kind), ` ${letter.toUpperCase()}`);
      if (exhibit && labels.hasKind(capital(kind))) found.push({ text: text.slice(start, start + all.length), ...exhibit, start });
      continue;
    }
    if (word === undefined || !isEnglish) continue;
    const numbers = [/^\d/.test(number) ? number : String(romanNumber(number))];
    let end = start + all.length;
    for (further.lastIndex = end; plural !== ''; further.lastIndex = end) {
      const next = further.exec(folded);
      if (!next) break;
      if (/to|through|[–-]/.test(next[1] ?? '')) numbers.push(...inBetween(numbers.at(-1) ?? '', next[2] ?? ''));
      numbers.push(next[2] ?? '');
      end = further.lastIndex;
    }
    ofOther.lastIndex = end;
    const other = ofOther.exec(folded)?.[1];
    const whole = text.slice(start, end);
    for (const one of numbers) {
      if (other !== undefined && isLaw.test(other)) found.push({ text: whole, document: other, start });
      else found.push({ text: whole, ...(sub === '' ? {} : { paragraph: sub }), ...targetOfWord(capital(word), one, labels), start });
    }
  }
  return found;
}

/** Resolves a reference; `Section 5.1` may be a paragraph of `Article 5`. */
function targetOfWord(word: string, number: string, labels: Labels): CitationTarget {
  const exact = `${word} ${number}`;
  if (labels.has(exact)) return labels.article(exact);
  const [first = ''] = number.split('.');
  const outer = [`${word} ${first}`, `Article ${first}`, `Section ${first}`, `Clause ${first}`].find(labels.has);
  if (outer === undefined) return { label: exact };
  return { ...labels.article(outer), ...(first === number ? {} : { paragraph: number }) };
}

function inBetween(from: string, to: string): readonly string[] {
  const [first, last] = [Number(from), Number(to)];
  if (!Number.isInteger(first) || !Number.isInteger(last) || last - first > maxRange) return [];
  return Array.from({ length: Math.max(0, last - first - 1) }, (_, i) => String(first + 1 + i));
}

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
