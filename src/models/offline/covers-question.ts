import { contentWords } from '../../core/text/content-words.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';

/** Question words that the answer need not contain. */
const asking =
  /^(?:얼마\S*|며칠\S*|몇\S*|무슨|어느|누구\S*|누가|언제\S*|어디\S*|왜|뭐\S*|무엇\S*|어떻게|하나요|되나요|돼\S*|해야\S*|가능\S*|있\S*|하면|대해\S*|알\S*|줘\S*|주세요|many|much|long|often|get|have|has|had|need|needs|there|make|does|any|some|am|let|know|use|used)$/iu;
/** Words of half of all texts: they are not a topic on their own. */
const common =
  /^(?:[\d.,!%]+|times?|days?|dates?|weeks?|months?|years?|hours?|minutes?|seconds?|today|now|next|last|first|new|good|best|work|works|people|person|thing|things|way|one|two|name|number|answer|question)$/iu;
const ending =
  /(?<=[가-힣]{2})(?:해|해요|합니까|한다|했나|이?야|이?에요|예요|인가요?|이지|입니까|할까|하는|하려면|하면|했어|해야|되는|되면|됩니까|은|는|이|가|을|를|의|에|에서|도|만|까지|부터|으?로|와|과|이나|라고|이란|란)$/u;

const verb = /[가-힣](?:해|해요|하나|합니까|한다|했나|[아어]요?|줘야|써야|받아|나와|되나)$/u;
/**
 * True if a text contains the meaningful words of a question. A quotation with only some of them is about something else. One word may be
 * missing if 3 others match, or 2 if the missing one is a near match.
 */
export function coversQuestion(question: string, text: string): boolean {
  const words = contentWords(question)
    .split(/\s+/)
    .filter((word) => word !== '' && !asking.test(word));
  if (words.every((word) => common.test(word))) return false;
  const lower = text.normalize('NFC').toLowerCase();
  const tokens = new Set(searchTokens(text));
  const held = words.filter((word) => holds(word, lower, tokens)).length;
  const missing = words.filter((word) => !holds(word, lower, tokens));
  // a verb may be worded differently, and a shorter word may stand for a longer one
  const isNear = (word: string): boolean => verb.test(word) || (/^[가-힣]{3}/.test(word) && holds(word.slice(0, 2), lower, tokens));
  return missing.length === 0 || (missing.length === 1 && held >= (isNear(missing[0] ?? '') ? 2 : 3));
}

function holds(word: string, text: string, tokens: ReadonlySet<string>): boolean {
  if (!/[가-힣]/.test(word)) return searchTokens(word).every((token) => tokens.has(token));
  const stem = word.normalize('NFC').toLowerCase().replace(ending, '');
  // two syllables may be part of another word
  return stem.length > 2
    ? text.includes(stem) || (stem.length > 3 && text.includes(stem.slice(0, -1)))
    : new RegExp(`(?<![가-힣])${escaped(stem)}`, 'u').test(text);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
