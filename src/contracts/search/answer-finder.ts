import type { Embedder } from '../../core/ports/embedder.ts';
import { contentWords } from '../../core/text/content-words.ts';
import { isKorean } from '../../core/text/is-korean.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { ContractDocument } from '../contract-document.ts';
import { withoutStruck } from '../parse/struck-text.ts';
import { articleScores, defaultWeights, vectorWeight } from './article-scores.ts';
import { conceptMatch, type QuestionConcept } from './concept-match.ts';
import type { ContractPassage } from './contract-passages.ts';
import { toCuePattern } from './cue-pattern.ts';
import { type ContractException, exceptionsTo, goesBeforeOthers, ownRule, type ShownText, toException } from './exceptions.ts';
import type { IndexedContract } from './indexed-contract.ts';
import { maxQuestionChars } from './max-question-chars.ts';
import type { ScoredPassage } from './score-passages.ts';
import { defaultScoring, searchedContract } from './searched-contract.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/**
 * The verdict of a contract on a question.
 *
 * - `answer`: its wording settles the question.
 * - `nearest`: it only has related text, which may not be the answer.
 * - `silent`: it has nothing on the question.
 */
export type ContractVerdict = 'answer' | 'nearest' | 'silent';

/** Why a passage is shown. Names of topics are in the language of the question. */
export interface PassageReason {
  /** Topics of the question that the passage's wording settles. */
  readonly settles: readonly string[];
  /** Topics that it only touches on, or settles for something else. */
  readonly touches: readonly string[];
  /** Words of the question that it contains, or its article's title does, in any form or by a synonym. */
  readonly words: readonly string[];
}

export interface FoundPassage extends ContractPassage {
  /** Share of the question's words in the passage, from 0 to 1, weighted by rarity. */
  readonly score: number;
  readonly why: PassageReason;
}

export interface FoundAnswer {
  readonly verdict: ContractVerdict;
  /** English names of the table's topics in the question; empty for a question outside the table. */
  readonly topics: readonly string[];
  /** The search terms, in the language of the question: contract topics, or the question's own words. */
  readonly lookedFor: readonly string[];
  /** At most 3 passages of different articles, best first. Empty if the verdict is `silent`. */
  readonly passages: readonly FoundPassage[];
  /** At most 2 other passages that change one of these, such as `Notwithstanding Section 5, …` or a special term about the same topic. */
  readonly joined: readonly ContractException[];
}

/** Decides if a contract answers a question, by its wording alone. */
export interface AnswerFinder {
  /** @param options with an embedder, the vector of the question, which the order of the passages then follows, too */
  find(question: string, options?: FindOptions): FoundAnswer;
  /** Returns the passages that change the articles, at most 2. They are not in the texts that the reader sees already. */
  exceptionsTo(shown: readonly ShownText[]): readonly ContractException[];
}

export interface FindOptions {
  /** Vector of the question by the finder's embedder, for the purpose `query`. */
  readonly vector?: Float32Array;
}

export interface AnswerFinderOptions {
  /** Embeds the passages, once. Default: none; words alone decide. */
  readonly embedder?: Embedder;
  /** Topics of contracts, with the wording that settles them. Default: a table of 130 topics in English and Korean. */
  readonly topics?: readonly ContractTopic[];
}

/** Tuned on half of the development contracts and half of the topics, and checked on the other halves. See benchmarks/README.md. */
const thresholds = {
  /** For a topic: minimum share of a passage that only touches on it, for `nearest`. */
  touched: 0.3,
  /** For a topic of the question: minimum share of the question's words in its cues, to be silent if the contract has nothing on it. */
  explained: 0.3,
  /** For a topic without any matching wording: minimum nearness of a passage, for `nearest`. */
  untouched: 0.5,
  /** For a question outside the table: minimum nearness for `answer`, for `nearest`, and for `nearest` without a rare word. */
  answer: 0.55,
  nearest: 0.24,
  nearestWithout: 0.28,
  /** For Korean questions: the rarity table has few Korean words, and all others count as rare. */
  nearestKorean: 0.15,
  /**
   * `telling`: from this rarity on, a word must appear in the contract. `particular`: a question without a word of this rarity is too
   * general.
   */
  telling: 3,
  particular: 2,
} as const;

