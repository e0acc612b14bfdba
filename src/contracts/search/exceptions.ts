import type { Article, CrossReference } from '../contract-document.ts';
import { withoutStruck } from '../parse/struck-text.ts';
import type { ContractPassage } from './contract-passages.ts';

/** A passage that changes what an article says. It may be a later paragraph of that article. */
export interface ContractException extends ContractPassage {
  /** The `id` of the article that it changes. */
  readonly changes: string;
}

/** Wording in front of a reference by which the referring text changes that article: `Notwithstanding Section 5`. */
const changesBefore =
  /(?:\bnotwithstanding|\bin (?:lieu|place|derogation) of|\binstead of|\b(?:as|by way of) (?:an )?exceptions? (?:to|from)|\bderogation from|\bdeviat(?:es?|ing|ion) from|\bdepart(?:ing|ure) from|\bcontrary to|\bnothing (?:in|contained in|under)|\bexempt(?:ed)? from|\bwithout regard to)\s[^.;,]{0,40}$/iu;
/** The same by a verb; without a negation, as in `nothing in this clause amends Section 3`. */
const replacesBefore = /^(?!.*\b(?:not|nothing|no|never)\b).*\b(?:supersedes?|replaces?|amends?|overrides?)\s[^.;,]{0,25}$/isu;
/** Wording behind a reference, in its sentence, by which the referring text changes that article: `Section 5 does not apply`. */
const changesBehind =
  /^[^.;]{0,80}?(?:\b(?:(?:shall|do|does|will|is|are|may)\s+not|no longer)\s+(?:apply|applies|applicable|extend|cover|include)\b|\b(?:is|are|shall be|will be)\s+(?:replaced|waived|suspended|deleted|amended|superseded|disapplied|extended|reduced|increased)\b|\bnotwithstanding\b)/iu;
/** `Section 2 of the Master Agreement` is a place of another document. */
const ofAnother = /^\s{1,2}of\s(?:the|that|such|a|an|its)\s(?!present\b|same\b)[A-Z]/u;
/** Further labels of a list: `제2조 및 제3조에도 불구하고` changes both. */
const listBehind =
  /^(?:\s{0,2}(?:[,·ㆍ~]|및|와|과|또는|내지|부터|에서|까지)\s{0,2}제\s?\d{1,3}\s?조(?:의\s?\d{1,2})?(?:\s?제\s?\d{1,2}\s?[항호])*(?:까지)?)+/u;
