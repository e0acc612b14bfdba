import { comparableKey, contractValues } from '../compare/contract-values.ts';
import type { ClauseKind, ClauseRule } from './clause-kind.ts';
import { clauseKinds } from './clause-kinds.ts';
import type { ReviewFinding, ReviewLanguage } from './contract-review.ts';
import { negationOf } from './negations.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';
import { bothSides, type ReviewSides } from './review-sides.ts';

export interface FindClausesOptions {
  readonly sides: ReviewSides;
  /** Language of titles and reasons. */
  readonly language: ReviewLanguage;
}

interface CompiledRule {
  readonly rule: ClauseRule;
  readonly match: RegExp;
  readonly and?: RegExp;
  readonly unless?: RegExp;
  readonly unlessNear?: RegExp;
}

/** Returns the clauses to look at, in text order. A sentence has each kind at most once. */
export function findClauses(sentences: readonly ReviewSentence[], { sides, language }: FindClausesOptions): readonly ReviewFinding[] {
  const rules = { en: compiled('en', sides), ko: compiled('ko', sides) };
  const found = sentences.flatMap((sentence) => {
    if (sentence.article.part === 'preamble') return [];
    const spoken = /[가-힣]/.test(sentence.text) ? 'ko' : 'en';
    return [...rules[spoken]].flatMap(([kind, each]): readonly { kind: ClauseKind; finding: ReviewFinding }[] => {
      const hit = each.map((one) => apply(one, sentence, sides)).find((one) => one !== undefined);
      if (!hit) return [];
      const { burdens, at, confidence } = hit;
      const finding: ReviewFinding = {
        kind: kind.kind,
        title: kind.title[language],
        reason: kind.reason[language],
        ...(burdens === undefined ? {} : { burdens }),
        confidence,
        passage: passageOf(sentence, at),
        from: 'rules',
      };
      return [{ kind, finding }];
    });
  });
  const isMutual = (kind: string): boolean => {
    const burdened = new Set(found.filter(({ finding }) => finding.kind === kind).map(({ finding }) => finding.burdens));
    return sides.parties.length > 1 && sides.parties.every(({ role }) => burdened.has(role));
  };
  return found
    .filter(({ kind, finding }) => !kind.fairIfMutual || (finding.burdens !== bothSides && !isMutual(kind.kind)))
    .map(({ finding }) => finding);
}

function compiled(language: ReviewLanguage, sides: ReviewSides): ReadonlyMap<ClauseKind, readonly CompiledRule[]> {
  const expression = (source: string): RegExp => new RegExp(source.replaceAll('{who}', `(?<who>${sides.source})["”’'」』]?`), 'i');
  return new Map(
    clauseKinds.map((kind) => [
      kind,
      kind.rules[language].map((rule) => ({
        rule,
        match: expression(rule.match),
        ...(rule.and === undefined ? {} : { and: expression(rule.and) }),
        ...(rule.unless === undefined ? {} : { unless: expression(rule.unless) }),
        ...(rule.unlessNear === undefined ? {} : { unlessNear: expression(rule.unlessNear) }),
      })),
    ]),
  );
}

/** A cap may stand in another paragraph of the article. */
const penalty = /지체\s?상금|위약|배상금|penalt|liquidated|delay damages|service credit/i;

interface Hit {
  readonly burdens?: string;
  readonly at: number;
  readonly confidence: 'certain' | 'look';
}

function apply({ rule, match, and, unless, unlessNear }: CompiledRule, sentence: ReviewSentence, sides: ReviewSides): Hit | undefined {
  const { text, paragraph } = sentence;
  const found = nearestMatch(match, text);
  if (
    !found ||
    (and && !and.test(text)) ||
    unless?.test(text) ||
    unlessNear?.test(paragraph) ||
    (unlessNear && sentence.article.text.split(/(?<=[.다])\s|\n/).some((one) => penalty.test(one) && unlessNear.test(one)))
  )
    return undefined;
  if (rule.days && !hasPeriod(text, rule.days)) return undefined;
  if (rule.interestAbove !== undefined && !hasInterestAbove(text, rule.interestAbove)) return undefined;
  const negation = negationOf(text, found, `${rule.match} ${rule.and ?? ''}`);
  if (negation === 'denied') return undefined;
  const burdens = burdenOf(rule, { found, sentence, sides });
  return {
    ...(burdens === undefined ? {} : { burdens }),
    at: found.index,
    confidence: negation === 'unclear' ? 'look' : (rule.confidence ?? 'look'),
  };
}