/** Weight of contract words with the same meaning as a word of the question. */
const relatedWeight = 0.5;

/** Minimum match of a concept for a contract to contain it. */
const there = 0.6;
const maxPassages = 3;
const maxJoined = 2;
/** For a passage that goes before any other article: minimum nearness to the question, or share of its words in the best passage. */
const joinedNearness = { settled: 0.2, other: 0.3 } as const;
/** Korean words are letter pairs, of which a verb's endings match by chance or not at all. */
const joinedOverlap = { english: 0.4, korean: 0.3 } as const;
/** Worth of an article that settles a topic of the question, beside its score, which is at most 1. */
const settledWorth = { asked: 0.3, guessed: 0.1 } as const;
/** A longer article is shown by its best passage. */
const maxArticleChars = 1_500;

/**
 * Prepares a contract for `find`. The first call also loads the topic table.
 *
 * @example
 * const finder = await createAnswerFinder(await loadContract('lease.docx'));
 * finder.find('Is there a non-compete?').verdict; // 'silent'
 */
export async function createAnswerFinder(document: ContractDocument, options: AnswerFinderOptions = {}): Promise<AnswerFinder> {
  const topics = options.topics ?? (await import('./topics/contract-topics.ts')).contractTopics;
  const { statedValue } = await import('./confirm-value.ts');
  const { questionConcepts } = await import('./question-concepts.ts');
  const { explainedShare, questionTopics } = await import('./question-topics.ts');
  const { scorePassages } = await import('./score-passages.ts');
  const { topicGuesser } = await import('./guessed-topics.ts');
  const { holdersOfTellingNouns } = await import('./telling-nouns.ts');
  const { indexedContract } = await import('./indexed-contract.ts');
  const { articleSignals } = await import('./article-signals.ts');
  const contract = indexedContract(document);
  const { embedder } = options;
  const vectors =
    embedder && (await (await import('./passage-vectors.ts')).passageVectors(contract.articles, { embedder, signal: undefined }));
  const searched = searchedContract(contract, defaultScoring, vectors);
  const within = { articles: document.articles, passages: contract.passages };
  /** Places of the passages that go before any other article. Read at the first question that shows something. */
  let overriding: readonly number[] | undefined;
  return {
    exceptionsTo: (shown) => exceptionsTo(shown, within),
    find(whole, { vector } = {}) {
      const asked = whole.slice(0, maxQuestionChars);
      // the value of `the rent is $3,000, right?` may be wrong, so it need not be there
      const question = statedValue(asked)?.subject ?? asked;
      const askedTopics = questionTopics(question, topics);
      const concepts = questionConcepts(question);
      const korean = isKorean(question);
      // a guessed topic only finds passages; it never makes the verdict `answer`
      const guessed = askedTopics.length > 0 ? [] : topicGuesser(topics)(question, concepts);
      const scored = scorePassages(contract, { question, concepts, topics: guessed.length > 0 ? guessed : askedTopics });
      const scores = articleScores(articleSignals(question, [searched], { relatedWeight, topics, scored, vector }), contract.articles, {
        weights: { ...defaultWeights, vectors: vector === undefined ? 0 : vectorWeight },
      });
      const judged = askedTopics.length > 0 ? verdictOfTopics(scored, concepts) : verdictOfWords(scored, concepts, { contract, korean });
      const telling = holdersOfTellingNouns(question, { concepts, contract });
      // if it is not known what the question is about, that nothing matches proves nothing
      const isKnown = askedTopics.length > 0 && explainedShare(question, askedTopics, concepts) >= thresholds.explained;
      const isNear = telling.size > 0 || (!isKnown && scores.some((score) => score > 0));
      const verdict = judged === 'silent' && isNear ? 'nearest' : judged;
      const used = guessed.length > 0 ? guessed : askedTopics;
      const settled = guessed.length === 0 ? settledWorth.asked : judged === 'answer' ? 0 : settledWorth.guessed;
      const best = verdict === 'silent' ? [] : bestOf(contract, { scored, scores, telling, settled });
      const found = best
        .map((each) => {
          const passage = wholeArticle(each, document);
          return { ...passage, score: each.share, why: reasonOf(passage, { topics: used, concepts, korean }) };
        })
        .filter(({ why }, index) => index === 0 || verdict === 'nearest' || isReason(why));
      overriding ??= found.length === 0 ? undefined : placesOfOverriding(contract);
      const joined = joinedTo(found, {
        within,
        overriding: relevantOverriding(contract, { places: overriding ?? [], scored, best: found }),
      });
      return {
        // a question without a word finds nothing
        verdict: found.length === 0 ? 'silent' : verdict,
        topics: askedTopics.map(({ en }) => en),
        lookedFor: askedTopics.length > 0 ? askedTopics.map(({ en, ko }) => (korean ? ko : en)) : [contentWords(question)],
        passages: found.filter((passage) => !joined.some((exception) => isPartOf(exception, passage))),
        joined,
      };
    },
  };
}

