import type { Passage } from 'agent-machines';
import { type AskedDefinition, askedDefinition, bestSentences, coversQuestion, sharedTokens } from 'agent-machines/models';
import { contentWords, searchTokens } from 'agent-machines/search';

const maxQuoteChars = 500;
const maxQuotes = 2;
/** A shorter passage is quoted whole. */
const wholeChars = 600;
/** A longer subject is shortened to its words. */
const maxSubjectChars = 60;

interface DescribeContextOptions {
  readonly korean: boolean;
  /** True if the question does not mention documents. Then only a passage that covers the whole question answers it. */
  readonly strict: boolean;
}

/** Quotes the passages about a question, or says that there are none. */
export function describeContext(passages: readonly Passage[], question: string, options: DescribeContextOptions): readonly string[] {
  const { korean, strict } = options;
  const definition = askedDefinition(question);
  if (definition) return describeDefinition(passages, definition, korean);
  const words = subjectOf(question);
  const asked = new Set(searchTokens(words.map((word) => word.replace(verbEnding, '')).join(' ')));
  const enough = asked.size <= 2 ? asked.size : asked.size / 2;
  const about = passages.filter(
    ({ source, heading, text }) =>
      asked.size > 0 &&
      sharedTokens(asked, `${source} ${heading} ${text}`) >= enough &&
      (!strict || coversQuestion(question, `${heading} ${excerpt(text, asked)}`)),
  );
  if (about.length > 0)
    return about
      .toSorted((a, b) => Number(isTitle(b, asked)) - Number(isTitle(a, asked)))
      .slice(0, maxQuotes)
      .map(({ source, heading, text }) => `“${excerpt(text, asked)}” (${[source, heading].filter(Boolean).join(' › ')})`);
  return [notFound(asWritten(question, words), passages, korean)];
}

function describeDefinition(passages: readonly Passage[], { term, quoteFrom }: AskedDefinition, korean: boolean): readonly string[] {
  const quotes = passages.flatMap((passage) => {
    const quote = quoteFrom(passage);
    return quote === undefined ? [] : `“${quote}” (${[passage.source, passage.heading].filter(Boolean).join(' › ')})`;
  });
  return quotes.length > 0 ? [...new Set(quotes)].slice(0, maxQuotes) : [notFound(`“${term}”`, passages, korean)];
}

function notFound(subject: string, passages: readonly Passage[], korean: boolean): string {
  const near = [...new Set(passages.map(({ source }) => source))].join(', ');
  return korean
    ? `문서에서 ${subject}에 관한 내용을 찾지 못했습니다${near === '' ? '' : ` (찾아본 문서: ${near})`}.`
    : `The documents say nothing about ${subject}${near === '' ? '' : ` (looked at: ${near})`}.`;
}

/** Returns the part of the question from the first of these words to the last. A text that is not a quotation gets no quotation marks. */
function asWritten(question: string, words: readonly string[]): string {
  const lower = question.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase()));
  const end = Math.max(...places.map((place, index) => place + (words[index]?.length ?? 0)));
  const written = question.slice(Math.min(...places), end);
  const isFound = words.length > 0 && !places.includes(-1) && written.length <= maxSubjectChars;
  return isFound ? `“${written.replace(/\s+/gu, ' ')}”` : words.join(', ');
}

/** Words of a question that its answer need not contain. */
const others =
  /^(?:안녕\S*|고마\S*|감사\S*|네|넵|hello|hi|hey|thanks?|[가-힣]|[\d.,]+[가-힣]?|경우\S*|우리|저희|회사\S?|해야\S*|하나요|하면|가능\S*|many|much|get|have|need|company(?:['’]?s)?|there|allowed)$/iu;
const verbEnding = /(?<=[가-힣]{2})(?:도|만|하면|하는|하려면|할|했을|해야|되면|됐을|시)$/u;

/** Returns the words of the question's subject. If a single word would be left, all words are kept. */
function subjectOf(question: string): readonly string[] {
  const words = contentWords(question).split(' ');
  const kept = words.filter((word) => !others.test(word));
  const isShort = kept.length === 1 && searchTokens(kept[0] ?? '').length === 1 && words.some((word) => word.startsWith('회사'));
  return kept.length === 0 || isShort ? words : kept;
}

/** True if the passage's own heading is exactly the subject: `휴가 정책` ranks before the passages under it. */
function isTitle({ heading }: Passage, asked: ReadonlySet<string>): boolean {
  const tokens = searchTokens(heading.split(' › ').at(-1) ?? '');
  return tokens.length > 0 && tokens.every((token) => asked.has(token));
}

const excerpt = (text: string, asked: ReadonlySet<string>): string =>
  text.length <= wholeChars ? text.trim() : bestSentences(text, asked, { maxChars: maxQuoteChars });
