import type { ChatMessage } from '../../core/ports/chat-model.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { filesTokens } from './file-tokens.ts';
import { messageText } from './message-text.ts';

/** Overhead of a message in tokens, for the most expensive formats. */
const tokensPerMessage = 6;

/**
 * Upper bound of a text's tokens, without a tokenizer. Never below `estimateTokens`. Above the true count for all kinds of text that people
 * and tools write: prose, code, JSON, base64, Korean without spaces, Arabic, Russian, Thai, emoji. Compared with the tokenizers of GPT-4
 * (the most expensive for Korean), GPT-4o and Llama 3. Only syllables and symbols in random order exceed it, by less than half.
 */
export function boundTokens(text: string): number {
  let tokens = 0;
  let i = 0;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    if (isLetterOfWords(unit)) {
      const end = endOfWord(text, i);
      tokens += tokensOfWord(text, i, end);
      i = end;
      continue;
    }
    if (unit >= 0x80) {
      tokens += tokensOfUnit(unit);
      i += 1;
      continue;
    }
    const end = endOfRun(text, i, unit);
    tokens += tokensOfRun(unit, end - i) + (isInWord(text, i) ? 0.25 : 0);
    i = end;
  }
  return Math.max(Math.ceil(tokens), estimateTokens(text));
}

/** Maximum ratio of `boundTokens` to the text's length, plus one; known without reading the text. */
export const mostTokensPerUnit = 3;

/** Applies `boundTokens` to a message with its role, calls, files and provider data. */
export const boundMessageTokens = (message: ChatMessage): number =>
  tokensPerMessage + boundTokens(messageText(message)) + providerTokens(message) + filesTokens(message);

/** Counts the reasoning that is sent back with its message. */
export const providerTokens = (message: ChatMessage): number =>
  message.role === 'assistant' && message.providerData ? boundTokens(JSON.stringify(message.providerData)) : 0;

/** Beyond ASCII, counts UTF-8 bytes: a tokenizer falls back to one token for each byte. */
function tokensOfUnit(unit: number): number {
  if (unit >= 0xac00 && unit <= 0xd7a3) return 1.45;
  if (unit >= 0x3040 && unit <= 0x9fff) return unit >= 0x3130 && unit <= 0x318f ? 2.5 : 1.3;
  if (unit >= 0xd800 && unit <= 0xdfff) return 2;
  if (unit < 0x300) return 1;
  if (unit >= 0x370 && unit < 0x800) return 1.1;
  if (unit < 0x370) return 2;
  if (unit >= 0xe00 && unit < 0xe80) return seldomThai.has(unit) || unit >= 0xe4d ? 2 : 1.13;
  if (unit >= 0x900 && unit < 0x1000) return 1.3;
  return unit >= 0x2000 && unit < 0x2070 ? 2 : 3;
}

/** Thai letters that form no token with their neighbours; symbols and digits start at U+0E4D. */
const seldomThai: ReadonlySet<number> = new Set([
  ...[0xe03, 0xe05, 0xe06, 0xe0c, 0xe0d, 0xe0e, 0xe0f, 0xe10, 0xe11, 0xe12, 0xe1d],
  ...[0xe24, 0xe26, 0xe29, 0xe2c, 0xe2e, 0xe2f, 0xe3a, 0xe3f, 0xe45, 0xe46, 0xe4a, 0xe4b],
]);

/** True for Cyrillic and Arabic, where a word costs more than the sum of its letters' shares, but less than single letters. */
const isLetterOfWords = (unit: number): boolean => (unit >= 0x400 && unit < 0x530) || (unit >= 0x600 && unit < 0x700);

function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (isLetterOfWords(text.charCodeAt(end))) end++;
  return end;
}

/** Counts letters of common words as shares of a token, and rare letters as tokens of their own. */
function tokensOfWord(text: string, start: number, end: number): number {
  let tokens = 0.95 + Math.max(0, end - start - 9) * 0.15;
  let isBehindCapital = false;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const isCapital = unit >= 0x400 && unit < 0x430;
    tokens += (unit < 0x600 ? tokensOfCyrillic(unit) : tokensOfArabic(unit)) + (isCapital && isBehindCapital ? 0.55 : 0);
    isBehindCapital = isCapital;
  }
  return tokens;
}

function tokensOfCyrillic(unit: number): number {
  if (unit < 0x410 || unit > 0x451) return 1.8;
  return (unit < 0x449 || unit > 0x44a) && unit < 0x450 ? 0.46 : 0.8;
}

function tokensOfArabic(unit: number): number {
  if ((unit >= 0x621 && unit <= 0x64a) || persian.has(unit)) return 0.8;
  if (unit === 0x60c || unit === 0x61f) return 0.5;
  return unit >= 0x64b && unit <= 0x652 ? 1.05 : 2;
}

const persian: ReadonlySet<number> = new Set([0x67e, 0x6a9, 0x6af, 0x6cc]);

/** True within `x9` or `aB`: a change of kind within a word is rarely part of a known token. */
const isInWord = (text: string, i: number): boolean => isWord(text.charCodeAt(i)) && i > 0 && isWord(text.charCodeAt(i - 1));
const isWord = (unit: number): boolean => unit < 0x80 && kindOf(unit) <= digit;

const [lower, upper, digit, space, sign] = [0, 1, 2, 3, 4];

/** Lookup table, because every character of every request is classified. */
const kinds = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit >= 0x61 && unit <= 0x7a) return lower;
  if (unit >= 0x41 && unit <= 0x5a) return upper;
  if (unit >= 0x30 && unit <= 0x39) return digit;
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) ? space : sign;
});

/** Returns `sign` beyond ASCII, and after the end of a text. */
const kindOf = (unit: number): number => kinds[unit] ?? sign;

/**
 * Returns the end of the run that begins with `unit`: characters of one kind, repetitions of one symbol, or a capital with its small
 * letters.
 */
function endOfRun(text: string, start: number, unit: number): number {
  const kind = kindOf(unit);
  let end = start + 1;
  if (kind === sign) while (text.charCodeAt(end) === unit) end++;
  else while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++;
  if (kind === upper && end === start + 1) while (kindOf(text.charCodeAt(end)) === lower) end++;
  return end;
}

function tokensOfRun(unit: number, length: number): number {
  switch (kindOf(unit)) {
    case lower:
      return 1.12 + Math.max(0, Math.min(length, 12) - 4) * 0.2 + Math.max(0, length - 12) * 0.55;
    case upper:
      return 1.12 + Math.max(0, length - 2) * 0.6;
    case digit:
      return length; // several models use a token for each digit
    case space:
      return unit === 0x20 && length === 1 ? 0.1 : 1 + length * 0.1;
    default:
      return unit < 0x20 ? length : 1 + (length - 1) * 0.25;
  }
}