/** Settling wording gives `answer`. Wording that only touches on a topic must also be near the question. */
function verdictOfTopics(scored: readonly ScoredPassage[], concepts: readonly QuestionConcept[]): ContractVerdict {
  if (scored.some(({ settles }) => settles > 0)) return 'answer';
  if (scored.some(({ touches, share }) => touches > 0 && share >= thresholds.touched)) return 'nearest';
  if (scored.some(({ another }) => another > 0)) return 'nearest';
  const best = Math.max(0, ...scored.map(({ nearness }) => nearness));
  return best >= thresholds.untouched && concepts.some(({ rarity }) => rarity >= thresholds.particular) ? 'nearest' : 'silent';
}

/**
 * Returns the verdict for a question outside the table: a passage must contain enough of its words, and the contract all of its rare words.
 */
function verdictOfWords(
  scored: readonly ScoredPassage[],
  concepts: readonly QuestionConcept[],
  { contract, korean }: { readonly contract: IndexedContract; readonly korean: boolean },
): ContractVerdict {
  const best = Math.max(0, ...scored.map(({ nearness }) => nearness));
  const isParticular = concepts.some(({ rarity }) => rarity >= thresholds.particular);
  // general words, as in `When am I free of this?`, meet by chance
  if (!isParticular) return contract.passages.length === 0 ? 'silent' : 'nearest';
  const everything = { has: (token: string): boolean => contract.words.has(token) || contract.titles.has(token) };
  const lacks = concepts.some((concept) => concept.rarity >= thresholds.telling && conceptMatch(concept, everything) < there);
  if (best >= thresholds.answer && !lacks) return 'answer';
  const near = korean ? thresholds.nearestKorean : lacks ? thresholds.nearestWithout : thresholds.nearest;
  return best >= near ? 'nearest' : 'silent';
}

/** An article with the passage of it that is nearest to the question. */
interface RankedArticle {
  readonly best: ScoredPassage;
  readonly worth: number;
  readonly isTelling: boolean;
}

/** Returns the passages of the best articles, best first. One of them has a telling noun of the question, if there is any. */
function bestOf(
  contract: IndexedContract,
  {
    scored,
    scores,
    telling,
    settled,
  }: {
    readonly scored: readonly ScoredPassage[];
    readonly scores: Float64Array;
    readonly telling: ReadonlySet<number>;
    readonly settled: number;
  },
): readonly ScoredPassage[] {
  const { articles, articleOf } = contract;
  const most = Math.max(...scores) || 1;
  const nearest = ({ settles, touches, another, nearness }: ScoredPassage): number =>
    (settles > 0 ? 1 : 0) + nearness + 0.1 * settles + 0.05 * (touches + another);
  const byArticle = Map.groupBy(scored, ({ place }) => articleOf[place] ?? 0);
  const ranked = articles
    .flatMap((_, article): RankedArticle[] => {
      const own = byArticle.get(article) ?? [];
      const best = own.toSorted((left, right) => nearest(right) - nearest(left))[0] ?? firstPassage(contract, article);
      if (best === undefined) return [];
      const worth = (scores[article] ?? 0) / most + (own.some(({ settles }) => settles > 0) ? settled : 0);
      return worth > 0 ? [{ best, worth, isTelling: own.some(({ place }) => telling.has(place)) }] : [];
    })
    .sort((left, right) => right.worth - left.worth);
  const shown = ranked.slice(0, maxPassages);
  const literal = shown.some(({ isTelling }) => isTelling) ? undefined : ranked.find(({ isTelling }) => isTelling);
  if (literal !== undefined) shown.splice(maxPassages - 1, 1, literal);
  return shown.map(({ best }) => best);
}

