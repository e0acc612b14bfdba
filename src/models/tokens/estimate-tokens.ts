import type { ChatMessage } from '../../core/ports/chat-model.ts';
import { messageText } from './message-text.ts';

/** Tokens of one character: about two thirds for a Korean syllable, a quarter for a letter or space of English. */
const tokensPer = { hangul: 0.65, otherCjk: 0.85, ascii: 0.25, other: 0.5 };

/** Overhead of a message in tokens: its role and separators. */
const tokensPerMessage = 4;

/**
 * Estimates the tokens of a text without a tokenizer, for comparison rather than billing. Calibrated for current tokenizers of about
 * 200,000 tokens; with older ones, Korean has twice as many.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) tokens += tokensPer.ascii;
    else if (unit >= 0xac00 && unit <= 0xd7a3) tokens += tokensPer.hangul;
    else tokens += unit >= 0x3040 && unit <= 0x9fff ? tokensPer.otherCjk : tokensPer.other;
  }
  return Math.ceil(tokens);
}

/** Applies `estimateTokens` to a message with its role and calls. */
export const estimateMessageTokens = (message: ChatMessage): number => tokensPerMessage + estimateTokens(messageText(message));
