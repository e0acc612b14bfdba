import type { JsonObject } from '../../core/ports/json.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { cutAtSentence, sentencesOf } from '../../core/text/sentences.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { defineTool } from '../define/define-tool.ts';

export interface SummarizeOptions {
  /** Number of sentences for calls that do not set it, from 1 to 10. @default 4 */
  readonly maxSentences?: number;
}

/**
 * The tool `summarize`: quotes the most informative sentences of a text, or of another tool's result. It uses no model. The same input
 * yields the same sentences, each quoted verbatim from the input.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when `maxSentences` is not a whole number from 1 to 10.
 * @example summarize().execute({ text: 'A long text.', focus: 'crash' }, context) // { sentences: [{ text }], from: 1 }
 */
export function summarize({ maxSentences = 4 }: SummarizeOptions = {}): Tool {
  checkInteger('maxSentences', maxSentences, { min: 1, max: 10 });
  return defineTool({
    name: 'summarize',
    description:
      'Quotes the most important sentences of a text, or of the result of another tool such as search_documents, web_search or read_file.',
    access: 'compute', // the quoted text was already in the thread
    primaryInput: 'text',
    input: objectSchema(
      {
        text: {
          anyOf: [
            { type: 'string' },
            { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
            { type: 'array', items: {} },
          ],
          description: 'What to summarize: a text, or the result of another tool as it is.',
        },
        maxSentences: { default: maxSentences, description: 'How many sentences at the most.', type: 'integer', minimum: 1, maximum: 10 },
        focus: { description: 'What the summary should be about. Default: the query that the result answers.', type: 'string' },
      },
      { optional: ['focus'] },
    ),
    async execute({ text, maxSentences, focus }, { signal }) {
      signal.throwIfAborted();
      const candidates = candidatesIn(text);
      const scores = scoresOf(candidates, new Set(searchTokens(focus ?? queryOf(text))));
      return { sentences: quote(candidates, scores, maxSentences), from: candidates.length };
    },
  });
}

/** Maximum length of a sentence, in characters. Text without full stops, such as a page's menu, would be one endless sentence. */
const maxSentenceChars = 600;

/** A text of the input with its known origin. */
interface Piece {
  readonly text: string;
  readonly source: string | undefined;
  readonly heading: string | undefined;
}

/** A sentence available for quoting. */
interface Candidate extends Piece {
  readonly tokens: ReadonlySet<string>;
}

/** Yields the texts of search results, or every string of any other value. */
function* piecesOf(value: unknown): Generator<Piece> {
  if (typeof value === 'string') {
    yield { text: value, source: undefined, heading: undefined };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* piecesOf(item);
  } else if (isObject(value)) {
    const text = firstString(value, ['text', 'content', 'extract']);
    const source = firstString(value, ['source', 'path', 'url']);
    const heading = firstString(value, ['heading', 'title']);
    if (text !== undefined && (source ?? heading) !== undefined) yield { text, source, heading };
    else yield* piecesOf(answersIn(value) ?? Object.values(value));
  }
}

/** Returns the results of a search, without other fields such as the query, which must not be quoted. */
const answersIn = (value: Readonly<Record<string, unknown>>): unknown => [value.passages, value.results].find(Array.isArray);

const queryOf = (value: unknown): string => (isObject(value) && answersIn(value) ? (firstString(value, ['query']) ?? '') : '');

function firstString(value: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  const strings = keys.map((key) => value[key]).filter((member) => typeof member === 'string');
  return strings.find((string) => string !== '') ?? strings[0];
}

function candidatesIn(value: unknown): readonly Candidate[] {
  const titles: Candidate[] = [];
  const sentences: Candidate[] = [];
  for (const piece of piecesOf(value)) {
    let { heading } = piece;
    for (const sentence of sentencesOf(piece.text)) {
      const text = cutAtSentence(sentence.text, maxSentenceChars);
      if (sentence.heading) heading = sentence.text;
      (sentence.heading ? titles : sentences).push({ text, source: piece.source, heading, tokens: new Set(searchTokens(text)) });
    }
  }
  // cells and items of one or two words, or of links alone, count only if there is nothing else
  const informative = sentences.filter(({ text, tokens }) => tokens.size >= 3 && searchTokens(text.replace(link, '')).length >= 2);
  return informative.length > 0 ? informative : sentences.length > 0 ? sentences : titles;
}

const link = /!?\[[^\]]*\]\([^)]*\)/g;

/** Scores the candidates: each part is at most 1, with a small bonus for early sentences. */
function scoresOf(candidates: readonly Candidate[], focus: ReadonlySet<string>): readonly number[] {
  const central = centrality(candidates);
  const asked = inProportion(candidates.map(({ tokens }) => countShared(tokens, focus)));
  return candidates.map((_, i) => (central[i] ?? 0) + (asked[i] ?? 0) + 0.15 * (1 - i / candidates.length));
}

/** Scores the overlap of a sentence with the others, from 0 to 1: the frequency of its words, damped by its length. */
function centrality(candidates: readonly Candidate[]): readonly number[] {
  const occurrences = new Map<string, number>();
  for (const { tokens } of candidates) for (const token of tokens) occurrences.set(token, (occurrences.get(token) ?? 0) + 1);
  // a word in every other sentence is grammar or the shared subject, so it has no weight
  const common = Math.max(2, candidates.length / 2);
  const weight = (token: string): number => {
    const count = occurrences.get(token) ?? 0;
    return count > common || /^[a-z]{1,2}$/.test(token) ? 0 : Math.log(count);
  };
  return inProportion(
    candidates.map(({ tokens }) => [...tokens].reduce((sum, token) => sum + weight(token), 0) / Math.sqrt(tokens.size || 1)),
  );
}

function inProportion(values: readonly number[]): readonly number[] {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  return most === 0 ? values : values.map((value) => value / most);
}

const countShared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => [...a].filter((token) => b.has(token)).length;

/** Returns the best sentences in their original order, without near duplicates of better ones. */
function quote(candidates: readonly Candidate[], scores: readonly number[], maxSentences: number): JsonObject[] {
  const ranked = [...candidates.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const chosen = new Map<number, Candidate>();
  for (const i of ranked) {
    const candidate = candidates[i];
    if (chosen.size === maxSentences) break;
    if (candidate && ![...chosen.values()].some((other) => isSimilar(candidate.tokens, other.tokens))) chosen.set(i, candidate);
  }
  return [...chosen]
    .sort(([a], [b]) => a - b)
    .map(([, { text, source, heading }]) => ({ text, ...(source ? { source } : {}), ...(heading ? { heading } : {}) }));
}

/** True if the sentences share more than 0.7 of all their tokens. */
function isSimilar(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = countShared(a, b);
  return shared > 0.7 * (a.size + b.size - shared);
}
