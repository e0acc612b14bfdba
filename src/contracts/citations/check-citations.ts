import type { Citation, CitationStatus } from '../../core/ports/citation.ts';
import { hasQuote, type Quote, quotesOf } from '../../core/text/quotes.ts';
import type { ContractDocument } from '../contract-document.ts';
import { findParts } from './find-part.ts';
import { type CitedLabel, labelText, readLabels } from './read-labels.ts';
import { reversedPermissions } from './reversed-permissions.ts';
import { unsupportedForums } from './supported-forums.ts';
import { unsupportedValues } from './supported-values.ts';

/** A part that was read before the answer was written. */
export interface ReadPart {
  /** The `id` of the article, or of its part from `findParts`. */
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly text: string;
}

export interface CheckCitationsOptions {
  /** The contracts that an answer may cite. */
  readonly documents: readonly ContractDocument[];
  readonly read: readonly ReadPart[];
  /** Other findings from the contracts. The answer may cite the places that they name. */
  readonly findings?: readonly string[];
  /** The question, the conversation, the date. The answer may repeat their words and figures, but the places in them are still checked. */
  readonly background?: readonly string[];
}

/**
 * Checks the citations of an answer: places, quotes, and figures with units. Ignores places of another law that the answer names. An answer
 * may state that a place does not exist. Quotes are compared without blanks, quotation marks and Markdown marks; text left out as `…` is
 * not compared. A figure may result from others by a calculation that the answer shows.
 *
 * @example checkCitations('제99조에 따르면 1억원입니다.', { documents: [contract], read: [] })
 * // [{ label: '제99조', quote: '', status: 'unknown' }, { label: '', quote: '1억원', status: 'unsupported' }]
 */
export function checkCitations(answer: string, options: CheckCitationsOptions): readonly Citation[] {
  const { documents, read, findings = [], background = [] } = options;
  const titles = documents.map(({ title }) => title);
  const mentioned = new Set([...read.map(({ text }) => text), ...findings].flatMap((text) => readLabels(text, { titles }).map(labelText)));
  const judge = (label: CitedLabel): CitationStatus =>
    statusOf(label, { documents, read, isMentioned: mentioned.has(labelText(label)), isDenied: isDenied(answer, label) });
  const labels = readLabels(answer, { titles })
    .filter(({ document }) => document === undefined)
    .flatMap((label) => (isList(label, judge) ? label.neighbours : [label]));
  const found = quotesOf(answer);
  // a place named inside a quote, even in a line too short to check, is not the source of the next quote
  const quoteLines = Array.from(answer.matchAll(/^[ \t]*>.*$/gmu), ({ 0: all, index }) => ({ start: index, end: index + all.length }));
  const inside = [...found, ...quoteLines];
  const naming = labels.filter(({ start, end }) => !inside.some((quote) => quote.start <= start && end <= quote.end));
  const quotes = found.map((quote) => checkQuote(quote, placesOfQuote(quote, { answer, labels: naming }), options));
  const matched = quotes.filter(({ status }) => status === 'supported');
  const isQuoted = ({ start, end }: CitedLabel): boolean => matched.some((quote) => quote.start <= start && end <= quote.end);
  const cited = new Map<string, Citation>();
  for (const label of labels) {
    if (isQuoted(label)) continue;
    const name = labelText(label);
    // a label that is wrong once stays wrong
    if (cited.get(name)?.status !== 'unknown') cited.set(name, { label: name, quote: '', status: judge(label) });
  }
  const own = blanked(answer, [...labels, ...matched]);
  const texts = [...read.map(({ title, text }) => `${title}\n${text}`), ...findings];
  const sources = [...texts, ...background];
  const unsupported = [...unsupportedValues(own, sources), ...unsupportedForums(own, sources), ...reversedPermissions(own, texts)];
  return [
    ...cited.values(),
    ...quotes.map(({ label, quote, status }) => ({ label, quote, status })),
    ...unsupported.map((quote): Citation => ({ label: '', quote, status: 'unsupported' })),
  ];
}

