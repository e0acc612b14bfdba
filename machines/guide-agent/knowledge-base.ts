import type { TextDocument } from 'agent-machines/documents';
import { type DocumentPassage, markdownPassages } from 'agent-machines/search';
import { searchTokens } from 'agent-machines/text';
import { type CatalogueService, parseCatalogue } from './catalogue.ts';

/** What a search brings for one service. */
export interface ServiceHit {
  readonly service: CatalogueService;
  /** 0.7 × how well the service answers + 0.3 × how well the best trend passage that goes with it does; 0 to 1. */
  readonly score: number;
}

export interface KnowledgeHits {
  readonly services: readonly ServiceHit[];
  readonly trends: readonly (DocumentPassage & { readonly id: string; readonly score: number })[];
  /** The best score is below 0.4, or the mean below 0.5: ask elsewhere. */
  readonly shouldFallback: boolean;
}

/** What guide-agent knows: a catalogue of services, and a search in it and in documents about trends. */
export interface Knowledge {
  /** Its texts are not public: once they are in a thread, nothing is sent out without approval. */
  readonly isPrivate: boolean;
  readonly categories: readonly string[];
  readonly services: readonly CatalogueService[];
  search(query: string, options: { readonly limit: number }): KnowledgeHits | Promise<KnowledgeHits>;
}

/** All of it in memory. */
export interface KnowledgeBase extends Knowledge {
  search(query: string, options: { readonly limit: number }): KnowledgeHits;
}

const weights = { catalogue: 0.7, trends: 0.3 };
const fallbackBelow = { best: 0.4, mean: 0.5 };
const trendLimit = 3;
/** Services that score below this share of the best one are left out of the hits. */
const relevantFrom = 0.5;

export interface KnowledgeBaseOptions {
  /** Its texts are not public. @default true */
  readonly isPrivate?: boolean;
}

/**
 * Reads a catalogue of services and indexes it with documents about trends, in memory.
 *
 * A text's score is the share of the query's tokens that it contains, rare ones counting more. A token that occurs only in a service's
 * description counts half: it may describe what the service does not do.
 * @throws {WorkflowError} `INPUT_INVALID` for a catalogue of another form, a price below 0 or without a currency, or two services with one id.
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
          // a trend passage counts for a service that it names or describes
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
 * All services and trend passages of what `createKnowledgeBase` has made, for an index elsewhere: `source` is the service's id, or the
 * passage's. Of anything else there are none.
 *
 * @example await store.add(knowledgePassages(base));
 */
export const knowledgePassages = (base: KnowledgeBase): readonly DocumentPassage[] => indexed.get(base) ?? [];

/** Hits, best first, and whether they are good enough to answer with. */
export function judged(services: readonly ServiceHit[], trends: KnowledgeHits['trends']): KnowledgeHits {
  const mean = services.reduce((sum, { score }) => sum + score, 0) / (services.length || 1);
  const best = services[0]?.score ?? 0;
  return { services, trends, shouldFallback: best < fallbackBelow.best || mean < fallbackBelow.mean };
}

const aboutOf = ({ name, category, purpose, description_en = '', tags }: CatalogueService): string =>
  [name, category, purpose, description_en, ...tags].join(' ');

/** The first tag of a service is its kind, which too many services share. */
const speaksOf = (text: string, { name, tags }: CatalogueService): boolean =>
  text.includes(name) || tags.slice(1).filter((tag) => text.includes(tag)).length >= 2;

function rarity(texts: readonly ReadonlySet<string>[]): (token: string) => number {
  const counts = new Map<string, number>();
  for (const tokens of texts) for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return (token) => Math.log(1 + texts.length / (1 + (counts.get(token) ?? 0)));
}

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;
