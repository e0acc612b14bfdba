import type { Article, CrossReference } from '../contract-document.ts';
import { foldText } from './contract-lines.ts';
import { englishReferences } from './english-references.ts';
import { type Labels, labelsOf } from './labels.ts';

const sub = String.raw`(?:\s{0,2}의\s{0,2}\d{1,3}(?!\d|[.,]\d|(?:년|개월|개|월|일|항|호|인|명|배|%|퍼센트|회|분의|차|주|시간)))*`;
const paragraph = String.raw`(?:\s{0,2}제\s?(\d{1,3})\s?항)?(?:\s{0,2}제\s?\d{1,3}(?:의\d{1,2})?\s?호)?`;
const boundary = String.raw`(?=[\s,.)\]」"'”’]|제|의|에|와|과|및|를|은|는|단서|본문|$)`;
const citation = new RegExp(
  [
    String.raw`「([^「」\n]{1,80})」`,
    String.raw`(?<here>(?<![가-힣])(?:이|본)\s?(?:법|영|규칙|계약서?|약관|협약|합의서?|조례))`,
    String.raw`(?<same>(?<![가-힣])(?:같은\s?(?:법|영|규칙|조례)|동법)(?:\s?시행(?:령|규칙))?)`,
    String.raw`(?<addenda>부칙\s{0,3})?제\s{0,2}(?<number>\d{1,5})\s{0,2}조(?<subs>${sub})(?:\s?\([^()\n]{1,60}\)(?=\s?제\s?\d{1,3}\s?항|[의에을를은는과와,및\s]))?${paragraph}`,
    String.raw`(?<relative>(?<![가-힣])(?:전조|동조|본조|같은\s?조|이\s조))(?!\s?(?:신설|개정|제목))${boundary}${paragraph}`,
    String.raw`(?<kind>(?<![가-힣])(?:별지|별표|별첨|붙임|첨부))[ \t]{0,2}(?:제[ \t]?)?(?<exhibit>\d{1,3}(?:의\d{1,3})*)?(?:[ \t]?호)?(?:의(?<exhibitSub>\d{1,3})(?!\d))?`,
  ].join('|'),
  'g',
);
const lawName = /(?<![가-힣])((?:[가-힣·]{0,30}(?:법률|법|시행령|시행규칙|조례)|영|규칙)(?:\s시행(?:령|규칙))?)\s{0,2}$/;
const noLaw = /^(?:방법|위법|불법|적법|합법|편법|기법|문법|이법|본법)$/;
const chain = /^(?:[\s,·~]|및|또는|내지|부터|까지|와|과|이나|나|제\s?\d{1,3}\s?[항호]|본문|단서|전단|후단|각\s?호|중)*$/;
const rangeWord = /^\s?(?:부터|내지|~|에서)\s?$/;
const besideLaw = /^\s{0,2}(?:\([^()\n]{0,60}\))?\s{0,2}$/;
const maxChainChars = 40;
const maxRange = 60;
const maxSentenceChars = 400;
/** `제2조부터 제5조까지 생략` is not a citation. */
const omitted = /^제[^\n]{3,60}생략[^\n]{0,40}$/;

/** Finds the references of each article, and the articles of the document that they mean. */
export function findReferences(articles: readonly Article[], title: string): readonly Article[] {
  const labels = labelsOf(articles);
  return articles.map((article, index) => {
    if (article.deleted || omitted.test(article.text)) return article;
    const folded = foldText(article.text);
    const korean = koreanReferences({ article, previous: articles[index - 1], folded, labels, title });
    const english = englishReferences(article, folded, labels);
    return { ...article, references: english.length === 0 ? korean : [...korean, ...english].sort((a, b) => a.start - b.start) };
  });
}

interface Context {
  readonly article: Article;
  readonly previous: Article | undefined;
  readonly folded: string;
  readonly labels: Labels;
  readonly title: string;
}