/** `See also: Exhibit A, Section 3` names two places if both exist, and the section inside the exhibit does not exist or was not read. */
function isList(
  label: CitedLabel,
  judge: (label: CitedLabel) => CitationStatus,
): label is CitedLabel & { readonly neighbours: readonly CitedLabel[] } {
  const status = judge(label);
  const better: readonly CitationStatus[] = status === 'unknown' ? ['supported', 'unread'] : status === 'unread' ? ['supported'] : [];
  return label.neighbours?.every((one) => better.includes(judge(one))) === true;
}

interface CitationContext {
  readonly documents: readonly ContractDocument[];
  readonly read: readonly ReadPart[];
  readonly isMentioned: boolean;
  readonly isDenied: boolean;
}

function statusOf(label: CitedLabel, { documents, read, isMentioned, isDenied }: CitationContext): CitationStatus {
  const found = documents.flatMap((document) => findParts(document, label).found.map((part) => ({ document, part })));
  if (found.length === 0) return isMentioned || isDenied ? 'supported' : 'unknown';
  const isRead = found.some(({ document, part }) => {
    const family = new Set([part.article.id, part.article.parentId]);
    const children = new Set(document.articles.filter(({ parentId }) => parentId === part.article.id).map(({ id }) => id));
    return read.some(
      ({ id }) =>
        [...family].some((one) => one !== undefined && (id === one || (one === part.article.id && id.startsWith(`${one} `)))) ||
        children.has(id),
    );
  });
  return isRead || isMentioned ? 'supported' : 'unread';
}

const numbered = String.raw`(?:(?:an?|any|the)\s)?(?:(?:article|section|clause)s?\s)?[\d.]{1,9}`;
const contractName = String.raw`(?:this|the|your|our)\s(?:[a-z]{1,20}\s)?(?:contract|agreement|document|lease)`;
const title = String.raw`(?:\s?\([^()\n]{0,60}\))?`;
/** The denial ends here, or names the contract: `does not appear to limit` says something else. */
const denialEnds = String.raw`(?=\s*(?:$|[.,;:!?)\n])|\s(?:in|from|anywhere|here|at all|and|so|or|but)\b)`;
const koreanBehind = String.raw`${title}(?:\s?(?:[,·]|와|과|및|나)\s?제?\s?\d{1,5}조(?:의\d{1,2})?){0,8}(?:\s자체)?(?:(?:에 해당하는|이?라는|이?란)\s(?:조항|조문|규정|것))?(?:은|는|이|가|을|를|도)?(?:\s(?:조항|조문|규정|내용)(?:은|는|이|가|을|를|도)?)?\s{0,2}(?:이?\s?계약서?에(?:는|서)?\s)?(?:아예\s|전혀\s)?(?:없(?:습|다|고|으(?!면)|는|어(?!\s?[지서])|음|지(?!\s?않))|찾지\s?못|찾을\s?수\s?없|존재하지\s?않|(?:포함|규정|확인)되(?:어\s?있)?지\s?않|(?:나오|보이)지\s?않|삭제(?:된|됐|되었|되어\s?있|입니다|\s{0,2}(?:$|[.,;)\n])))`;
const deniedBehind = new RegExp(
  String.raw`^${koreanBehind}|^${title}(?:\s?:)?\s(?:(?:do|does|did)(?: not|n['’]t) (?:exist|appear)${denialEnds}|(?:appears?|exists?|is|are) nowhere\b|(?:is|are|was|were)(?: not|n['’]t) (?:there\b|found${denialEnds}|(?:included |found )?(?:in|part of) ${contractName}\b)|(?:is|are) (?:missing|absent)(?=\s*(?:$|[.,;:!?)\n])|\s(?:from|in|here)\b)|(?:is|was|has been|have been) deleted(?=\s*(?:$|[.,;:!?)\n])|\s(?:in|from) ${contractName})|(?:cannot|can['’]t|could not|couldn['’]t) be (?:found|located)|not found${denialEnds})`,
  'iu',
);
const deniedBefore = new RegExp(
  String.raw`(?:\bno|\bwithout|\bneither|(?:\bnot|n['’]t) (?:have|contain|include|find|see)|\bcannot find|\bthere (?:is|are|was|were)(?: not|n['’]t))\s(?:${numbered},?\s(?:(?:or|and|nor)\s)?){0,8}(?:such\s|an?y?\s|the\s){0,2}$`,
  'iu',
);
/**
 * Matches the end of `no Section 9`. In `no Section 9 notice` and `neither Section 8 nor Section 9 permits` the negation concerns something
 * else.
 */
