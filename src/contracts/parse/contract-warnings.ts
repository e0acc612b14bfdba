import type { Article, ContractWarning } from '../contract-document.ts';
import { struckIn } from './struck-text.ts';

/** Returns the points to review: repeated and missing labels of the body, references to articles that the document lacks, and struck text. */
export function warningsOf(articles: readonly Article[]): readonly ContractWarning[] {
  const body = articles.filter(({ part }) => part === 'body');
  if (articles.length === 0) {
    return [
      {
        code: 'NO_ARTICLES',
        message: 'No article found. No line begins with 제1조, Article 1, 1. or a similar label. The document is read by paragraphs.',
      },
    ];
  }
  return [...repeated(articles), ...missing(body), ...broken(articles), ...struck(articles)];
}

function* repeated(articles: readonly Article[]): Generator<ContractWarning> {
  for (const { id, part, label } of articles) {
    if (part === 'body' && id !== `body/${label}`)
      yield { code: 'LABEL_REPEATED', message: `${label} occurs more than once.`, articleId: id };
  }
}

function* struck(articles: readonly Article[]): Generator<ContractWarning> {
  for (const { id, label, text } of articles) {
    const found = struckIn(text);
    if (found.length > 0)
      yield {
        code: 'TEXT_STRUCK',
        message: `${label} has struck-through text: ${found.map((words) => `“${words}”`).join(', ')}.`,
        articleId: id,
      };
  }
}

const numberOf = (label: string): number => Number(/^(?:제|Article |Section |Clause |)(\d{1,5})(?:조|$)/.exec(label)?.[1] ?? Number.NaN);
const through = /(?:내지|부터|및|와|과|[,~-])\s{0,3}제\s?(\d{1,5})\s?조/;

/** Finds gaps in the text order, counted from the highest number so far. */
function* missing(body: readonly Article[]): Generator<ContractWarning> {
  const present = new Set(body.map(({ label }) => numberOf(label)));
  let last = 0;
  for (const { id, label, deleted, text } of body) {
    const number = numberOf(label);
    if (Number.isNaN(number)) continue;
    const isExcerpt = last === 0 && number > 3;
    const [first, end] = [last + 1, number - 1];
    const gap = first <= end && !isExcerpt ? range(first, Math.min(end, first + 1_000)).filter((one) => !present.has(one)) : [];
    if (gap.length > 0) yield { code: 'LABEL_MISSING', message: `${describe(gap, label)} missing before ${label}.`, articleId: id };
    last = Math.max(last, number, deleted ? Number(through.exec(text)?.[1] ?? 0) : 0);
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const describe = (gap: readonly number[], like: string): string => {
  const [first = 0] = gap;
  const named = (number: number): string => like.replace(/\d+.*/, (rest) => `${number}${rest.includes('조') ? '조' : ''}`);
  return gap.length === 1 ? `${named(first)} is` : `${named(first)} to ${named(gap.at(-1) ?? first)} are`;
};

/** Skips addenda: they cite articles of other laws and of former versions, which may no longer exist. */
function* broken(articles: readonly Article[]): Generator<ContractWarning> {
  for (const { id, part, label, references } of articles) {
    if (part === 'addenda') continue;
    const seen = new Set<string>();
    for (const { label: cited, articleId } of references) {
      if (cited === undefined || articleId !== undefined || seen.has(cited)) continue;
      seen.add(cited);
      yield { code: 'REFERENCE_BROKEN', message: `${label} cites ${cited}, which does not exist.`, articleId: id };
    }
  }
}
