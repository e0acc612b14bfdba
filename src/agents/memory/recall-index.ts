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
  /** BM25 scores of all passages, including the words of neighbours in the session. 0: no word matches. */
  score(terms: ReadonlyMap<string, number>): Float64Array;
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
    const beside = speechTokens(`${message.speaker ?? ''} ${words}`);
    for (const text of piecesOf(message.text)) {
      const counts = new Map<string, number>();
      const tokens = speechTokens(text);
      for (const token of [...tokens, ...beside]) counts.set(token, (counts.get(token) ?? 0) + 1);
      const place = begin + passages.length;
      for (const [term, count] of counts) {
        const posting = postings.get(term) ?? { places: [], counts: [] };
        if (posting.places.length === 0) postings.set(term, posting);
        posting.places.push(place);
        posting.counts.push(count);
      }
      const cost = estimateTokens(`${speakerOf(message)}: ${text}\n`);
      passages.push({ message, text, session, cost, date, dateCost, terms: [...counts.keys()], length: tokens.length + beside.length });
    }
  }

  /** Removes the first or last message. */
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
      const gone = oldest ? messages.findIndex((one) => isSame(one, oldest)) : -1;
      for (let n = gone < 0 ? messages.length : gone; n > 0; n--) remove('shift');
      let same = 0;
      while (same < messages.length && isSame(messages[same], transcript[same])) same += 1;
      while (messages.length > same) remove('pop');
      session = passages.at(-1)?.session ?? session;
      for (const message of transcript.slice(same)) add(message);
    },
    found: (term) => postings.get(term)?.places.length ?? 0,
    score(terms) {
      shape ??= shapeOf(passages);
      return scoreOf({ postings, begin, ...shape }, terms);
    },
  };
}

const isSame = (one?: TranscriptMessage, other?: TranscriptMessage): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.id === other.id &&
  one.at === other.at &&
  one.role === other.role &&
  one.speaker === other.speaker &&
  one.text === other.text;

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

function scoreOf({ sessions, postings, begin, damping }: Indexed, terms: ReadonlyMap<string, number>): Float64Array {
  const size = sessions.length;
  const scores = new Float64Array(size);
  const counts = new Float64Array(size);
  for (const [term, weight] of terms) {
    const posting = postings.get(term);
    if (!posting) continue;
    const { places } = posting;
    for (let n = 0; n < places.length; n++) spread(sessions, (places[n] ?? 0) - begin, posting.counts[n] ?? 0, counts);
    const gain = weight * Math.log(1 + (size - places.length + 0.5) / (places.length + 0.5)) * (k1 + 1);
    for (const place of places) {
      for (let i = Math.max(0, place - begin - reach); i <= Math.min(size - 1, place - begin + reach); i++) {
        const count = counts[i] ?? 0;
        if (count === 0) continue;
        counts[i] = 0;
        scores[i] = (scores[i] ?? 0) + (gain * count) / (count + (damping[i] ?? 0));
      }
    }
  }
  return scores;
}

function shapeOf(passages: readonly IndexedPassage[]): Shape {
  const sessions = Int32Array.from(passages, ({ session }) => session);
  const lengths = new Float64Array(passages.length);
  for (const [i, { length }] of passages.entries()) spread(sessions, i, length, lengths);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / passages.length || 1;
  return { sessions, damping: lengths.map((length) => k1 * (1 - b + (b * length) / mean)) };
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
