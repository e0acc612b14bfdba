import type { Tokenizer } from '../../core/text/tokenizer.ts';
import { rarity } from '../../search/rank/field-index.ts';
import { articlePassages } from './article-passages.ts';
import type { ArticleSignals } from './article-signals.ts';
import type { SearchedContract } from './searched-contract.ts';

/** BM25 saturation and length of a usual passage, in tokens. */
const k1 = 1.2;
const usualLength = 100;

/** Returns the passage of an article that is nearest to one of the questions, verbatim: by its words, and by its vector if there are any. */
export function bestPassage({ contract, vectors }: SearchedContract, place: number, questions: readonly ArticleSignals[]): string {
  const article = contract.articles[place];
  const passages = article ? articlePassages(article) : [];
  if (passages.length < 2) return passages[0] ?? '';
  const scores = questions.map(({ terms, statistics, vector }) => {
    const near = (vector && vectors?.nearnessIn(place, vector)) ?? [];
    const rarities = new Map([...terms].map(([token, weight]) => [token, weight * rarity(token, statistics)]));
    return passages.map((text, i) => (near[i] ?? 0) + wordScore(contract.tokenizer(text), rarities));
  });
  const best = passages.map((_, i) => Math.max(...scores.map((each) => each[i] ?? 0)));
  return passages[best.indexOf(Math.max(...best))] ?? '';
}

function wordScore(tokens: ReturnType<Tokenizer>, gains: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>();
  for (const token of tokens) if (gains.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
  const damping = k1 * (0.25 + (0.75 * tokens.length) / usualLength);
  let score = 0;
  for (const [token, count] of counts) score += ((gains.get(token) ?? 0) * count * (k1 + 1)) / (count + damping);
  return score;
}
