import { LRUCache } from 'lru-cache';
import { createRecallIndex, type RecallIndex } from './recall-index.ts';
import type { TranscriptMessage } from './transcript.ts';

interface KeptIndex {
  readonly timeZone: string;
  readonly index: RecallIndex;
}

/** Maximum number of indexed conversations, and of their characters; each character takes about 30 bytes. */
const maxIndexes = 32;
const maxChars = 2_000_000;

let made = 0;
const kept = new LRUCache<number, KeptIndex>({ max: maxIndexes, maxSize: maxChars, sizeCalculation: ({ index }) => index.chars + 1 });

/** Returns the index of a transcript: the cached one of the same conversation, updated with new messages, or a new one. */
export function indexOf(transcript: readonly TranscriptMessage[], timeZone: string): RecallIndex {
  const [oldest] = transcript;
  let key: number | undefined;
  for (const [known, one] of kept.entries()) {
    if (oldest === undefined || one.timeZone !== timeZone || !one.index.holds(oldest)) continue;
    key = known;
    break;
  }
  made += key === undefined ? 1 : 0;
  const { index } = (key === undefined ? undefined : kept.get(key)) ?? { index: createRecallIndex(timeZone) };
  index.follow(transcript);
  kept.set(key ?? made, { timeZone, index });
  return index;
}
