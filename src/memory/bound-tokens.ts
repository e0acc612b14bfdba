import type { ChatMessage } from '../ports/chat-model.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { filesTokens } from './file-tokens.ts';
import { messageText } from './message-text.ts';

/** What a message costs besides its text, in the formats that cost most. */
const tokensPerMessage = 6;

/**
 * How many tokens a text is at the most, without a tokenizer: never below `estimateTokens`, and above the true count for text of every
 * kind that people and tools write: prose, code, JSON, base64, Korean without blanks, Arabic, Russian, Thai, emoji. Compared with the tokenizers of GPT-4 (which
 * needs most for Korean), GPT-4o and Llama 3. Below it are only syllables and signs in random order, by less than half.
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

/** `boundTokens` is never above this many times the text's length, and one more: without reading the text. */
export const mostTokensPerUnit = 3;

/** As `boundTokens`, of a message with its role, its calls, its files and what its provider wants back. */
export const boundMessageTokens = (message: ChatMessage): number =>
  tokensPerMessage + boundTokens(messageText(message)) + providerTokens(message) + filesTokens(message);

/** Reasoning that goes back with its message. */
export const providerTokens = (message: ChatMessage): number =>
  message.role === 'assistant' && message.providerData ? boundTokens(JSON.stringify(message.providerData)) : 0;

/** Beyond ASCII: by the bytes of UTF-8, of which a tokenizer takes one for a token when it knows nothing better. */
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

/** Letters that are no token with their neighbours; signs and digits are those from U+0E4D on. */
const seldomThai: ReadonlySet<number> = new Set([
  ...[0xe03, 0xe05, 0xe06, 0xe0c, 0xe0d, 0xe0e, 0xe0f, 0xe10, 0xe11, 0xe12, 0xe1d],
  ...[0xe24, 0xe26, 0xe29, 0xe2c, 0xe2e, 0xe2f, 0xe3a, 0xe3f, 0xe45, 0xe46, 0xe4a, 0xe4b],
]);

/** Cyrillic and Arabic: a word costs more than its letters, and less than each of them alone. */
const isLetterOfWords = (unit: number): boolean => (unit >= 0x400 && unit < 0x530) || (unit >= 0x600 && unit < 0x700);

function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (isLetterOfWords(text.charCodeAt(end))) end++;
  return end;
}

/** Letters of which common words are made join with others; those that a language seldom has stand alone. */
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

/** `x9`, `aB`: what changes its kind within a word is seldom a token that is known. */
const isInWord = (text: string, i: number): boolean => isWord(text.charCodeAt(i)) && i > 0 && isWord(text.charCodeAt(i - 1));
const isWord = (unit: number): boolean => unit < 0x80 && kindOf(unit) <= digit;

const [lower, upper, digit, space, sign] = [0, 1, 2, 3, 4];

/** Every character of every request is looked up here. */
const kinds = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (unit >= 0x61 && unit <= 0x7a) return lower;
  if (unit >= 0x41 && unit <= 0x5a) return upper;
  if (unit >= 0x30 && unit <= 0x39) return digit;
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) ? space : sign;
});

/** Beyond ASCII, and behind the end of a text: a sign. */
const kindOf = (unit: number): number => kinds[unit] ?? sign;

/** Where the run of a text that begins with `unit` ends: of one kind, signs of one sign, a capital with the small letters behind it. */
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
      return length; // several models take every digit for a token
    case space:
      return unit === 0x20 && length === 1 ? 0.1 : 1 + length * 0.1;
    default:
      return unit < 0x20 ? length : 1 + (length - 1) * 0.25;
  }
}
