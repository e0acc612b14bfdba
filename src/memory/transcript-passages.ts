import { cutAtSentence } from '../text/sentences.ts';
import type { TranscriptMessage } from './transcript.ts';

/** What is found as a whole: a message, or a piece of a long one. */
export interface TranscriptPassage {
  readonly message: TranscriptMessage;
  readonly text: string;
  /** Number of the sitting in which it was said, from 0. */
  readonly session: number;
}

/** A longer message is found in pieces of up to this many characters. */
const maxPassageChars = 600;
/** After a longer silence, what is said belongs to another session. */
const sessionGapMs = 60 * 60 * 1000;

/** The passages of a transcript, in order. */
export function transcriptPassages(transcript: readonly TranscriptMessage[]): readonly TranscriptPassage[] {
  let session = 0;
  let before = transcript[0]?.at ?? 0;
  return transcript.flatMap((message) => {
    if (message.at - before > sessionGapMs) session += 1;
    before = message.at;
    return piecesOf(message.text).map((text): TranscriptPassage => ({ message, text, session }));
  });
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const piece = cutAtSentence(rest, maxPassageChars) || rest.slice(0, maxPassageChars);
    pieces.push(piece);
    rest = rest.slice(piece.length).trimStart();
  }
  return pieces;
}
