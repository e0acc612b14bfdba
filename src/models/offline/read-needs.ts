import { dividesByZero } from '../../core/arithmetic/expression.ts';
import { findExpression } from '../../core/arithmetic/find-expression.ts';
import { answersInKorean } from '../../core/text/answers-in-korean.ts';
import { contentWords } from '../../core/text/content-words.ts';
import { answerDate } from './answer-date.ts';
import { answerUnits } from './answer-units.ts';
import { asksForNow, asksForNowIn } from './asks-for-now.ts';
import { extendsSum } from './extends-sum.ts';
import { parseNow } from './parse-now.ts';
import { type EarlierResult, readSum } from './read-sum.ts';
import { readZoneQuestion } from './read-zone-question.ts';
import { hasTopic } from './request-words.ts';
import { stripImperative } from './strip-imperative.ts';

/** A need of a request: a tool, or a known answer. */
export type Need =
  | {
      readonly kind: 'calculate';
      readonly expression: string;
      /** Unit of the result; '' for a number with grouped digits. Absent for neither. */
      readonly unit?: string;
    }
  | {
      readonly kind: 'datetime';
      /** IANA name of the requested zone. */
      readonly zone?: string;
    }
  /** An answer without a tool: a date, a difference of clocks, another unit, a division by zero. */
  | { readonly kind: 'known'; readonly answer: string }
  | { readonly kind: 'weather'; readonly query: string }
  | { readonly kind: 'read'; readonly path: string; readonly summarize: boolean }
  | { readonly kind: 'wikipedia'; readonly query: string; readonly summarize: boolean }
  /** Knowledge of the world: places, news, prices. */
  | { readonly kind: 'web'; readonly query: string; readonly summarize: boolean }
  /** Content of the documents: the request names them, or names no other source. */
  | { readonly kind: 'documents'; readonly query: string; readonly summarize: boolean; readonly named: boolean };

const patterns = {
  datetime:
    /몇 ?시|오늘 ?(?:날짜|며칠)|(?:오늘|지금|내일)\S{0,20}\s?며칠이|^\s?며칠이|무슨 요일|지금 시[간각]|현재 시[간각]|what time|what day|today'?s date|current (?:date|time)/i,
  weather: /날씨|기온|미세먼지|weather|forecast/i,
  read: /읽|열어|보여|내용|요약|정리|\bread\b|\bopen\b|\bshow\b|\bcat\b|summar/i,
  wikipedia: /위키(?:피디아|백과)?|wikipedia/i,
  web: /맛집|식당|카페|여행|추천|뉴스|시세|주가|가격|환율|인터넷|웹에서|restaurant|news|stock price|exchange rate|on the (?:web|internet)/i,
  documents: /문서|저장소|레포|readme|\bdocs?\b|documents?\b|documentation|repository/i,
  summarize: /요약|정리해|summar[iy]\w*|sum up/i,
  search:
    /찾아|검색|알려|뭐야|뭔지|무엇|어떻게|왜|언제|어디|누가|설명|있어|있나|인가|\b(?:find|search|look up|what|how|why|when|where|who|which|explain|describe|tell)\b|[?？]\s*$/i,
};

