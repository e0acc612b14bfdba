import { estimateTokens } from '../../models/tokens/estimate-tokens.ts';
import { dateWords } from './date-words.ts';
import { speechTokens } from './speech-tokens.ts';
import type { TranscriptMessage } from './transcript.ts';
import { piecesOf, sessionGapMs, speakerOf, type TranscriptPassage } from './transcript-passages.ts';

/** Passages of a transcript and their words. Updates incrementally as a transcript grows at its end and is cut at its beginning. */
export interface RecallIndex {
  /** Number of indexed characters. */
  readonly chars: number;
  readonly passages: readonly IndexedPassage[];
  /** True when the transcript continues the indexed one. */
  holds(message: TranscriptMessage): boolean;
  /** Updates the index to this transcript; processes only the changes. */
  follow(transcript: readonly TranscriptMessage[]): void;
  /** Number of passages that contain a word. */
  found(term: string): number;
  /** Adds BM25 scores, including the words of neighbours in the session, to the scores of all passages. 0: no word matches. */
  score(terms: ReadonlyMap<string, number>, scores?: Float64Array): Float64Array;
}

export interface IndexedPassage extends TranscriptPassage {
  /** Estimated tokens of the passage with its speaker. */
  readonly cost: number;
  /** Date of the passage, in display form. */
  readonly date: string;
  readonly dateCost: number;
  /** Unique words of the passage. */
  readonly terms: readonly string[];
  readonly length: number;
}

/** Weights of a neighbour's words, because an answer seldom repeats the words of its question. */
const neighbourWeights = [0.4, 0.2];
const reach = neighbourWeights.length;
const k1 = 1.2;
const b = 0.75;

/** Occurrences of a word: passage numbers, ascending, and the counts. */
interface Posting {
  readonly places: number[];
  readonly counts: number[];
}

/** Creates an empty index; dates use the time zone. */
export function createRecallIndex(timeZone: string): RecallIndex {
  const messages: TranscriptMessage[] = [];
  const passages: IndexedPassage[] = [];
  const postings = new Map<string, Posting>();
  /** Number of the first remaining passage. */
  let begin = 0;
  let chars = 0;
  let session = 0;
  let shape: Shape | undefined;

  function add(message: TranscriptMessage): void {
    const before = messages.at(-1);
    if (before && message.at - before.at > sessionGapMs) session += 1;
    messages.push(message);
    shape = undefined;
    chars += message.text.length;
    const { line: date, words } = dateWords(message.at, timeZone);
    const dateCost = estimateTokens(`${date}\n`);
    const extra = speechTokens(`${message.speaker ?? ''} ${words}`);
    for (const text of piecesOf(message.text)) {
      const counts = new Map<string, number>();
      const tokens = speechTokens(text);
      for (const token of [...tokens, ...extra]) counts.set(token, (counts.get(token) ?? 0) + 1);
      const place = begin + passages.length;
      for (const [term, count] of counts) {
        const posting = postings.get(term) ?? { places: [], counts: [] };
        if (posting.places.length === 0) postings.set(term, posting);
        posting.places.push(place);
        posting.counts.push(count);
      }
      const cost = estimateTokens(`${speakerOf(message)}: ${text}\n`);
      passages.push({ message, text, session, cost, date, dateCost, terms: [...counts.keys()], length: tokens.length + extra.length });
    }
  }

  function remove(end: 'shift' | 'pop'): void {
    const message = messages[end]();
    if (!message) return;
    shape = undefined;
    chars -= message.text.length;
    while (passages.at(end === 'pop' ? -1 : 0)?.message === message) {
      for (const term of passages[end]()?.terms ?? []) {
        const posting = postings.get(term);
        posting?.places[end]();
        posting?.counts[end]();
        if (posting?.places.length === 0) postings.delete(term);
      }
      if (end === 'shift') begin += 1;
    }
  }

  return {
    get chars() {
      return chars;
    },
    passages,
    holds: (message) => messages.some((one) => isSame(one, message)),
    follow(transcript) {
      const [oldest] = transcript;
      const evictions = oldest ? messages.findIndex((one) => isSame(one, oldest)) : -1;
      for (let n = evictions < 0 ? messages.length : evictions; n > 0; n--) remove('shift');
      let same = 0;
      while (same < messages.length && isSame(messages[same], transcript[same])) same += 1;
      while (messages.length > same) remove('pop');
      session = passages.at(-1)?.session ?? session;
      for (const message of transcript.slice(same)) add(message);
    },
    found: (term) => postings.get(term)?.places.length ?? 0,
    score(terms, scores = new Float64Array(passages.length)) {
      shape ??= shapeOf(passages);
      addScores({ postings, begin, ...shape }, terms, scores);
      return scores;
    },
  };
}

