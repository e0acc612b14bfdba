import { LRUCache } from 'lru-cache';
import { contentWords } from '../../core/text/content-words.ts';
import { machineTimeZone } from '../../core/util/local-datetime.ts';
import { bestBelow, createRecallIndex, type IndexedPassage, type RecallIndex } from './recall-index.ts';
import { relatedTokens } from './related-speech.ts';
import { speechTokens } from './speech-tokens.ts';
import type { TranscriptMessage } from './transcript.ts';
import { speakerOf } from './transcript-passages.ts';

export interface RecallRequest {
  /** Search question, in Korean or English. */
  readonly query: string;
  /** Messages to search, oldest first. */
  readonly transcript: readonly TranscriptMessage[];
  /** Maximum number of estimated tokens of `text`. */
  readonly maxTokens: number;
  /** IANA time zone of the dates. @default the machine's */
  readonly timeZone?: string;
}

export interface Recalled {
  /** Results in chronological order: whole messages or pieces of long ones, with a date line before each session. May be empty. */
  readonly text: string;
  /** Ids of the messages in `text`, in chronological order. */
  readonly messageIds: readonly string[];
}

/**
 * Searches the transcript of a conversation for passages about a question: by its words and those of their neighbours (BM25), and by dates.
 *
 * @example recall({ query: 'when did I say I would fly to Oslo?', transcript, maxTokens: 1_000 }).text
 * // '[2026-03-02 Monday 09:15]\nuser: I will fly to Oslo on May 8.'
 */
export function recall({ query, transcript, maxTokens, timeZone = machineTimeZone() }: RecallRequest): Recalled {
  const index = indexOf(transcript, timeZone);
  const terms = askedTerms(query);
  const scores = index.score(terms);
  index.score(feedbackTerms(terms, scores, index), scores);
  favour(query.slice(0, 2_000), index, scores);
  return fill(index.passages, scores, maxTokens);
}

/** Score bonus of a passage with the expected kind of answer, such as a date for `when`. */
const kindBonus = 0.3;

function favour(query: string, { passages }: RecallIndex, scores: Float64Array): void {
  for (const kind of expectedKinds(query)) {
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] ?? 0;
      const passage = passages[i];
      if (score > 0 && passage && holdsKind(kind, passage)) scores[i] = score * (1 + kindBonus);
    }
  }
}

/** Selects the best passages that fit together, whole, in chronological order. */
function fill(passages: readonly IndexedPassage[], scores: Float64Array, maxTokens: number): Recalled {
  const chosen: number[] = [];
  const sessions = new Set<number>();
  let left = maxTokens;
  const costOf = (passage: IndexedPassage): number => passage.cost + (sessions.has(passage.session) ? 0 : passage.dateCost);
  const fits = (i: number): boolean => {
    const passage = passages[i];
    return passage !== undefined && costOf(passage) <= left;
  };
  let last: number | undefined;
  do {
    last = bestBelow(scores, last, fits);
    const passage = last === undefined ? undefined : passages[last];
    if (last === undefined || !passage) break;
    left -= costOf(passage);
    chosen.push(last);
    sessions.add(passage.session);
  } while (left >= leastTokens);
  const lines: string[] = [];
  const messageIds = new Set<string>();
  let before: IndexedPassage | undefined;
  for (const passage of chosen.sort((a, b) => a - b).flatMap((i) => passages[i] ?? [])) {
    messageIds.add(passage.message.id);
    if (before?.session !== passage.session) lines.push(passage.date);
    lines.push(before?.message === passage.message ? passage.text : say(passage));
    before = passage;
  }
  return { text: lines.join('\n'), messageIds: [...messageIds] };
}

/** Minimum tokens of a passage with its speaker. */
const leastTokens = 6;

const say = ({ message, text }: IndexedPassage): string => `${speakerOf(message)}: ${text}`;

/** Words that refer to the conversation itself rather than to its topics. */
const asking =
  /\b(?:remember|remind|recall|said|say|tell|told|talk(?:ed)?|mention(?:ed)?|discuss(?:ed)?|ever|again|did|does|have|has|had|got|called|was|were|been)\b|뭐라고|(?:이라고|라고|다고|자고)?\s?(?:말)?했(?:지|더라|어|나|니|어요|나요|습니까|던)|말한|말했던|아까|전에|지난번에?|기억\S*|[내제]가|나는|저는/giu;

const relatedWeight = 0.4;

function askedTerms(query: string): ReadonlyMap<string, number> {
  const start = query.slice(0, 2_000);
  const words = contentWords(start.replaceAll(asking, ' '));
  const tokens = speechTokens(words === '' ? start : words).filter((token) => !/^[a-z]$/.test(token));
  const terms = new Map(tokens.map((token) => [token, 1]));
  for (const token of relatedTokens(tokens)) terms.set(token, relatedWeight);
  return terms;
}

