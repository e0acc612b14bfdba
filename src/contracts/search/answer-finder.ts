import { searchTokens } from '../../text/search-tokens.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { askedWords } from './asked-words.ts';
import { type ContractPassage, contractPassages } from './contract-passages.ts';
import { toCue } from './cue.ts';
import { synonymsOf } from './synonyms.ts';
import type { ContractTopic } from './topics/contract-topic.ts';
import { wordRarity } from './word-rarity.ts';

export type Verdict = 'answer' | 'nearest' | 'silent';

export interface Thresholds { strong: number; weak: number; answer: number; nearest: number; title: number; missing: number; missingNear: number }
export const thresholds: Thresholds = { strong: 0, weak: 0, answer: 0.7, nearest: 0.45, title: 0.15, missing: 3, missingNear: 0.6 };

export interface FoundPassage extends ContractPassage { readonly score: number; readonly strong: number; readonly weak: number; }

export interface FoundAnswer {
  readonly verdict: Verdict;
  readonly topics: readonly ContractTopic[];
  readonly passages: readonly FoundPassage[];
}

interface Indexed { readonly passage: ContractPassage; readonly tokens: ReadonlySet<string>; readonly title: ReadonlySet<string> }

interface Concept { readonly word: string; readonly rarity: number; readonly own: readonly (readonly string[])[]; readonly related: readonly (readonly string[])[] }

export function answerFinder(document: Pick<ContractDocument, 'text' | 'articles'>, contractTopics: readonly ContractTopic[], t: Thresholds = thresholds) {
  const indexed: Indexed[] = contractPassages(document).filter((p) => !isContents(p.text)).map((passage) => ({ passage, tokens: new Set(searchTokens(passage.text)), title: new Set(searchTokens(passage.article?.title ?? '')) }));
  const all = new Set(indexed.flatMap(({ tokens, title }) => [...tokens, ...title]));
  return (question: string): FoundAnswer & { cov: number; missing: string[]; max: number } => {
    const topics = topicsOf(question, contractTopics);
    const concepts = conceptsOf(question);
    const worth = concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
    const scored = indexed.map(({ passage, tokens, title }) => {
      const share = concepts.reduce((sum, c) => sum + c.rarity * Math.max(matchOf(c, tokens), 0.8 * matchOf(c, title)), 0) / worth;
      const titled = concepts.reduce((sum, c) => sum + c.rarity * matchOf(c, title), 0) / worth;
      const strong = topics.reduce((n, topic) => n + topic.settles.filter((cue) => toCue(cue).test(passage.text)).length, 0);
      const weak = topics.reduce((n, topic) => n + topic.touches.filter((cue) => toCue(cue).test(passage.text)).length, 0);
      return { ...passage, score: share, titled, strong, weak };
    });
    const best = [...scored].sort((a, b) => (b.strong > 0 ? 1 : 0) - (a.strong > 0 ? 1 : 0) || b.score + 0.1 * b.strong + 0.05 * b.weak - a.score - 0.1 * a.strong - 0.05 * a.weak);
    const missing = concepts.filter((c) => c.rarity >= t.missing && matchOf(c, all) < 0.6).map((c) => c.word);
    let verdict: Verdict = 'silent';
    const cov = Math.max(0, ...scored.map((s) => s.score + t.title * s.titled));
    if (topics.length > 0) {
      const strongest = Math.max(-1, ...scored.filter((s) => s.strong > 0).map((s) => s.score));
      const weakest = Math.max(-1, ...scored.filter((s) => s.weak > 0).map((s) => s.score));
      if (strongest >= t.strong) verdict = 'answer';
      else if (strongest >= 0 || weakest >= t.weak) verdict = 'nearest';
    } else if (concepts.length > 0) {
      if (cov >= t.answer && missing.length === 0) verdict = 'answer';
      else if (cov >= (missing.length > 0 ? t.missingNear : t.nearest)) verdict = 'nearest';
    }
    return { verdict, topics, passages: best.slice(0, 3), cov, missing, max: Math.max(0, ...concepts.map(({ rarity }) => rarity)) };
  };
}

/** A table of contents names what the contract settles, and settles nothing. */
function isContents(text: string): boolean {
  return (text.match(/(?:article|section|\d+\.\d+|^\s*\d+\.)\s/gimu)?.length ?? 0) >= 4 && !/\b(?:shall|will|may|must|is|are|has|agrees?)\b/u.test(text);
}

export function topicsOf(question: string, contractTopics: readonly ContractTopic[]): readonly ContractTopic[] {
  const asked = contractTopics.filter(({ asks }) => asks.some((cue) => toCue(cue).test(question)));
  const not = new Set(asked.flatMap((topic) => topic.not ?? []));
  return asked.filter(({ en }) => !not.has(en));
}

const cache = new Map<string, readonly string[]>();
const tokensOf = (word: string): readonly string[] => { const k = cache.get(word); if (k) return k; const v = [...new Set(searchTokens(word))]; cache.set(word, v); return v; };

export function conceptsOf(question: string): readonly Concept[] {
  return askedWords(question).map(({ forms }) => ({
    word: forms.at(-1) ?? '',
    rarity: Math.min(...forms.map(wordRarity)),
    own: forms.map(tokensOf),
    related: [...new Set(forms.flatMap(synonymsOf))].map(tokensOf),
  })).filter(({ own }) => own.some((tokens) => tokens.length > 0));
}

const relatedMatch = 0.6;
function matchOf({ own, related }: Concept, tokens: ReadonlySet<string>): number {
  const share = (parts: readonly string[]): number => parts.length === 0 ? 0 : parts.filter((part) => tokens.has(part)).length / parts.length;
  let match = 0;
  for (const parts of own) match = Math.max(match, share(parts) ** 2);
  if (match >= relatedMatch) return match;
  for (const parts of related) if (share(parts) === 1) return relatedMatch;
  return match;
}
