import { contentWords } from '../../core/text/content-words.ts';
import { isKorean } from '../../core/text/is-korean.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { InvertedLists } from '../../search/rank/inverted-lists.ts';
import type { QuestionConcept } from './concept-match.ts';
import { relatedWords } from './related-words.ts';
import { synonymsOf } from './synonyms.ts';
import type { ContractTopic } from './topics/contract-topic.ts';
import { wordRarity } from './word-rarity.ts';

/** Words of this rarity or less say nothing about a topic; see `wordRarity`. */
export const functionWord = 0.3;
/** Minimum share of the question's words in the table of a topic. Chosen on our own contracts: lower ones displace passages by their words. */
const minShared = { english: 0.25, korean: 0.33 } as const;
const relatedWord = 0.6;
/** Rarity that counts as whole, in natural logarithms: one topic of 55 has the word. */
const wholeRarity = 4;

/** A word of a question, with the words that count as it. */
interface SharedWord {
  readonly rarity: number;
  readonly forms: readonly { readonly parts: readonly string[]; readonly weight: number; readonly text?: string }[];
}

/** Returns a function that gives the share of a question in the names, cues and examples of each topic, if it is enough. */
export function topicShares(
  topics: readonly ContractTopic[],
): (question: string, concepts: readonly QuestionConcept[]) => ReadonlyMap<ContractTopic, number> {
  const texts = topics.map(tableText);
  const lists = new InvertedLists(topics.length);
  for (const [place, text] of texts.entries()) lists.add(place, searchTokens(text));
  return (question, concepts) => {
    const korean = isKorean(question);
    const words = korean ? koreanWordsOf(question) : englishWordsOf(concepts);
    const whole = words.reduce((sum, { rarity }) => sum + rarity, 0);
    const shares = new Map<number, number>();
    for (const { rarity, forms } of words) {
      const best = new Map<number, number>();
      for (const { parts, weight, text } of forms) {
        const holders = placesWithAll(lists, parts).filter((place) => text === undefined || texts[place]?.includes(text));
        const worth = weight * Math.min(1, Math.log(topics.length / holders.length) / wholeRarity);
        for (const place of holders) best.set(place, Math.max(best.get(place) ?? 0, worth));
      }
      for (const [place, worth] of best) shares.set(place, (shares.get(place) ?? 0) + (rarity * worth) / whole);
    }
    const least = korean ? minShared.korean : minShared.english;
    return new Map(topics.flatMap((topic, place) => ((shares.get(place) ?? 0) >= least ? [[topic, shares.get(place) ?? 0] as const] : [])));
  };
}

const tableText = ({ en, ko, asks, settles, touches, examples = [] }: ContractTopic): string =>
  [en, ko, ...asks, ...settles, ...touches, ...examples].join('\n').replaceAll(/[*#…?]/gu, ' ');

function placesWithAll(lists: InvertedLists, parts: readonly string[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const part of new Set(parts)) for (const place of lists.places(part)) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].filter(([, count]) => count === new Set(parts).size).map(([place]) => place);
}

const englishWordsOf = (concepts: readonly QuestionConcept[]): readonly SharedWord[] =>
  concepts
    .filter(({ rarity }) => rarity > functionWord)
    .map(({ rarity, own, related }) => ({
      rarity,
      forms: [...own.map((parts) => ({ parts, weight: 1 })), ...related.map((parts) => ({ parts, weight: relatedWord }))],
    }));

/** Whole Korean words and contract words of the same meaning: pairs of letters meet in too many topics. */
const koreanWordsOf = (question: string): readonly SharedWord[] =>
  question
    .split(/[^가-힣A-Za-z]+/u)
    .map((word) => {
      const own = contentWords(word)
        .split(' ')
        .filter((each) => each.length > 1 && wordRarity(each) > functionWord);
      const related = [...relatedWords(word), ...own.flatMap(synonymsOf)].filter((each) => /^[가-힣]{2,}$/u.test(each));
      const formOf = (weight: number) => (text: string) => ({ parts: searchTokens(text), weight, text });
      return { rarity: 1, forms: [...own.map(formOf(1)), ...related.map(formOf(relatedWord))] };
    })
    .filter(({ forms }) => forms.length > 0);