const isSame = (one?: TranscriptMessage, other?: TranscriptMessage): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.id === other.id &&
    one.at === other.at &&
    one.role === other.role &&
    one.speaker === other.speaker &&
    one.text === other.text);

/** Numbers of the passages in flat arrays: scoring reads all passages with a common word, and their neighbours. */
interface Shape {
  readonly sessions: Int32Array;
  /** Length penalty of each passage, including its neighbours. */
  readonly damping: Float64Array;
}

interface Indexed extends Shape {
  readonly postings: ReadonlyMap<string, Posting>;
  readonly begin: number;
}

function addScores({ sessions, postings, begin, damping }: Indexed, terms: ReadonlyMap<string, number>, scores: Float64Array): void {
  const size = sessions.length;
  const counts = new Float64Array(size);
  for (const [term, weight] of terms) {
    const posting = postings.get(term);
    if (!posting) continue;
    const { places } = posting;
    for (let n = 0; n < places.length; n++) spread(sessions, (places[n] ?? 0) - begin, posting.counts[n] ?? 0, counts);
    const gain = weight * Math.log(1 + (size - places.length + 0.5) / (places.length + 0.5)) * (k1 + 1);
    let next = 0; // places ascend, so each passage near one of them is read once
    for (const place of places) {
      const end = Math.min(size, place - begin + reach + 1);
      for (let i = Math.max(next, place - begin - reach); i < end; i++) {
        const count = counts[i] ?? 0;
        if (count === 0) continue;
        counts[i] = 0;
        scores[i] = (scores[i] ?? 0) + (gain * count) / (count + (damping[i] ?? 0));
      }
      next = end;
    }
  }
}

function shapeOf(passages: readonly IndexedPassage[]): Shape {
  const sessions = new Int32Array(passages.length);
  for (let i = 0; i < passages.length; i++) sessions[i] = passages[i]?.session ?? 0;
  const lengths = new Float64Array(passages.length);
  for (let i = 0; i < passages.length; i++) spread(sessions, i, passages[i]?.length ?? 0, lengths);
  let sum = 0;
  for (const length of lengths) sum += length;
  const mean = sum / passages.length || 1;
  for (let i = 0; i < lengths.length; i++) lengths[i] = k1 * (1 - b + (b * (lengths[i] ?? 0)) / mean);
  return { sessions, damping: lengths };
}

/** Adds an amount to a passage, and a smaller share to its neighbours in the session. */
function spread(sessions: Int32Array, at: number, amount: number, sums: Float64Array): void {
  const session = sessions[at];
  sums[at] = (sums[at] ?? 0) + amount;
  for (let n = 1; n <= reach; n++) {
    const share = amount * (neighbourWeights[n - 1] ?? 0);
    if (sessions[at - n] === session) sums[at - n] = (sums[at - n] ?? 0) + share;
    if (sessions[at + n] === session) sums[at + n] = (sums[at + n] ?? 0) + share;
  }
}

/**
 * Returns the place of the highest score above 0 that ranks below the place `last` and is accepted. Of equal scores, the newer one ranks
 * first. A few of these searches cost less than sorting thousands of scores.
 */
export function bestBelow(scores: Float64Array, last: number | undefined, accepts: (place: number) => boolean): number | undefined {
  const bound = last === undefined ? Number.POSITIVE_INFINITY : (scores[last] ?? 0);
  let best: number | undefined;
  let most = 0;
  for (let i = scores.length - 1; i >= 0; i--) {
    const score = scores[i] ?? 0;
    if (score <= most || score > bound || (score === bound && i >= (last ?? 0)) || !accepts(i)) continue;
    best = i;
    most = score;
  }
  return best;
}
