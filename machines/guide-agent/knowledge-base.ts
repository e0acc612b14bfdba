import type { TextDocument } from 'agent-machines/documents';
import { type DocumentPassage, markdownPassages, searchTokens } from 'agent-machines/search';
import { type CatalogueService, parseCatalogue } from './catalogue.ts';

/** Search result for one service. */
export interface ServiceHit {
  readonly service: CatalogueService;
  /** 0.7 × score of the service + 0.3 × score of its best trend passage; 0 to 1. */
  readonly score: number;
}

export interface KnowledgeHits {
  readonly services: readonly ServiceHit[];
  readonly trends: readonly (DocumentPassage & { readonly id: string; readonly score: number })[];
  /** True if the best score is below 0.4 or the mean below 0.5: use another source. */
  readonly shouldFallback: boolean;
}

/** Knowledge of guide-agent: a catalogue of services, and a search in it and in documents about trends. */
export interface Knowledge {
  /** True if its texts are not public. Once they are in a thread, external calls need approval. */
  readonly isPrivate: boolean;
  readonly categories: readonly string[];
  readonly services: readonly CatalogueService[];
  search(query: string, options: { readonly limit: number }): KnowledgeHits | Promise<KnowledgeHits>;
}

/** Knowledge that is held in memory. */
export interface KnowledgeBase extends Knowledge {
  search(query: string, options: { readonly limit: number }): KnowledgeHits;
}

const weights = { catalogue: 0.7, trends: 0.3 };
const fallbackBelow = { best: 0.4, mean: 0.5 };
const trendLimit = 3;
/** Minimum score of a hit, as a share of the best score. */
const relevantFrom = 0.5;

export interface KnowledgeBaseOptions {
  /** Marks the texts as not public. @default true */
  readonly isPrivate?: boolean;
}

/**
 * Parses a catalogue of services and indexes it in memory, with documents about trends.
 *
 * A text's score is the share of the query's tokens that it contains; rare tokens count more. A token that occurs only in a service's
 * description counts half, because a description may also name what the service does not do.
 * @throws {WorkflowError} `INPUT_INVALID` for an invalid catalogue, a price below 0 or without a currency, or two services with one id.
 */
export function createKnowledgeBase(
  catalogue: unknown,
  documents: readonly TextDocument[],
  { isPrivate = true }: KnowledgeBaseOptions = {},
): KnowledgeBase {
  const services = parseCatalogue(catalogue);
  const passages = documents.flatMap((document) =>
    markdownPassages(document).map((passage, index) => ({ ...passage, id: `${document.name}#${index + 1}` })),
  );
  const serviceTokens = services.map((one) => new Set(searchTokens(`${aboutOf(one)} ${one.description}`)));
  const aboutTokens = services.map((one) => new Set(searchTokens(aboutOf(one))));
  const passageTokens = passages.map(({ heading, text }) => new Set(searchTokens(`${heading} ${text}`)));
  const weightOf = rarity([...serviceTokens, ...passageTokens]);
  const base: KnowledgeBase = {
    isPrivate,
    categories: [...new Set(services.map(({ category }) => category))],
    services,
    search(query, { limit }) {
      const wanted = [...new Set(searchTokens(query))];
      const total = wanted.reduce((sum, token) => sum + weightOf(token), 0);
      const share = (tokens: ReadonlySet<string>): number =>
        total === 0 ? 0 : wanted.reduce((sum, token) => sum + (tokens.has(token) ? weightOf(token) : 0), 0) / total;
      const trends = passages
        .map((passage, index) => ({ ...passage, score: share(passageTokens[index] ?? new Set()) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, trendLimit);
      const found = services
        .map((one, index): ServiceHit => {
          const own = (share(serviceTokens[index] ?? new Set()) + share(aboutTokens[index] ?? new Set())) / 2;
          // a trend passage counts only for services that it names or describes
          const trend = own === 0 ? 0 : Math.max(0, ...trends.filter((passage) => speaksOf(passage.text, one)).map(({ score }) => score));
          return { service: one, score: rounded(weights.catalogue * own + weights.trends * trend) };
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .filter(({ score }, _, [first]) => score >= (first?.score ?? 0) * relevantFrom)
        .slice(0, limit);
      return judged(found, trends);
    },
  };
  indexed.set(base, [
    ...services.map((one) => ({ source: one.id, heading: aboutOf(one), text: one.description })),
    ...passages.map(({ id, heading, text }) => ({ source: id, heading, text })),
  ]);
  return base;
}

const indexed = new WeakMap<KnowledgeBase, readonly DocumentPassage[]>();

/**
 * Returns all services and trend passages of a `createKnowledgeBase` result, for an external index; `source` is the id of the service or
 * passage. Empty for other knowledge.
 *
 * @example await store.add(knowledgePassages(base));
 */
export const knowledgePassages = (base: KnowledgeBase): readonly DocumentPassage[] => indexed.get(base) ?? [];

/** Adds a verdict to the hits: whether they are good enough to answer with. */
export function judged(services: readonly ServiceHit[], trends: KnowledgeHits['trends']): KnowledgeHits {
  const mean = services.reduce((sum, { score }) => sum + score, 0) / (services.length || 1);
  const best = services[0]?.score ?? 0;
  return { services, trends, shouldFallback: best < fallbackBelow.best || mean < fallbackBelow.mean };
}

const aboutOf = ({ name, category, purpose, purpose_en = '', description_en = '', tags, tags_en = [] }: CatalogueService): string =>
  [name, category, purpose, purpose_en, description_en, ...tags, ...tags_en].join(' ');

/** True if the text names the service or two of its tags. The first tag does not count: too many services share it. */
const speaksOf = (text: string, { name, tags }: CatalogueService): boolean =>
  text.includes(name) || tags.slice(1).filter((tag) => text.includes(tag)).length >= 2;

function rarity(texts: readonly ReadonlySet<string>[]): (token: string) => number {
  const counts = new Map<string, number>();
  for (const tokens of texts) for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return (token) => Math.log(1 + texts.length / (1 + (counts.get(token) ?? 0)));
}

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;