const deniedEnd = new RegExp(
  String.raw`^(?:,?\s(?:or|and|nor)\s${numbered}){0,8}${title}(?:$|[,;:!?)"”\n]|\.(?!\d)|\s(?:exists?|in|of|on|about|here|at|(?:or|and|but)(?!\s${numbered})|that|which|[a-z]{3,15}ing|titled|called)\b)`,
  'iu',
);

/** True if the words around the place say that it does not exist, as in `이 계약에는 제99조가 없습니다`. Negations elsewhere do not count. */
function isDenied(answer: string, { start, end }: CitedLabel): boolean {
  const behind = answer.slice(end, end + 160);
  return deniedBehind.test(behind) || (deniedBefore.test(answer.slice(Math.max(0, start - 120), start)) && deniedEnd.test(behind));
}

/**
 * Returns the places that a quote is said to be from: the one in brackets behind it, otherwise the last one before it. `제3조와 제5조: “…”` names
 * two, and `제3조, 제5조(“…”)` only the last.
 */
function placesOfQuote(
  quote: Quote,
  { answer, labels }: { readonly answer: string; readonly labels: readonly CitedLabel[] },
): readonly CitedLabel[] {
  const behind = labels.find(({ start }) => start >= quote.end && /^\s?[([]\s?$/u.test(answer.slice(quote.end, start)));
  if (behind) return [behind];
  const last = labels.findLastIndex(({ end }) => end <= quote.start && quote.start - end <= 200);
  const [named] = last < 0 ? [] : labels.slice(last, last + 1);
  if (named === undefined) return [];
  const places = [named];
  if (/^\s?[([]\s?$/u.test(answer.slice(named.end, quote.start))) return places;
  for (let at = last - 1; at >= 0; at--) {
    const [before, next] = [labels[at], labels[at + 1]];
    if (!before || !next || !/^\s?(?:,|·|및|와|과|또는|이나|,?\s?(?:and|or)|&)?\s?$/u.test(answer.slice(before.end, next.start))) break;
    places.push(before);
  }
  return places;
}

function checkQuote(
  quote: Quote,
  places: readonly CitedLabel[],
  { documents, read, findings = [], background = [] }: CheckCitationsOptions,
): Quote & Citation {
  const [named] = places;
  const has = (text: string): boolean => hasQuote(text, quote.quote);
  const holders = read.filter(({ label, title, text }) => has(`${label} ${title} ${text}`));
  if (holders.length === 0) {
    // a quote of the question may skip words
    const words = quote.quote.replace(/\s+/gu, '…');
    const isKnown = findings.some(has) || background.some((text) => hasQuote(text, words));
    return { ...quote, label: named ? labelText(named) : '', status: isKnown ? 'supported' : 'misquoted' };
  }
  // a place on the same line is the claimed source, so it must contain the quote
  const isNear = named !== undefined && quote.start - named.end <= 40;
  const parts = isNear ? documents.flatMap((document) => places.flatMap((place) => findParts(document, place).found)) : [];
  const isThere =
    parts.length === 0 ||
    parts.some(({ text, article: { title, written }, label }) => [label, written].some((heading) => has(`${heading} ${title} ${text}`)));
  const isElsewhere = !isThere && read.some(({ id }) => parts.some(({ article }) => id === article.id || id.startsWith(`${article.id} `)));
  return { ...quote, label: named ? labelText(named) : '', status: isElsewhere ? 'misquoted' : 'supported' };
}

/** Replaces ranges of a text by blanks, so that all other positions stay. */
function blanked(text: string, stretches: readonly { readonly start: number; readonly end: number }[]): string {
  let result = text;
  for (const { start, end } of stretches) result = result.slice(0, start) + ' '.repeat(Math.max(0, end - start)) + result.slice(end);
  return result;
}