const koreanChangesBehind =
  /^(?:(?!제\s?\d|「|[음함임됨짐]에도)[^.\n]){0,20}불구하고|^(?:(?!제\s?\d|「|"|“)[^.\n]){0,60}?(?:적용(?:하|되)지\s?(?:아니|않)|적용(?:을|이)?\s?(?:배제|없)|배제(?:한다|된다|하고)|갈음하여|대신(?:하여)?\s|[와과]\s?달리|예외로|미치지\s?(?:아니|않)|제한(?:하|되)지\s?(?:아니|않)|우선(?:한다|하여|적용)|면제(?:한다|된다))/u;
/** `공휴일에는 제9조의 시간을 다음 영업일로 한다`: another value under a condition. */
const koreanReplaces = {
  before: /(?:에는|에만|경우(?:에는|에)?|때(?:에)?는?|동안(?:은|에는)?|한하여)\s{0,2}$/u,
  behind:
    /^의?\s?(?:(?!제\s?\d|「|"|“)[^.\n]){0,30}[을를]\s(?:(?!제\s?\d|「|"|“)[^.\n]){1,30}(?:으로|로)\s?(?:한다|본다|변경한다|대체한다)/u,
} as const;
/** Wording around a reference by which the article referred to changes the referring text: `Except as provided in Section 10`. */
const yieldsBefore =
  /(?:\b(?:except|unless|save|subject|other than|apart from|excluding)\b[^.;,]{0,50}|\bwithout prejudice to\s[^.;,]{0,20})$/iu;
const koreanYieldsBehind =
  /^[^.\n]{0,30}(?:경우[를가]?\s?(?:제외하고|제외하고는|아닌)|경우\s?(?:외에|이외)|제외하고|제외한|아니한\s?한|따로\s?정하|달리\s?정하|정(?:하는|한)\s?(?:바|경우)[^.\n]{0,10}(?:외에|제외)|유보하고)/u;

/** Beginning of a paragraph, behind its mark and a short title, that changes the paragraph before it. */
const changesLast =
  /^(?:[①-⑳]|\(?[a-z\d]{1,4}\)|\d[\d.]{0,6})?\s{0,3}(?:[A-Z][\w ,’'&-]{0,40}\.\s{1,3})?(?:다만,?|단,|그러나,?|그럼에도|전항에도|however,|notwithstanding\s(?:the\sforegoing|the\sabove|anything)|except\s(?:for|as|that|where|in)\b|provided,?\s(?:however,?\s)?that)/iu;
/** A paragraph that sets another one of its article aside by its number. */
const changesParagraph =
  /(제\s?\d{1,2}\s?항)(?:[^.\n]{0,12})?에도\s?불구하고|\bnotwithstanding\s(?:paragraph|subsection|sub-?clause|clause)\s(\([a-z\d]{1,3}\))/iu;

/** A text of an article that the reader sees. */
export interface ShownText {
  readonly article: Article;
  readonly text: string;
}

interface Within {
  readonly articles: readonly Article[];
  readonly passages: readonly ContractPassage[];
}

/**
 * Finds the passages that change some articles: those that set an article aside by its number, those that an article names as its
 * exceptions, and paragraphs of the article beyond the text that was shown.
 */
export function exceptionsTo(shown: readonly ShownText[], within: Within): readonly ContractException[] {
  const found = shown.flatMap((each) => [
    ...namedBy(each, within),
    ...within.articles.flatMap((other) => (other.id === each.article.id ? [] : settingAside(each, other, within))),
    ...laterParagraphs(each, within),
  ]);
  return [...new Map(found.map((each) => [`${each.changes} ${each.start}`, each])).values()];
}

/** Returns what the shown text names as its own exceptions, by their numbers. */
const namedBy = ({ article, text }: ShownText, { articles, passages }: Within): readonly ContractException[] =>
  article.references.flatMap((reference) => {
    const { near, before, behind } = sentenceAround(article.text, reference);
    if (reference.articleId === article.id || !text.includes(near) || isStruckIn(article, near)) return [];
    if (!(yieldsBefore.test(before) || koreanYieldsBehind.test(behind))) return [];
    const named = articles.find(({ id, deleted }) => id === reference.articleId && !deleted);
    const own = passages.filter((each) => each.article.id === named?.id);
    const passage = own.length === 1 ? own[0] : own.find((each) => begins(each.text, reference.paragraph));
    return passage === undefined ? [] : [toException(passage, article)];
  });

/** Returns the passages of another article that set this one aside, or the one around it, or the paragraph that is shown. */
const settingAside = ({ article, text }: ShownText, other: Article, { passages }: Within): readonly ContractException[] =>
  other.references.flatMap((reference) => {
    // addenda (부칙) of a statute change other laws, and say when an article began to apply
    if (other.part === 'addenda' && article.part !== 'addenda') return [];
    if (reference.articleId === undefined || ![article.id, article.parentId].includes(reference.articleId)) return [];
    const { near, before, behind } = sentenceAround(other.text, reference);
    if (!setsAside(before, behind) || isStruckIn(other, near)) return [];
    if (text.length < article.text.length && !holds(text, reference.paragraph)) return [];
    const passage = passages.find((each) => each.article.id === other.id && each.text.includes(near));
    return passage === undefined ? [] : [toException(passage, article)];
  });

function setsAside(before: string, behind: string): boolean {
  if (ofAnother.test(behind)) return false;
  const rest = behind.replace(listBehind, '');
  return (
    changesBefore.test(before) ||
    replacesBefore.test(before) ||
    changesBehind.test(behind) ||
    koreanChangesBehind.test(rest) ||
    (koreanReplaces.before.test(before) && koreanReplaces.behind.test(rest))
  );
}

/** True if the words are struck through: they change nothing. */
const isStruckIn = ({ text }: Article, words: string): boolean => !withoutStruck(text).includes(words);

/** The first mark of a paragraph as an article writes it: `②` for `제2항`, `(a)` for `(a)(iii)`, `18.2`. */
function markOf(paragraph: string): string {
  const korean = /^제(\d{1,2})항$/u.exec(paragraph)?.[1];
  return korean === undefined ? (/^\([^()]*\)|^[\d.]+/u.exec(paragraph)?.[0] ?? paragraph) : String.fromCodePoint(0x245f + Number(korean));
}

const begins = (text: string, paragraph: string | undefined): boolean => paragraph !== undefined && text.startsWith(markOf(paragraph));
const holds = (text: string, paragraph: string | undefined): boolean => paragraph === undefined || text.includes(markOf(paragraph));

/** Returns the paragraphs behind the shown text that change it. */
function laterParagraphs({ article, text }: ShownText, { passages }: Within): readonly ContractException[] {
  const own = passages.filter((passage) => passage.article.id === article.id);
  return own
    .filter((passage, index) => {
      const last = own[index - 1]?.text.slice(-nearChars);
      if (last === undefined || text.includes(passage.text)) return false;
      if (text.includes(last) && changesLast.test(passage.text)) return true;
      const [, korean, english] = changesParagraph.exec(passage.text) ?? [];
      const named = korean?.replace(/\s/gu, '') ?? english;
      return named !== undefined && !begins(passage.text, named) && holds(text, named);
    })
    .map((passage) => toException(passage, article));
}

/** The first passage of an article begins with its heading, which is not repeated. */
export function toException(passage: ContractPassage, changed: Article): ContractException {
  const heading = Math.max(0, passage.text.indexOf(passage.article.text.trim().slice(0, 40)));
  return { ...passage, text: passage.text.slice(heading), start: passage.start + heading, changes: changed.id };
}

/** Wording that sets aside any other article: it matters where it is about the question. */
const setsAnyAside =
  /\bnotwithstanding\s(?:anything|any\s(?:other\s)?(?:provisions?|terms?|clauses?|sections?|articles?)|(?:the\s)?other\s)|(?:이|본)\s?계약[^.\n]{0,20}불구하고|다른\s(?:조항|규정|약정|내용)[^.\n]{0,15}불구하고/iu;
const isSpecialTerm = ({ label, title, chapter }: Article): boolean =>
  /특약|특별약정|특수조건|\b(?:special|additional|supplementary)\s(?:terms|conditions|provisions|stipulations)\b|^riders?\b/iu.test(
    `${label} ${title} ${chapter}`,
  );

/** True for a passage that goes before any other article: a special term, or `Notwithstanding anything to the contrary, …`. */
export const goesBeforeOthers = ({ text, article }: ContractPassage): boolean => isSpecialTerm(article) || setsAnyAside.test(text);

/** Returns the text behind `Notwithstanding anything to the contrary in this Agreement,` or `이 계약의 다른 규정에도 불구하고`. */
export function ownRule({ text }: ContractPassage): string {
  const at = text.search(setsAnyAside);
  const behind = at < 0 ? -1 : text.slice(at).search(/,\s|불구하고/u);
  return behind < 0 ? text : text.slice(at + behind).replace(/^(?:,|불구하고)\s*/u, '');
}

const sentenceEnd = /[.;]\s+(?=["“(]?[A-Z가-힣\d①-⑳])|\n[^\S\n]*\n|(?=[①-⑳])/gu;
/** Longer sentences are cut: a reference acts on the words near it. */
const maxSentenceChars = 400;
const nearChars = 30;

/** Returns the text of a reference's sentence on both sides of it, and its nearest words with it. */
function sentenceAround(
  text: string,
  { start, text: written }: CrossReference,
): { readonly near: string; readonly before: string; readonly behind: string } {
  const behindAt = start + written.length;
  const before =
    text
      .slice(Math.max(0, start - maxSentenceChars), start)
      .split(sentenceEnd)
      .at(-1) ?? '';
  const behind = text.slice(behindAt, behindAt + maxSentenceChars).split(sentenceEnd)[0] ?? '';
  return { near: before.slice(-nearChars) + written + behind.slice(0, nearChars), before, behind };
}