/** `The Buyer agrees that the Seller shall not be liable` has two names before the words; the last one is meant. */
function nearestMatch(match: RegExp, text: string): RegExpExecArray | null {
  let found = match.exec(text);
  while (found?.groups?.who !== undefined) {
    const skipped = found.index + 1;
    const next = match.exec(' '.repeat(skipped) + text.slice(skipped));
    if (next === null || next.index + next[0].length !== found.index + found[0].length) break;
    found = next;
  }
  return found;
}

interface Found {
  readonly found: RegExpExecArray;
  readonly sentence: ReviewSentence;
  readonly sides: ReviewSides;
}

function burdenOf({ burdens }: ClauseRule, { found, sentence, sides }: Found): string | undefined {
  const { text, lead } = sentence;
  const who = sides.sideOf(found.groups?.who ?? '');
  const end = found.index + found[0].length;
  const subject = sides.subjectAt(text, end) ?? (lead === '' ? undefined : sides.subjectAt(lead, lead.length));
  switch (burdens) {
    case 'both':
      return bothSides;
    case 'who':
      return who;
    case 'not-who':
      return sides.otherThan(who);
    case 'other':
      return subject === bothSides ? bothSides : sides.otherThan(subject);
    case 'silent':
      return silentIn(text, sides) ?? sides.subjectAt(text, Math.max(0, text.search(unanswered))) ?? subject;
    case 'subject':
      return subject ?? whoPays(text, sides);
  }
}

const unanswered =
  /않|아니|없|침묵|무응답|\b(?:does not|do not|fails?|has not|have not|remains? silent|no (?:objection|response|reply|answer))\b/i;

/** `을은 갑이 이의를 제기하지 않으면` has the silent side in its condition. */
const silentIn = (text: string, { source, sideOf }: ReviewSides): string | undefined =>
  sideOf(new RegExp(`(${source})["”’'」』]?(?:이|가)\\s[^.,]{0,40}?(?:않|아니하|없|못하)`).exec(text)?.[1] ?? '');

/** `Fees paid in advance are not refunded` names no side; the one that usually pays bears it. */
const whoPays = (text: string, { payer, source, sideOf }: ReviewSides): string | undefined => {
  const isElse = [...text.matchAll(new RegExp(source, 'g'))].some(({ 0: name, index }) =>
    (sideOf(name) === payer ? /\bto (?:the )?$/i : /\bpaid by (?:the )?$/i).test(text.slice(0, index)),
  );
  return !isElse && /\b(?:fees?|paid|refund\w*)\b|환불|이용료|납부/i.test(text) ? payer : undefined;
};

/** Days of a period as a review compares them: a month counts as 30 days, a business day as a day. */
const daysOf = (key: string): number | undefined => {
  const [, amount = '', unit = ''] = /^([\d.]+) (.+)$/.exec(key) ?? [];
  const factor = { day: 1, 'business day': 1, month: 30, hour: 1 / 24 }[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
};

function hasPeriod(text: string, { atLeast = 0, atMost = Number.POSITIVE_INFINITY }: NonNullable<ClauseRule['days']>): boolean {
  const days = contractValues(text).flatMap((value) => (value.type === 'period' ? (daysOf(comparableKey(value)) ?? []) : []));
  return (
    days.some((count) => count >= atLeast && count <= atMost) &&
    (atMost === Number.POSITIVE_INFINITY || !days.some((count) => count > 2 * atMost))
  );
}

const monthly = /\b(?:per|a|each|every) month\b|\bmonthly\b|월\s?(?:\d|[일이삼사오육칠팔구십]+\s?(?:퍼센트|%|프로))|매월|1개월(?:당|에)/i;
const daily = /\b(?:per|a|each|every) day\b|\bdaily\b|일\s?(?:\d[\d.]*\s?%|변)|1일(?:당|에|마다)|하루/i;

/** A rate that the sentence denies. */
const denied =
  /\b(?:never|not|rather than|instead of)\s+[\d.]+\s?(?:%|per\s?cent)|[\d.]+\s?(?:%|퍼센트)(?:를|을|의\s?(?:이율|이자)[을를])?\s?(?:적용하지|아니[라고])/gi;

function hasInterestAbove(text: string, limit: number): boolean {
  const perYear = monthly.test(text) ? 12 : daily.test(text) ? 365 : 1;
  return contractValues(text.replace(denied, '')).some(
    (value) => value.type === 'percentage' && percentOf(comparableKey(value)) * perYear > limit,
  );
}

const percentOf = (key: string): number => Number(/[\d.]+/.exec(key)?.[0] ?? 0);
