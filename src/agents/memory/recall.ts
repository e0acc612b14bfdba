import { askedTerms, withFeedback } from './asked-terms.ts';
import { expectedKinds } from './expected-kinds.ts';
import type { IndexedPassage, RecallIndex } from './recall-index.ts';
import { indexOf } from './recall-indexes.ts';
import type { TranscriptMessage } from './transcript.ts';
import { speakerOf } from './transcript-passages.ts';

export interface RecallRequest {
  /** Search question, in Korean or English. */
  readonly query: string;
  /** Messages to search, oldest first. */
  readonly transcript: readonly TranscriptMessage[];
  /** Maximum number of estimated tokens of `text`. */
  readonly maxTokens: number;
  /** Time zone of the dates. @default 'Asia/Seoul' */
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
export function recall({ query, transcript, maxTokens, timeZone = 'Asia/Seoul' }: RecallRequest): Recalled {
  const index = indexOf(transcript, timeZone);
  const scores = index.score(withFeedback(askedTerms(query), index));
  favour(query.slice(0, 2_000), index, scores);
  return fill(index.passages, scores, maxTokens);
}

/** Score bonus of a passage with the expected kind of answer, such as a date for `when`. */
const kindBonus = 0.3;

function favour(query: string, { passages }: RecallIndex, scores: Float64Array): void {
  for (const has of expectedKinds(query)) {
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] ?? 0;
      if (score > 0 && has.test(passages[i]?.text ?? '')) scores[i] = score * (1 + kindBonus);
    }
  }
}

/** Selects the best passages that fit together, whole, in chronological order. */
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

/** Minimum tokens of a passage with its speaker. */
const leastTokens = 6;

const say = ({ message, text }: IndexedPassage): string => `${speakerOf(message)}: ${text}`;
