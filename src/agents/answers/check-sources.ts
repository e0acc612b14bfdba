import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { Citation } from '../../core/ports/citation.ts';
import { hasQuote, quotesOf } from '../../core/text/quotes.ts';
import { repairMessage } from '../../core/util/repair-message.ts';

/** A source retrieved before the answer was written. */
export interface LookedUpSource {
  /** Name of a file, or an id. */
  readonly name: string;
  readonly text: string;
}

export interface CheckSourcesOptions {
  readonly sources: readonly LookedUpSource[];
  /** Other texts that the answer may repeat: the question, the conversation, tool results. */
  readonly background?: readonly string[];
}

// starts at a word boundary: starting at each letter would read a long word once for each of them
const fileName =
  /(?<![\p{L}\p{N}_@/.-])(?:[\p{L}\p{N}_-]+[/.])*[\p{L}\p{N}_-]+\.(?:md|mdx|markdown|txt|pdf|docx|odt|hwpx|rtf|html?|json)(?![\w/])/giu;
const code = /```[\s\S]*?(?:```|$)|`[^`\n]+`/gu;
const maxNamed = 8;

/**
 * Checks the quotes of an answer, and the documents that it names. `misquoted` words occur in no retrieved document; an `unknown` document
 * was not retrieved. Code does not count as a quote.
 *
 * @example checkSources('“all visitors wear red” (rules.md)', { sources: [{ name: 'rules.md', text: 'Visitors sign in.' }] })
 * // [{ label: 'rules.md', quote: '', status: 'supported' }, { label: '', quote: 'all visitors wear red', status: 'misquoted' }]
 */
export function checkSources(answer: string, { sources, background = [] }: CheckSourcesOptions): readonly Citation[] {
  const texts = [...sources.map(({ name, text }) => `${name}\n${text}`), ...background];
  const known = texts.map((text) => text.toLowerCase());
  const names = new Set(answer.replace(/```[\s\S]*?(?:```|$)/gu, ' ').match(fileName) ?? []);
  return [
    ...[...names].map((label): Citation => {
      const isKnown = known.some((text) => text.includes(label.toLowerCase()));
      return { label, quote: '', status: isKnown ? 'supported' : 'unknown' };
    }),
    ...quotesOf(answer.replace(code, ' ')).map(({ quote }): Citation => {
      const isKnown = texts.some((text) => hasQuote(text, quote));
      return { label: '', quote, status: isKnown ? 'supported' : 'misquoted' };
    }),
  ];
}

/** Builds the repair messages for an answer with wrong citations: the answer, and its errors. */
export const sourcesRepairPrompt = (answer: string, wrong: readonly Citation[]): readonly ChatMessage[] => [
  { role: 'assistant', content: answer },
  repairMessage(`What your answer cites was compared with the documents that were looked up:
${wrong.map(({ label, quote, status }) => `- ${status === 'unknown' ? `${label}: no document of this name was looked up` : `"${quote}": no document has these words`}`).join('\n')}
Write the whole answer again. Quote word for word, or say it in your own words without quotation marks; what the documents do not say, you leave out or say so. Do not speak of this correction.`),
];

/** Describes unconfirmed citations for the reader; empty if all are confirmed. */
export function describeUnconfirmed(citations: readonly Citation[], korean: boolean): string {
  const wrong = citations.filter(({ status }) => status !== 'supported');
  if (wrong.length === 0) return '';
  const named = wrong.slice(0, maxNamed).map(({ label, quote, status }) => {
    if (status === 'unknown') return `${label} (${korean ? '찾아보지 않은 문서' : 'a document that was not looked up'})`;
    return `“${quote.length > 60 ? `${quote.slice(0, 59)}…` : quote}” (${korean ? '문서에 없는 말' : 'in no document'})`;
  });
  const more = wrong.length - named.length;
  const list = [...named, ...(more > 0 ? [korean ? `그 밖에 ${more}개` : `and ${more} more`] : [])].join(', ');
  return korean ? `※ 문서에서 확인되지 않은 부분: ${list}` : `Not confirmed by the documents: ${list}`;
}
