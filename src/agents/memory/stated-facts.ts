import { LRUCache } from 'lru-cache';
import { splitSentences } from '../../core/text/sentences.ts';
import { withoutMaterial } from '../../core/text/text-request.ts';
import { cutText, oneLine } from './clean-text.ts';
import { factKey } from './fact-rules.ts';
import type { WindowMessage } from './window-message.ts';

/** A statement of the user about themselves or their affairs. */
export interface StatedFact {
  /** Topic of the fact; a newer fact with the same key replaces it. */
  readonly key: string;
  /** The user's words, on one line, at most 160 characters. */
  readonly text: string;
  readonly messageId: string;
}

/**
 * Maximum length of a typed message, in characters. A longer one is mostly pasted text with many numbers, so only statements certain to
 * concern the user count.
 */
const maxTypedChars = 1_000;
const maxMessageChars = 20_000;
const maxSentenceChars = 1_000;
const maxClauseChars = 300;
const maxFactChars = 160;

/**
 * Extracts the user's statements from messages with simple rules in Korean and English: names, dates, numbers, places, likes and dislikes.
 * Of two statements with the same topic, only the later is kept; oldest first. Questions, orders, quotations and texts to be translated or
 * corrected are ignored.
 *
 * @example extractFacts([{ id: 'm1', message: { role: 'user', content: '내 이름은 철수야. 뭐 하고 있어?' } }])
 * // [{ key: 'name', text: '내 이름은 철수야', messageId: 'm1' }]
 */
export function extractFacts(messages: readonly WindowMessage[]): readonly StatedFact[] {
  const facts = new Map<string, StatedFact>();
  for (const { id, message } of messages) {
    if (message.role !== 'user') continue;
    for (const { key, text } of statementsIn(message.content)) {
      facts.delete(key);
      facts.set(key, { key, text, messageId: id });
    }
  }
  return [...facts.values()];
}

/** Maximum characters of texts with cached statements; each turn of a long conversation reads them again. */
const maxCachedChars = 4_000_000;
const cache = new LRUCache<string, readonly Omit<StatedFact, 'messageId'>[]>({
  maxSize: maxCachedChars,
  sizeCalculation: (_, content) => content.length + 1,
});

/** Returns the statements of one text, in order. */
export function statementsIn(content: string): readonly Omit<StatedFact, 'messageId'>[] {
  const known = cache.get(content);
  if (known) return known;
  const found = findStatements(content);
  cache.set(content, found);
  return found;
}

function findStatements(content: string): readonly Omit<StatedFact, 'messageId'>[] {
  const onlyOwn = content.length > maxTypedChars;
  const lines = splitSentences(withoutMaterial(cutText(content.normalize('NFC'), maxMessageChars))).flatMap((sentence) =>
    sentence.split(/[\r\n]+/),
  );
  return lines.flatMap((line) =>
    clausesOf(oneLine(cutText(line, maxSentenceChars)).replace(longQuotation, ' '), onlyOwn).map(({ key, text }) => ({
      key,
      text: cutText(text.replace(linkingWord, ''), maxFactChars),
    })),
  );
}

const linkingWord = /^(?:and|but|also|그리고|그런데|근데|참고로)\s+/i;

/** Matches quotations of three or more words, to exclude names. */
const longQuotation = /["“「『](?:[^\s"“”「」『』]+\s+){2,}[^"“”「」『』]*["”」』]|(?<!\p{L})['‘](?:[^\s'‘’]+\s+){2,}[^'‘’]*['’]/gu;

/** Possible start of another statement within a sentence. Does not split `March 15, 2026` or `1,000`. */
const joint =
  /((?<!\d)[,;、，]\s*|[,;、，](?!\s?\d)\s*|(?<=이고|이며|하며|지만|인데|는데|으며|[았었했됐렸갔왔샀]고)\s+(?!싶|있)|\s+(?=(?:그리고|그런데|근데|참고로)\s)|\s+(?=(?:and|but|also)\s+(?:my|our|the|i|i'm|call)\b))/iu;

/** Splits a sentence only where both sides state something: `사과, 배를 좋아해` is one statement. */
function clausesOf(sentence: string, onlyOwn: boolean): readonly { readonly key: string; readonly text: string }[] {
  const parts = sentence.split(joint);
  const found: { key: string; text: string }[] = [];
  let clause = '';
  let key: string | undefined;
  const end = (): void => {
    if (key !== undefined) found.push({ key, text: trimStops(clause) });
    clause = '';
    key = undefined;
  };
  for (let i = 0; i < parts.length; i += 2) {
    const part = parts[i] ?? '';
    const isLast = i + 2 >= parts.length;
    if (saysNothing(part, isLast && /[?？]\W*$/u.test(sentence))) {
      end();
      continue;
    }
    const ownKey = factKey(trimStops(part), { onlyOwn });
    const startsAnew = key !== undefined && (ownKey !== undefined || part.split(' ').length > 3);
    if (startsAnew || clause.length + part.length > maxClauseChars) end();
    clause += (clause === '' ? '' : (parts[i - 1] ?? '')) + part;
    key = clause === part ? ownKey : (factKey(trimStops(clause), { onlyOwn }) ?? ownKey);
  }
  end();
  return found;
}

const trimStops = (text: string): string => {
  let end = text.length;
  while (end > 0 && /[\s.,;!~…。、，]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).trimStart();
};

const koreanQuestion =
  /(?<![가-힣])(?:뭐|뭔|뭘|무엇|무슨|언제(?!나|든)|누구(?!나|든)|누가|어디(?!서?나|든)|얼마(?!나\s?많|든)|몇|왜(?!냐)|어느|어떤|어떻게)/u;
const englishQuestion =
  /^(?:(?:and|but|so|hey|hi|also)\s+)?(?:what|when|who|whom|whose|where|why|how|which|is|are|was|were|do|does|did|can|could|would|will|shall|should|may|have|has)(?:'s)?\s/i;
const condition = /^if\s|\bif my\b|(?:라면|다면|이면)$/i;
const koreanOrder =
  /(?<!기억해\s?|기억해\s?놔\s?|불러\s?|알아\s?둬\s?)(?:줘|줘요|주세요|줄래|주실래요|주십시오)$|(?:해라|하라|하세요|해봐|부탁해|부탁해요|부탁드립니다)$/;
const englishOrder =
  /^(?:please\s+)?(?:summari[sz]e|find|tell|show|calculate|compute|explain|write|give|translate|search|look|list|make|create|compare|convert|draw|read|run|answer)\s/i;
/** Verbs that may also begin a statement (`Check in is at 3`). They count as orders before a pointing word, or before a colon. */
const englishOrderFor =
  /^(?:please\s+|can you\s+)?(?:fix|debug|refactor|rewrite|improve|correct|check|review|solve|simplify|shorten|rephrase|proofread|format|sort|count|test|describe|define|generate|optimi[sz]e|complete|continue|edit|explain|translate|summari[sz]e|answer|evaluate|analy[sz]e)(?:\s+(?:this|that|these|those|it|the following|(?:my|the|this) (?:code|text|sentence|function|email|essay))\b|\s*:)/i;

/** True for a question, a condition or an order. */
function saysNothing(part: string, isAsked: boolean): boolean {
  const text = trimStops(part);
  return (
    isAsked ||
    koreanQuestion.test(text) ||
    englishQuestion.test(text) ||
    condition.test(text) ||
    koreanOrder.test(text) ||
    englishOrder.test(text) ||
    englishOrderFor.test(text)
  );
}