const filePath =
  /(?:^|[\s"'`(])((?:[\w.가-힣-]+\/)*[\w가-힣-][\w.가-힣-]*\.(?:md|mdx|txt|json|ya?ml|toml|csv|ts|tsx|js|mjs|py|html|css|sh))(?![\w/-]|\.\w)/i;

export interface ReadNeedsOptions {
  /** The current time, as `describeDatetime` writes it. Without it, questions about days have no answer. */
  readonly currentDatetime?: string;
  /** The previous answer, to which `거기에 2를 곱하면?` refers. */
  readonly lastAnswer?: string;
}

/** The last answer of a conversation, for the options of `readNeeds` and `answerSentence`. */
export function lastAnswerOf(
  messages: readonly { readonly role: string; readonly content: string }[],
): Pick<ReadNeedsOptions, 'lastAnswer'> {
  const lastAnswer = messages.findLast(({ role }) => role === 'assistant')?.content;
  return lastAnswer === undefined ? {} : { lastAnswer };
}

/** Answers of the needs that take no tool. */
export const knownAnswers = (needs: readonly Need[]): readonly string[] =>
  needs.flatMap((need) => (need.kind === 'known' ? [need.answer] : []));

/** Reads the needs of a request, clause by clause. Empty if nothing in it needs a tool. */
export function readNeeds(text: string, options: ReadNeedsOptions = {}): readonly Need[] {
  const whole = readSentence(text, options);
  if (whole) return [whole];
  const needs: Need[] = [];
  let cutSum = false;
  const clauses = splitClauses(text);
  const orders: DocumentsNeed[] = [];
  for (const [index, clause] of clauses.entries()) {
    const sentence = readSentence(clause, options);
    const need = sentence ?? readClause(clause);
    if (isCutList(clause, clauses[index + 1]) || (!sentence && extendsSum(clause))) cutSum = true;
    else if (need?.kind === 'documents' && !hasTopic(clause)) orders.push(need);
    else if (need) needs.push(need);
    else if (patterns.summarize.test(clause)) askForSummary(needs);
  }
  for (const order of orders) addToSearch(needs, order);
  const isSum = cutSum && (findExpression(text) !== undefined || needs.some(({ kind }) => kind === 'calculate'));
  // the part that was read is not the whole question
  return isSum ? [...needs.filter(({ kind }) => kind !== 'calculate'), notUnderstood(text)] : needs;
}

type DocumentsNeed = Extract<Need, { readonly kind: 'documents' }>;

/** Merges a search without a topic into the other one: `What is a lease? Search the docs`. */
function addToSearch(needs: Need[], order: DocumentsNeed): void {
  const index = needs.findLastIndex(({ kind }) => kind === 'documents');
  const search = needs[index];
  if (search?.kind === 'documents')
    needs[index] = { ...search, named: search.named || order.named, summarize: search.summarize || order.summarize };
}

/** True for a list that the split has cut: `average of 3, 5 | and | 7 plus 2`. */
const isCutList = (clause: string, next = ''): boolean =>
  /\b(?:average|mean|sum|total|product|difference|max(?:imum)?|min(?:imum)?|largest|smallest|greatest|biggest|least)\b\D*\d/i.test(
    clause,
  ) && /^\s*[\d(]/.test(next);

const notUnderstood = (text: string): Need => ({
  kind: 'known',
  answer: answersInKorean(text)
    ? '이 계산은 끝까지 이해하지 못했습니다. 식 하나로 써 주세요. 예: (12*30)+7'
    : 'This sum was not understood to its end. Please write it as one expression, for example (12*30)+7.',
});

const maxSentenceChars = 200;

/**
 * Reads a sentence that asks only for a sum, a date, a time somewhere or another unit. Returns `undefined` if it does not understand every
 * word.
 */
export function readSentence(text: string, { currentDatetime, lastAnswer }: ReadNeedsOptions = {}): Need | undefined {
  const sentence = text.trim();
  if (sentence === '' || sentence.length > maxSentenceChars) return undefined;
  const korean = answersInKorean(sentence);
  // Decision 238: all or nothing, because a wrong sum costs more than no answer.
  const sum = readSum(sentence, lastAnswer === undefined ? undefined : earlierResult(lastAnswer));
  if (sum) {
    const typed = sum.unit === undefined ? findExpression(sentence) : undefined;
    // an identical typed expression, because the calculator quotes it
    if (typed !== undefined && sentence.includes(typed) && typed.replaceAll(/[\s,]/g, '') === sum.expression)
      return { kind: 'calculate', expression: typed };
    if (!dividesByZero(sum.expression)) return { kind: 'calculate', ...sum };
    return {
      kind: 'known',
      answer: korean ? `${sum.expression}: 0으로 나눌 수 없습니다.` : `${sum.expression}: nothing can be divided by zero.`,
    };
  }
  if (asksForNow(sentence)) return { kind: 'datetime' };
  const now = currentDatetime === undefined ? undefined : parseNow(currentDatetime);
  const clocks = now && readZoneQuestion(sentence, now, korean);
  if (clocks) return clocks.kind === 'time' ? { kind: 'datetime', zone: clocks.zone } : { kind: 'known', answer: clocks.answer };
  const answer = (now && answerDate(sentence, now.day, korean)) ?? answerUnits(sentence, korean);
  return answer === undefined ? undefined : { kind: 'known', answer };
}

/** Returns the exact result at the end of an answer. */
function earlierResult(answer: string): EarlierResult | undefined {
  const found = /\s=\s([$€£¥₩]?)(-?\d[\d,]*(?:\.\d+)?)\s?([^\d\s.]{0,12})\s*$/u.exec(answer.slice(-200));
  return found ? { digits: (found[2] ?? '').replaceAll(',', ''), unit: found[1] || found[3] || '' } : undefined;
}

function readClause(clause: string): Need | undefined {
  const summarize = patterns.summarize.test(clause);
  const expression = findExpression(clause);
  if (expression !== undefined) return { kind: 'calculate', expression };
  const isOtherDay = /모레|글피|어제|그제|내일|tomorrow|yesterday/iu.test(clause);
  if (patterns.datetime.test(clause) && !isOtherDay && asksForNowIn(clause.slice(0, maxSentenceChars))) return { kind: 'datetime' };
  const path = filePath.exec(clause)?.[1];
  if (path !== undefined && patterns.read.test(clause)) return { kind: 'read', path, summarize };
  if (patterns.weather.test(clause)) return { kind: 'weather', query: placeOf(clause) };
  const query = contentWords(clause.replace(patterns.wikipedia, ' '));
  if (patterns.wikipedia.test(clause)) return { kind: 'wikipedia', query, summarize };
  const named = patterns.documents.test(clause);
  if (!named && patterns.web.test(clause)) return { kind: 'web', query: stripImperative(clause), summarize };
  if (!hasContent(clause)) return undefined;
  return named || patterns.search.test(clause) || summarize ? { kind: 'documents', query, summarize, named } : undefined;
}

/** Applies `… and summarise it` to the last need that supports it. */
function askForSummary(needs: Need[]): void {
  const index = needs.findLastIndex((need) => 'summarize' in need);
  const need = needs[index];
  if (need && 'summarize' in need) needs[index] = { ...need, summarize: true };
}

/** Splits `A를 찾아 요약하고 B도 계산해줘` into two clauses: at linking verbs, the ends of sentences, commas and conjunctions. */
function splitClauses(text: string): readonly string[] {
  return text
    .replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' ')) // long runs of blanks would slow down the split
    .split(
      /(?<=[가-힣]하고|[가-힣]해서|다음에?|그리고|주고|보고|[가-힣]{2}[.!?])\s+|(?<=[a-z]{2}[.!?])\s+(?=[A-Z])|[;\n]\s*|,\s+(?=\D)|\s+(?:그리고|and then|and also|and|then)\s+/i,
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

/** True if a clause contains more than the order to do something. */
const hasContent = (clause: string): boolean => {
  const rest = clause.replace(new RegExp(`${patterns.summarize.source}|해\\s?(?:줘|주세요|줄래)?|it|them|this|please`, 'gi'), ' ');
  return /[\p{L}\p{N}]{2,}/u.test(rest);
};

function placeOf(clause: string): string {
  const place = contentWords(clause.replace(patterns.weather, ' ').replace(/오늘|내일|지금|현재|어때|today|tomorrow|now|like/gi, ' '));
  return /[\p{L}]/u.test(place) ? place : '';
}