/** Returns the beginning of an article whose words match only in other forms. */
function firstPassage({ passages, articleOf }: IndexedContract, article: number): ScoredPassage | undefined {
  const place = articleOf.indexOf(article);
  const passage = passages[place];
  return passage && { passage, place, share: 0, nearness: 0, settles: 0, touches: 0, another: 0, dealsWith: 0 };
}

/** Returns the whole article around a passage, if it is short. */
function wholeArticle({ passage }: ScoredPassage, { text }: ContractDocument): ContractPassage {
  const { article } = passage;
  if (article.end - article.start > maxArticleChars) return passage;
  const whole = text.slice(article.start, article.end);
  return { article, text: whole.trim(), start: article.start + whole.length - whole.trimStart().length };
}

interface AskedFor {
  readonly topics: readonly ContractTopic[];
  readonly concepts: readonly QuestionConcept[];
  readonly korean: boolean;
}

function reasonOf({ text, article }: ContractPassage, { topics, concepts, korean }: AskedFor): PassageReason {
  // struck-through words are no reason
  const valid = withoutStruck(text);
  const has = (cues: readonly string[]): boolean => cues.some((cue) => toCuePattern(cue).test(valid));
  const tokens = new Set(searchTokens(`${article.title}\n${valid}`));
  const names = (some: readonly ContractTopic[]): readonly string[] => some.map(({ en, ko }) => (korean ? ko : en));
  return {
    settles: names(topics.filter(({ settles }) => has(settles))),
    touches: names(topics.filter(({ settles, touches }) => !has(settles) && has(touches))),
    words: concepts.filter((concept) => conceptMatch(concept, tokens) >= there).map(({ word }) => word),
  };
}

const isReason = ({ settles, touches, words }: PassageReason): boolean => settles.length + touches.length + words.length > 0;

/** Returns the passages that change the best ones, those that name their articles first. A best one may change one before it. */
function joinedTo(
  passages: readonly ContractPassage[],
  { within, overriding }: { readonly within: Parameters<typeof exceptionsTo>[1]; readonly overriding: readonly ContractPassage[] },
): readonly ContractException[] {
  const [first] = passages;
  if (first === undefined) return [];
  /** It stands in its own rule, or in a passage that is shown before it. */
  const isAbove = (exception: ContractException): boolean => {
    const order = passages.findIndex((passage) => isPartOf(exception, passage));
    return order >= 0 && order <= passages.findIndex(({ article }) => article.id === exception.changes);
  };
  const general = overriding.map((passage) => toException(passage, first.article));
  const others = [...exceptionsTo(passages, within), ...general].filter((exception) => !isAbove(exception));
  return [...new Map(others.map((each) => [each.start, each])).values()].slice(0, maxJoined);
}

const placesOfOverriding = ({ passages }: IndexedContract): readonly number[] =>
  [...passages.entries()].filter(([, passage]) => goesBeforeOthers(passage)).map(([place]) => place);

/** Returns those passages that are about the question, or about the same rule as the best passage. */
function relevantOverriding(
  { passages }: IndexedContract,
  {
    places,
    scored,
    best,
  }: { readonly places: readonly number[]; readonly scored: readonly ScoredPassage[]; readonly best: readonly ContractPassage[] },
): readonly ContractPassage[] {
  return places.flatMap((place) => {
    const passage = passages[place];
    if (passage === undefined) return [];
    const own = scored.find((each) => each.place === place);
    const isNear = own !== undefined && own.nearness >= (own.settles > 0 ? joinedNearness.settled : joinedNearness.other);
    return isNear || sharesRule(passage, best[0]) ? [passage] : [];
  });
}

/** True if a passage has enough content words of another one. The words that set other articles aside do not count. */
function sharesRule(passage: ContractPassage, other: ContractPassage | undefined): boolean {
  const words = new Set(searchTokens(contentWords(ownRule(passage))));
  const known = new Set(searchTokens(other?.text ?? ''));
  const share = [...words].filter((word) => known.has(word)).length / Math.max(1, words.size);
  return share >= (isKorean(passage.text) ? joinedOverlap.korean : joinedOverlap.english);
}

const isPartOf = (exception: ContractException, { article, text }: ContractPassage): boolean =>
  exception.article.id === article.id && text.includes(exception.text);
