import type { Json, JsonObject } from '../../core/ports/json.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { cutAtSentence, splitSentences } from '../../core/text/sentences.ts';
import { asObject } from '../../core/util/as-object.ts';
import { askedDefinition } from './asked-definition.ts';
import { bestSentences } from './best-sentences.ts';
import { coversQuestion } from './covers-question.ts';
import { describeSum } from './describe-sum.ts';
import { modestAnswer } from './modest-answer.ts';
import { sharedTokens } from './shared-tokens.ts';

export interface DescribeToolOutputOptions {
  /** True for Korean; otherwise English. */
  readonly korean: boolean;
  /** True for a search that leaves out the results of earlier turns. @default false */
  readonly continued?: boolean;
  /** For a sum: the unit of the result, for example `원`; '' groups its digits. */
  readonly unit?: string;
  /** For a search that the user did not ask for: an answer must cover all of this question. */
  readonly question?: string;
  /**
   * For a search or its summary: the whole request. If it asks for a definition, a passage must contain it; otherwise the answer is modest.
   */
  readonly request?: string;
  /** For a summary: the output of the search behind it. */
  readonly searched?: Json;
}

/** Describes the output of a tool, as a sentence or a quotation. States that nothing was found. */
export function describeToolOutput(tool: string, output: Json, options: DescribeToolOutputOptions): string {
  const { korean, continued = false, searched, unit, question } = options;
  const result = asObject(output);
  const defined = describeDefinition(tool, tool === 'summarize' ? asObject(searched ?? null) : result, options);
  if (defined !== undefined) return defined;
  switch (tool) {
    case 'calculator':
      return describeSum(text(result.expression), Number(result.result), unit);
    case 'get_current_datetime':
      return korean
        ? `지금은 ${text(result.date)} ${text(result.time)}입니다 (${weekday(text(result.weekday))}, ${text(result.zone)}).`
        : `It is ${text(result.weekday)}, ${text(result.date)} ${text(result.time)} (${text(result.zone)}).`;
    case 'get_weather':
      return korean
        ? `${text(result.location)}의 날씨: ${text(result.description)}, ${text(result.temperature)}도 (체감 ${text(result.feelsLike)}도), 습도 ${text(result.humidityPercent)}%.`
        : `Weather in ${text(result.location)}: ${text(result.description)}, ${text(result.temperature)}° (feels like ${text(result.feelsLike)}°), humidity ${text(result.humidityPercent)} %.`;
    case 'search_documents':
      return describePassages(result, { continued, korean, question });
    case 'summarize':
      return describeSummary(result, asObject(searched ?? null), continued, korean);
    case 'read_file':
      return `${text(result.path)}:\n${quote(cutAtSentence(text(result.text), 1_200))}`;
    case 'web_search':
    case 'search_wikipedia':
      return describeHits(asList(result.results), korean);
    default:
      return `${tool}: ${typeof output === 'string' ? output : JSON.stringify(output)}`;
  }
}

const maxDefinitions = 3;

/**
 * Returns the passages with the definition that a request asks for, or a statement that none has it. Returns `undefined` for another
 * request or search.
 */
function describeDefinition(tool: string, search: JsonObject, { request, korean }: DescribeToolOutputOptions): string | undefined {
  const asked = request === undefined || search.passages === undefined ? undefined : askedDefinition(request);
  const query = text(search.query);
  if (asked === undefined || !query.toLowerCase().includes(asked.term.toLowerCase())) return undefined;
  const quotes = asList(search.passages).flatMap((passage) => {
    const quote = asked.quoteFrom({ heading: text(passage.heading), text: text(passage.text) });
    return quote === undefined ? [] : `“${quote}” ${sourceOf(passage)}`.trimEnd();
  });
  if (quotes.length === 0) return modestAnswer({ korean, notFound: notFound(asked.term, false, korean) });
  const lines = [...new Set(quotes)].slice(0, maxDefinitions);
  return tool === 'summarize' ? [summaryTitle(query, korean), ...lines.map((line) => `- ${line}`)].join('\n') : lines.join('\n');
}

interface SearchContext {
  readonly continued: boolean;
  readonly korean: boolean;
  readonly question: string | undefined;
}

function describePassages(result: JsonObject, { continued, korean, question }: SearchContext): string {
  const query = text(result.query);
  const quotes = asList(result.passages)
    .filter((passage) => isAbout(query, passage))
    .map((passage) => ({
      passage,
      quote: bestSentences(text(passage.text), new Set(searchTokens(query)), { maxSentences: 2, maxChars: 400 }),
    }))
    .filter(({ quote }) => quote !== '') // only code
    .filter(({ passage, quote }) => question === undefined || coversQuestion(question, `${text(passage.heading)} ${quote}`));
  if (quotes.length === 0) return notFound(query, continued, korean);
  return quotes
    .slice(0, 3)
    .map(({ passage, quote }) => `“${quote}” ${sourceOf(passage)}`)
    .join('\n');
}

function describeSummary(result: JsonObject, search: JsonObject, continued: boolean, korean: boolean): string {
  const query = text(search.query);
  if (search.passages !== undefined && !asList(search.passages).some((passage) => isAbout(query, passage))) {
    return notFound(query, continued, korean);
  }
  const sentences = asList(result.sentences);
  if (sentences.length === 0) return korean ? '요약할 내용이 없습니다.' : 'There is nothing to summarise.';
  return [summaryTitle(query, korean), ...sentences.map((sentence) => `- “${text(sentence.text)}” ${sourceOf(sentence)}`.trimEnd())].join(
    '\n',
  );
}

const summaryTitle = (query: string, korean: boolean): string => {
  if (query === '') return korean ? '요약:' : 'Summary:';
  return korean ? `"${query}" 요약:` : `"${query}", summarised:`;
};

function describeHits(hits: readonly JsonObject[], korean: boolean): string {
  if (hits.length === 0) return korean ? '찾은 것이 없습니다.' : 'Nothing was found.';
  return hits
    .slice(0, 3)
    .map(
      (hit) =>
        `- ${text(hit.title)}: “${splitSentences(text(hit.content ?? hit.extract ?? ''))
          .slice(0, 2)
          .join(' ')}” (${text(hit.url)})`,
    )
    .join('\n');
}

/** True for a passage with at least half of the query's tokens. */
function isAbout(query: string, passage: JsonObject): boolean {
  const asked = new Set(searchTokens(query));
  return sharedTokens(asked, `${text(passage.heading)} ${text(passage.text)}`) * 2 >= asked.size;
}

const sourceOf = (passage: JsonObject): string => {
  const heading = text(passage.heading ?? '');
  return passage.source === undefined ? '' : `(${text(passage.source)}${heading === '' ? '' : ` › ${heading}`})`;
};

function notFound(query: string, continued: boolean, korean: boolean): string {
  if (korean) return `"${query}"에 관한 내용을 문서에서 ${continued ? '더 ' : ''}찾지 못했습니다.`;
  return `The documents say nothing ${continued ? 'more ' : ''}about "${query}".`;
}

const weekdays: { readonly [name: string]: string } = {
  Monday: '월요일',
  Tuesday: '화요일',
  Wednesday: '수요일',
  Thursday: '목요일',
  Friday: '금요일',
  Saturday: '토요일',
  Sunday: '일요일',
};
const weekday = (name: string): string => weekdays[name] ?? name;

const quote = (lines: string): string => lines.replace(/^/gm, '> ');
const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
const asList = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.map(asObject) : []);
