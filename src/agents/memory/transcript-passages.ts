import { cutAtSentence } from '../../core/text/sentences.ts';
import type { TranscriptMessage } from './transcript.ts';

/** Unit of a search result: a message, or a piece of a long one. */
export interface TranscriptPassage {
  readonly message: TranscriptMessage;
  readonly text: string;
  /** Number of the session. */
  readonly session: number;
}

/** Maximum length of a passage, in characters; a longer message is split. */
const maxPassageChars = 600;
/** Silence that starts another session, in milliseconds. */
export const sessionGapMs: number = 60 * 60 * 1000;

/** Returns the display name of the speaker. */
export const speakerOf = ({ speaker, role }: TranscriptMessage): string => speaker ?? role;

/** Splits a message's text into separately searchable pieces. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const piece = cutAtSentence(rest, maxPassageChars) || rest.slice(0, maxPassageChars);
    pieces.push(piece);
    rest = rest.slice(piece.length).trimStart();
  }
  return pieces;
}
