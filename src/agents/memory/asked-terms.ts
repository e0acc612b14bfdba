import { contentWords } from '../../core/text/query-words.ts';
import type { RecallIndex } from './recall-index.ts';
import { relatedTokens } from './related-speech.ts';
import { speechTokens } from './speech-tokens.ts';

/** Words that refer to the conversation itself rather than to its topics. */
const asking =
  /\b(?:remember|remind|recall|said|say|tell|told|talk(?:ed)?|mention(?:ed)?|discuss(?:ed)?|ever|again|did|does|have|has|had|got|called|was|were|been)\b|뭐라고|(?:이라고|라고|다고|자고)?\s?(?:말)?했(?:지|더라|어|나|니|어요|나요|습니까|던)|말한|말했던|아까|전에|지난번에?|기억\S*|[내제]가|나는|저는/giu;

/** Weight of a related word that the question does not contain. */
const relatedWeight = 0.4;

/** Returns the search terms of a question with their weights. */
export function askedTerms(query: string): ReadonlyMap<string, number> {
  const asked = query.slice(0, 2_000);
  const words = contentWords(asked.replaceAll(asking, ' '));
  const tokens = speechTokens(words === '' ? asked : words).filter((token) => !/^[a-z]$/.test(token));
  const terms = new Map(tokens.map((token) => [token, 1]));
  for (const token of relatedTokens(tokens)) terms.set(token, relatedWeight);
  return terms;
}

/** Number of passages and words used for feedback. The weight is too small to move one passage before another that matches the question. */
const feedback = { passages: 5, terms: 20, weight: 0.05 } as const;
/** Maximum share of passages with a feedback word; a more common word does not distinguish them. */
const commonShare = 0.05;

/** Adds words of the best passages to the terms, as in RM3. Their matches fill the remaining room. */
export function withFeedback(terms: ReadonlyMap<string, number>, index: RecallIndex): ReadonlyMap<string, number> {
  const { passages } = index;
  const scores = index.score(terms);
  const taken = placesOfBest(scores, feedback.passages);
  const total = taken.reduce((sum, i) => sum + (scores[i] ?? 0), 0);
  const shares = new Map<string, number>();
  const most = passages.length * commonShare;
  for (const i of taken) {
    for (const term of passages[i]?.terms ?? []) {
      if (terms.has(term) || index.found(term) > most) continue;
      shares.set(term, (shares.get(term) ?? 0) + (scores[i] ?? 0) / total);
    }
  }
  const best = [...shares.keys()].sort((a, b) => (shares.get(b) ?? 0) - (shares.get(a) ?? 0)).slice(0, feedback.terms);
  const all = new Map(terms);
  for (const term of best) all.set(term, (shares.get(term) ?? 0) * feedback.weight);
  return all;
}

/** Returns the indexes of the highest scores above 0, highest first. */
function placesOfBest(scores: Float64Array, limit: number): readonly number[] {
  const places: number[] = [];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    if (score <= (places.length < limit ? 0 : (scores[places[limit - 1] ?? 0] ?? 0))) continue;
    let at = Math.min(places.length, limit - 1);
    for (; at > 0 && (scores[places[at - 1] ?? 0] ?? 0) < score; at--) places[at] = places[at - 1] ?? 0;
    places[at] = i;
  }
  return places;
}