/** Number of passages and words used for feedback. The weight is too small to move one passage before another that matches the question. */
const feedback = { passages: 5, terms: 20, weight: 0.05 } as const;
/** Maximum share of passages with a feedback word; a more common word does not distinguish them. */
const commonShare = 0.05;

/** Returns words of the best passages with their weights, as in RM3. Their matches fill the remaining room. */
function feedbackTerms(terms: ReadonlyMap<string, number>, scores: Float64Array, index: RecallIndex): ReadonlyMap<string, number> {
  const { passages } = index;
  const top = placesOfBest(scores, feedback.passages);
  const total = top.reduce((sum, i) => sum + (scores[i] ?? 0), 0);
  const shares = new Map<string, number>();
  const most = passages.length * commonShare;
  for (const i of top) {
    for (const term of passages[i]?.terms ?? []) {
      if (terms.has(term) || index.found(term) > most) continue;
      shares.set(term, (shares.get(term) ?? 0) + (scores[i] ?? 0) / total);
    }
  }
  const best = [...shares].sort(([, a], [, b]) => b - a).slice(0, feedback.terms);
  return new Map(best.map(([term, share]) => [term, share * feedback.weight]));
}

/** Returns the indexes of the highest scores above 0, highest first. */
function placesOfBest(scores: Float64Array, limit: number): readonly number[] {
  const places: number[] = [];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    if (score <= (places.length < limit ? 0 : (scores[places[limit - 1] ?? 0] ?? 0))) continue;
    let at = Math.min(places.length, limit - 1);
    for (; at > 0 && (scores[places[at - 1] ?? 0] ?? 0) < score; at--) places[at] = places[at - 1] ?? 0;
    places[at] = i;
  }
  return places;
}

/** A kind of answer: patterns of its questions and of its text, and the passages that were read. */
interface ExpectedKind {
  readonly question: RegExp;
  readonly has: RegExp;
  readonly read: WeakMap<IndexedPassage, boolean>;
}

/** True if a passage has this kind of answer. Each passage is read once, because a long conversation has thousands. */
function holdsKind({ has, read }: ExpectedKind, passage: IndexedPassage): boolean {
  const known = read.get(passage);
  if (known !== undefined) return known;
  const holds = has.test(passage.text);
  read.set(passage, holds);
  return holds;
}

const time: ExpectedKind = {
  read: new WeakMap(),
  question: /\b(?:when|what (?:time|day|date|year|month)|how long|since)\b|언제|며칠|몇\s?(?:시|월|일|년)|날짜/iu,
  has: /\d|\b(?:(?:to|yester)day|tomorrow|tonight|this|last|next|ago|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|오늘|어제|내일|그제|모레|지난|다음|이번|요일|방금|부터|까지|주말/iu,
};
const amount: ExpectedKind = {
  read: new WeakMap(),
  question: /\bhow (?:many|much|old|far|big|tall|heavy|often)\b|몇|얼마/iu,
  has: /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|once|twice)\b|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무)\s?(?:개|명|번|달|시간|살|대|마리|권|점|주)/iu,
};
const name: ExpectedKind = {
  read: new WeakMap(),
  question: /\bwho(?:se|m)?\b|\bnames?\b|\bcalled\b|누구|누가|이름/iu,
  has: /(?<=[\p{L},] )\p{Lu}\p{Ll}{2,}|[가-힣]{2,3}(?:씨|님|이가|이랑|이는|이라고|라고)|[가-힣] 씨/u,
};

/** Returns the kinds of answer that a question expects; empty if any answer may fit. */
const expectedKinds = (query: string): readonly ExpectedKind[] => [time, amount, name].filter(({ question }) => question.test(query));

interface CachedIndex {
  readonly timeZone: string;
  readonly index: RecallIndex;
}

/** Maximum number of indexed conversations, and of their characters; each character takes about 30 bytes. */
const maxIndexes = 32;
const maxChars = 2_000_000;

let lastKey = 0;
const indexes = new LRUCache<number, CachedIndex>({ max: maxIndexes, maxSize: maxChars, sizeCalculation: ({ index }) => index.chars + 1 });

/** Returns the index of a transcript: the cached one of the same conversation, updated with new messages, or a new one. */
function indexOf(transcript: readonly TranscriptMessage[], timeZone: string): RecallIndex {
  const [oldest] = transcript;
  let key: number | undefined;
  for (const [known, one] of indexes.entries()) {
    if (oldest === undefined || one.timeZone !== timeZone || !one.index.holds(oldest)) continue;
    key = known;
    break;
  }
  lastKey += key === undefined ? 1 : 0;
  const { index } = (key === undefined ? undefined : indexes.get(key)) ?? { index: createRecallIndex(timeZone) };
  index.follow(transcript);
  indexes.set(key ?? lastKey, { timeZone, index });
  return index;
}
