import { isKorean } from '../../text/is-korean.ts';
import { contentWords } from '../../text/query-words.ts';
import type { ContractDocument } from '../contract-document.ts';
import { type AskedConcept, conceptMatch } from './concept-match.ts';
import type { ContractPassage } from './contract-passages.ts';
import { maxQuestionChars } from './max-question-chars.ts';
import type { ScoredPassage } from './score-passages.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/**
 * Whether a contract answers a question. `answer`: it has wording that settles it. `nearest`: it only has something near, which may not be
 * it. `silent`: it says nothing about it.
 */
export type ContractVerdict = 'answer' | 'nearest' | 'silent';

export interface FoundPassage extends ContractPassage {
  /** The share of the question that it has, 0 to 1, each word by how telling it is. */
  readonly score: number;
}

export interface FoundAnswer {
  readonly verdict: ContractVerdict;
  /** The topics of the table that the question asks for, by their English names; empty for a question outside of it. */
  readonly topics: readonly string[];
  /** What was looked for, in the language of the question: topics of contracts, or the question's own words. */
  readonly lookedFor: readonly string[];
  /** The best passages, best first, at most three; none when the verdict is `silent`. */
  readonly passages: readonly FoundPassage[];
}

/** Says of one contract whether it answers a question, by its wording alone. */
export interface AnswerFinder {
  find(question: string): FoundAnswer;
}

export interface AnswerFinderOptions {
  /** What contracts settle, and in which words. Default: a table of 130 topics in English and Korean. */
  readonly topics?: readonly ContractTopic[];
}

/** Chosen on half of the development contracts and half of the topics, and checked on the other halves: see benchmarks/README.md. */
const thresholds = {
  /** Of a topic: what a passage that only touches on it has to have of the question to be the nearest. */
  touched: 0.3,
  /** Of a topic that nothing settles or touches on: what a passage has to have of the question to be the nearest. */
  untouched: 0.5,
  /** Of a question outside of the table: what a passage has to have of it to answer, to be the nearest, and to be that without a telling word. */
  answer: 0.55,
  nearest: 0.24,
  nearestWithout: 0.28,
  /** In Korean, where few words are in the table of rarities, and all others count as rare. */
  nearestKorean: 0.15,
  /** A word that is as telling as this must be in the contract; a question without one as telling as the next is about nothing in particular. */
  telling: 3,
  particular: 2,
} as const;

/** How much of a concept a contract must have for it to be there. */
const there = 0.6;
const maxPassages = 3;

/**
 * Reads a contract for `find`. What topics there are is loaded with the first one.
 *
 * @example
 * const finder = await createAnswerFinder(await loadContract('lease.docx'));
 * finder.find('Is there a non-compete?').verdict; // 'silent'
 */
export async function createAnswerFinder(document: ContractDocument, options: AnswerFinderOptions = {}): Promise<AnswerFinder> {
  const topics = options.topics ?? (await import('./topics/contract-topics.ts')).contractTopics;
  const { askedConcepts } = await import('./asked-concepts.ts');
  const { askedTopics } = await import('./asked-topics.ts');
  const { scorePassages, settlingPassages } = await import('./score-passages.ts');
  const passages = settlingPassages(document);
  const everything = new Set(passages.flatMap(({ tokens, title }) => [...tokens, ...title]));
  return {
    find(whole) {
      const question = whole.slice(0, maxQuestionChars);
      const asked = askedTopics(question, topics);
      const concepts = askedConcepts(question);
      const korean = isKorean(question);
      const scored = scorePassages(passages, { question, concepts, topics: asked });
      const verdict = asked.length > 0 ? verdictOfTopics(scored, concepts) : verdictOfWords(scored, concepts, { everything, korean });
      return {
        verdict,
        topics: asked.map(({ en }) => en),
        lookedFor: asked.length > 0 ? asked.map(({ en, ko }) => (korean ? ko : en)) : [contentWords(question)],
        passages: verdict === 'silent' ? [] : bestOf(scored),
      };
    },
  };
}

/** A topic is settled by its wording; what only touches on it must be near the question, too. */
function verdictOfTopics(scored: readonly ScoredPassage[], concepts: readonly AskedConcept[]): ContractVerdict {
  if (scored.some(({ settles }) => settles > 0)) return 'answer';
  if (scored.some(({ touches, share }) => touches > 0 && share >= thresholds.touched)) return 'nearest';
  if (scored.some(({ another }) => another > 0)) return 'nearest';
  const best = Math.max(0, ...scored.map(({ nearness }) => nearness));
  return best >= thresholds.untouched && concepts.some(({ rarity }) => rarity >= thresholds.particular) ? 'nearest' : 'silent';
}

/** A question outside of the table is settled by what has enough of its words, provided that none of the telling ones is missing. */
function verdictOfWords(
  scored: readonly ScoredPassage[],
  concepts: readonly AskedConcept[],
  { everything, korean }: { readonly everything: ReadonlySet<string>; readonly korean: boolean },
): ContractVerdict {
  const best = Math.max(0, ...scored.map(({ nearness }) => nearness));
  const isParticular = concepts.some(({ rarity }) => rarity >= thresholds.particular);
  if (!isParticular) return scored.length === 0 ? 'silent' : best >= thresholds.answer ? 'answer' : 'nearest';
  const lacks = concepts.some((concept) => concept.rarity >= thresholds.telling && conceptMatch(concept, everything) < there);
  if (best >= thresholds.answer && !lacks) return 'answer';
  const near = korean ? thresholds.nearestKorean : lacks ? thresholds.nearestWithout : thresholds.nearest;
  return best >= near ? 'nearest' : 'silent';
}

/** Those that settle come first, then those that have most. */
function bestOf(scored: readonly ScoredPassage[]): readonly FoundPassage[] {
  const worthOf = ({ settles, touches, another, nearness }: ScoredPassage): number =>
    (settles > 0 ? 1 : 0) + nearness + 0.1 * settles + 0.05 * (touches + another);
  return [...scored]
    .sort((left, right) => worthOf(right) - worthOf(left))
    .slice(0, maxPassages)
    .filter((each) => worthOf(each) > 0)
    .map(({ passage, share }) => ({ ...passage, score: share }));
}
