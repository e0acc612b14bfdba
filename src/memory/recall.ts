import { askedTerms, withFeedback } from './asked-terms.ts';
import { expectedKinds } from './expected-kinds.ts';
import type { IndexedPassage, RecallIndex } from './recall-index.ts';
import { indexOf } from './recall-indexes.ts';
import type { TranscriptMessage } from './transcript.ts';
import { speakerOf } from './transcript-passages.ts';

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
export function recall({ query, transcript, maxTokens, timeZone = 'Asia/Seoul' }: RecallRequest): Recalled {
  const index = indexOf(transcript, timeZone);
  const scores = index.score(withFeedback(askedTerms(query), index));
  favour(query.slice(0, 2_000), index, scores);
  return fill(index.passages, scores, maxTokens);
}

/** How much more a passage counts that has what is asked for: a date for `when`. */
const kindBonus = 0.3;

function favour(query: string, { passages }: RecallIndex, scores: Float64Array): void {
  for (const has of expectedKinds(query)) {
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] ?? 0;
      if (score > 0 && has.test(passages[i]?.text ?? '')) scores[i] = score * (1 + kindBonus);
    }
  }
}

/** The best passages that fit together, whole, in order of time. */
function fill(passages: readonly IndexedPassage[], scores: Float64Array, maxTokens: number): Recalled {
  const ranked: number[] = [];
  for (let i = 0; i < scores.length; i++) if ((scores[i] ?? 0) > 0) ranked.push(i);
  ranked.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a);
  const chosen = new Set<number>();
  const sessions = new Set<number>();
  let left = maxTokens;
  for (const i of ranked) {
    const passage = passages[i];
    if (!passage) continue;
    const isNewSession = !sessions.has(passage.session);
    const cost = passage.cost + (isNewSession ? passage.dateCost : 0);
    if (cost > left) continue;
    left -= cost;
    chosen.add(i);
    sessions.add(passage.session);
    if (left < leastTokens) break;
  }
  const lines: string[] = [];
  const messageIds = new Set<string>();
  let before: IndexedPassage | undefined;
  for (const passage of [...chosen].sort((a, b) => a - b).flatMap((i) => passages[i] ?? [])) {
    messageIds.add(passage.message.id);
    if (before?.session !== passage.session) lines.push(passage.date);
    lines.push(before?.message === passage.message ? passage.text : say(passage));
    before = passage;
  }
  return { text: lines.join('\n'), messageIds: [...messageIds] };
}

/** No passage with its speaker is shorter. */
const leastTokens = 6;

const say = ({ message, text }: IndexedPassage): string => `${speakerOf(message)}: ${text}`;