function koreanReferences({ article, previous, folded, labels, title }: Context): readonly CrossReference[] {
  const found: CrossReference[] = [];
  const expanded = new Set<string>();
  let law: { readonly name: string; readonly end: number } | undefined;
  let own = -1;
  let last: { readonly reference: CrossReference; readonly end: number; readonly isArticle: boolean } | undefined;
  for (const match of folded.matchAll(citation)) {
    const groups = match.groups ?? {};
    const start = match.index;
    const end = start + match[0].length;
    const text = article.text.slice(start, end).trim();
    if (match[1] !== undefined) {
      if (match[1].replace(/\s/g, '') !== title.replace(/\s/g, '')) law = { name: article.text.slice(start + 1, end - 1), end };
      else own = end;
      continue;
    }
    if (groups.here !== undefined) {
      own = end;
      continue;
    }
    if (groups.same !== undefined) {
      if (law) law = { ...law, end };
      continue;
    }
    const between = last && start - last.end <= maxChainChars ? folded.slice(last.end, start) : undefined;
    const place = (reference: CrossReference, isArticle: boolean): void => {
      found.push(reference);
      last = { reference, end, isArticle };
    };
    const paragraphNumber = match.slice(1).find((value, i) => value !== undefined && paragraphGroups.has(i));
    const more = paragraphNumber === undefined ? {} : { paragraph: `제${Number(paragraphNumber)}항` };
    if (groups.relative !== undefined) {
      const target = relativeOf(groups.relative, article, previous, last?.reference);
      if (target) place({ text, ...target, ...more, start }, true);
      continue;
    }
    if (groups.kind !== undefined) {
      const number =
        groups.exhibit === undefined ? '' : ` ${groups.exhibit.replace(/\s/g, '')}${groups.exhibitSub ? `의${groups.exhibitSub}` : ''}`;
      const target = labels.exhibit(groups.kind, number);
      if (target) place({ text, ...target, start }, false);
      continue;
    }
    const gap =
      start - own <= 2 && own >= 0
        ? 'own'
        : law && besideLaw.test(folded.slice(law.end, start).slice(0, 70)) && start - law.end < 70
          ? 'law'
          : '';
    const bare = gap === '' ? lawName.exec(folded.slice(Math.max(0, start - maxChainChars), start))?.[1] : undefined;
    if (bare !== undefined && !noLaw.test(bare)) law = { name: bare, end: start };
    const isChained = gap === '' && between !== undefined && chain.test(between);
    const document =
      gap === 'law' || (bare !== undefined && !noLaw.test(bare)) ? law?.name : isChained ? last?.reference.document : undefined;
    const label = `제${Number(groups.number)}조${(groups.subs ?? '').replace(/\s/g, '')}`;
    const other = document ?? (gap === '' && law && !labels.has(label) && isSameSentence(folded, law.end, start) ? law.name : undefined);
    if (other !== undefined) {
      place({ text, ...more, document: other, start }, true);
      continue;
    }
    if (last?.isArticle && last.reference.label !== undefined && between !== undefined && rangeWord.test(between)) {
      const range = `${last.reference.label} ${label}`;
      const whole = { text: article.text.slice(last.reference.start, end), start: last.reference.start };
      if (!expanded.has(range))
        for (const target of labels.between(last.reference.label, label, maxRange)) found.push({ ...whole, ...target });
      expanded.add(range);
    }
    place({ text, ...labels.article(label, groups.addenda === undefined ? undefined : article), ...more, start }, true);
  }
  return found;
}

/** In `… 중 제288조에 대한 준용 부분, 제291조`, an article that the document lacks belongs to the law named before it. */
const isSameSentence = (folded: string, from: number, to: number): boolean =>
  to - from <= maxSentenceChars && !/다\.|\n\s{0,20}\n/.test(folded.slice(from, to));

/** Groups of `citation` with a paragraph number, counted from its first group. */
const paragraphGroups: ReadonlySet<number> = new Set([6, 8]);

function relativeOf(
  word: string,
  article: Article,
  previous: Article | undefined,
  last: CrossReference | undefined,
): Pick<CrossReference, 'label' | 'articleId' | 'document'> | undefined {
  const isThis = word.startsWith('이') || word.startsWith('본');
  if (isThis) return { label: article.label, articleId: article.id };
  if (word === '전조') return previous?.part === article.part ? { label: previous.label, articleId: previous.id } : undefined;
  if (last?.document !== undefined) return { document: last.document };
  if (last?.label !== undefined) return { label: last.label, ...(last.articleId === undefined ? {} : { articleId: last.articleId }) };
  return { label: article.label, articleId: article.id };
}
