import type { ChatMessage } from '../ports/chat-model.ts';
import { messageText } from './message-text.ts';

/** Tokens of one character: a Korean syllable is about two thirds of one, four letters or spaces of English are one. */
const tokensPer = { hangul: 0.65, otherCjk: 0.85, ascii: 0.25, other: 0.5 };

/** What a message costs besides its text: its role and the marks around it. */
const tokensPerMessage = 4;

/**
 * Roughly how many tokens a text is, without a tokenizer: for comparing, not for billing. Made for the tokenizers of about 200,000 tokens
 * that current models have; with older ones, Korean is twice as much.
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

/** As `estimateTokens`, of a message with its role and calls. */
export const estimateMessageTokens = (message: ChatMessage): number => tokensPerMessage + estimateTokens(messageText(message));
