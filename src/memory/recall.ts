import { contentWords } from '../text/query-words.ts';
import { searchTokens } from '../text/search-tokens.ts';
import { localDatetime } from '../util/local-datetime.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { rankPassages } from './rank-passages.ts';
import type { TranscriptMessage } from './transcript.ts';
import { type TranscriptPassage, transcriptPassages } from './transcript-passages.ts';

export interface RecallRequest {
  /** What is looked for: a question, in Korean or English. */
  readonly query: string;
  /** What may be found, oldest first. */
  readonly transcript: readonly TranscriptMessage[];
  /** Estimated tokens of `text`, at the most. */
  readonly maxTokens: number;
  /** In which dates are told. @default 'Asia/Seoul' */
  readonly timeZone?: string;
}

export interface Recalled {
  /** What was found, whole messages or pieces of long ones, in order of time, a line with the date before each session. May be empty. */
  readonly text: string;
  /** Of the messages in it, in order of time. */
  readonly messageIds: readonly string[];
}

/**
 * Finds what was said about a question in the transcript of a conversation: by its words and those of its neighbours (BM25), and by dates.
 *
 * @example recall({ query: 'when did I say I would fly to Oslo?', transcript, maxTokens: 1_000 }).text
 * // '[2026-03-02 Monday 09:15]\nuser: I will fly to Oslo on May 8.'
 */
export function recall({ query, transcript, maxTokens, timeZone }: RecallRequest): Recalled {
  const passages = transcriptPassages(transcript);
  const dates = datesOf(passages, timeZone);
  const scores = rankPassages(passages, termsOf(query), ({ text, session }) => [
    ...searchTokens(text),
    ...(dates.get(session)?.tokens ?? []),
  ]);
  return fill(passages, scores, { maxTokens, lineOf: ({ session }) => dates.get(session)?.line ?? '' });
}

/** How much the conversation may be reminded of: the more has left the window, the more, up to 1,000 tokens. */
export const recallTokens = (leftTokens: number): number => Math.min(1_000, Math.floor(leftTokens * 0.15));

/** Words in which one asks about a conversation, and not what it was about. */
const asking =
  /\b(?:remember|remind|recall|said|say|tell|told|talk(?:ed)?|mention(?:ed)?|discuss(?:ed)?|ever|again|did|does|have|has|had|was|were|been)\b|뭐라고|(?:이라고|라고|다고|자고)?\s?(?:말)?했(?:지|더라|어|나|니|어요|나요|습니까|던)|말한|말했던|아까|전에|지난번에?|기억\S*|[내제]가|나는|저는/giu;

function termsOf(query: string): ReadonlyMap<string, number> {
  const asked = query.slice(0, 2_000);
  const words = contentWords(asked.replaceAll(asking, ' '));
  return new Map(searchTokens(words === '' ? asked : words).map((token) => [token, 1]));
}

interface SaidDate {
  readonly line: string;
  readonly tokens: readonly string[];
}

const months = 'January February March April May June July August September October November December'.split(' ');

/** When each session began. */
function datesOf(passages: readonly TranscriptPassage[], timeZone = 'Asia/Seoul'): ReadonlyMap<number, SaidDate> {
  const dates = new Map<number, SaidDate>();
  for (const { session, message } of passages) {
    if (dates.has(session)) continue;
    const { date, time, weekday } = localDatetime(message.at, timeZone);
    const [year = '', month = '', day = ''] = date.split('-');
    const words = `${year} ${months[Number(month) - 1]} ${Number(day)} ${weekday} ${Number(month)}월 ${Number(day)}일`;
    dates.set(session, { line: `[${date} ${weekday} ${time.slice(0, 5)}]`, tokens: searchTokens(words) });
  }
  return dates;
}

interface FillOptions {
  readonly maxTokens: number;
  readonly lineOf: (passage: TranscriptPassage) => string;
}

/** The best passages that fit together, whole, in order of time. */
function fill(passages: readonly TranscriptPassage[], scores: ArrayLike<number>, { maxTokens, lineOf }: FillOptions): Recalled {
  const ranked = passages.map((_, i) => i).filter((i) => (scores[i] ?? 0) > 0);
  ranked.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
  const chosen = new Set<number>();
  const sessions = new Set<number>();
  let left = maxTokens;
  for (const i of ranked) {
    const passage = passages[i];
    if (!passage) continue;
    const isNewSession = !sessions.has(passage.session);
    const cost = estimateTokens(`${say(passage)}\n`) + (isNewSession ? estimateTokens(`${lineOf(passage)}\n`) : 0);
    if (cost > left) continue;
    left -= cost;
    chosen.add(i);
    sessions.add(passage.session);
    if (left < leastTokens) break;
  }
  const lines: string[] = [];
  let before: TranscriptPassage | undefined;
  for (const [i, passage] of passages.entries()) {
    if (!chosen.has(i)) continue;
    if (before?.session !== passage.session) lines.push(lineOf(passage));
    lines.push(before?.message === passage.message ? passage.text : say(passage));
    before = passage;
  }
  const messageIds = passages.flatMap(({ message }, i) => (chosen.has(i) ? [message.id] : []));
  return { text: lines.join('\n'), messageIds: [...new Set(messageIds)] };
}

/** No passage with its speaker is shorter. */
const leastTokens = 6;

const say = ({ message, text }: TranscriptPassage): string => `${message.role}: ${text}`;
