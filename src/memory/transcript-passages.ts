import { cutAtSentence } from '../text/sentences.ts';
import type { TranscriptMessage } from './transcript.ts';

/** What is found as a whole: a message, or a piece of a long one. */
export interface TranscriptPassage {
  readonly message: TranscriptMessage;
  readonly text: string;
  /** Number of the sitting in which it was said. */
  readonly session: number;
}

/** A longer message is found in pieces of up to this many characters. */
const maxPassageChars = 600;
/** After a longer silence, what is said belongs to another session. */
export const sessionGapMs: number = 60 * 60 * 1000;

/** Who said it, as it is shown. */
export const speakerOf = ({ speaker, role }: TranscriptMessage): string => speaker ?? role;

/** A message's text, in pieces that are found by themselves. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const piece = cutAtSentence(rest, maxPassageChars) || rest.slice(0, maxPassageChars);
    pieces.push(piece);
    rest = rest.slice(piece.length).trimStart();
  }
  return pieces;
}
