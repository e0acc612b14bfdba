import { searchTokens } from '../../core/text/search-tokens.ts';
import { isStruck, withoutStruck } from '../parse/struck-text.ts';
import { conceptMatches, type QuestionConcept } from './concept-match.ts';
import type { ContractPassage } from './contract-passages.ts';
import { placesOfCue } from './cue-anchors.ts';
import type { IndexedContract } from './indexed-contract.ts';
import { partyWording } from './third-party-denials.ts';
import { type CompiledCue, compiledTopic } from './topic-cues.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** `added`: bonus for matches in the title. `alone`: weight of a match in the title only. */
const titled = { added: 0.15, alone: 0.8 };
/** For a topic of several things: minimum share of the question in a settling passage. Tuned like the verdict's thresholds. */
const minShareOfMany = 0.3;
/** Weight of a topic that a passage only touches on; a settled topic counts 1. */
const touched = 0.3;

export interface ScoredPassage {
  readonly passage: ContractPassage;
  /** Index of the passage in its contract. */
  readonly place: number;
  /** Share of the question's words in the passage, from 0 to 1, weighted by rarity. */
  readonly share: number;
  /** The share, plus a bonus for matches in the title. */
  readonly nearness: number;
  /** Number of matching cues that settle a topic, and of those that touch on one. */
  readonly settles: number;
  readonly touches: number;
  /** Number of cues that settle another thing of a topic with several things, or settle it for third parties. */
  readonly another: number;
  /** Weighted number of topics, independent of the number of cues: 1 for a settled topic, less for one that the passage touches on. */
  readonly dealsWith: number;
}

interface SearchQuestion {
  readonly question: string;
  readonly concepts: readonly QuestionConcept[];
  readonly topics: readonly ContractTopic[];
}

/**
 * Scores the passages of a contract by the words of a question, and by the wording that settles its topics. Leaves out passages without
 * either, and tables of contents.
 */
export function scorePassages(contract: IndexedContract, { question, concepts, topics }: SearchQuestion): readonly ScoredPassage[] {
  const { passages } = contract;
  const shares = wordShares(contract, concepts);
  const cues = topics.map((topic) => {
    const { many, settles, touches } = compiledTopic(topic);
    return { many, settles: countCues(contract, settles), touches: countCues(contract, touches) };
  });
  const lower = question.toLowerCase();
  const scored: ScoredPassage[] = [];
  for (const [place, passage] of passages.entries()) {
    const { share, inTitle } = shares(place);
    const isCued = cues.some(({ settles, touches }) => settles.has(place) || touches.has(place));
    if ((share === 0 && !isCued) || isContents(passage)) continue;
    const one = { passage, place, share, nearness: share + titled.added * inTitle, settles: 0, touches: 0, another: 0, dealsWith: 0 };
    for (const { many, settles, touches } of cues) {
      const matching = settles.get(place) ?? [];
      // a ban on third parties only touches on the rights of the parties, unless the question names these third parties
      const settling = matching.length === 0 || isGone(passage) ? 0 : countOfParties(passage, matching, lower);
      const ofOthers = matching.length - settling;
      const touching = touches.get(place)?.length ?? 0;
      /** For a topic of several things: the passage is about the one in the question. */
      const isIt = !many || share >= minShareOfMany;
      one.touches += touching;
      one.settles += isIt ? settling : 0;
      one.another += ofOthers + (isIt ? 0 : settling);
      one.dealsWith += (isIt && settling > 0 ? 1 : 0) + (touching + ofOthers > 0 || (!isIt && settling > 0) ? touched : 0);
    }
    scored.push(one);
  }
  return scored;
}

/** True for a passage of an article that is deleted, or whose whole text is struck through: its title settles nothing. */
const isGone = ({ article }: ContractPassage): boolean => article.deleted || isStruck(article.text);

/** Returns a function that gives the share of the question in a passage, and in its title. */
function wordShares(
  { words, titles, articleOf, passages, articles }: IndexedContract,
  concepts: readonly QuestionConcept[],
): (place: number) => { readonly share: number; readonly inTitle: number } {
  const worth = concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const shares = new Float64Array(passages.length);
  const inTitles = new Float64Array(articles.length);
  for (const concept of concepts) {
    const weight = concept.rarity / worth;
    const inText = conceptMatches(concept, words);
    const inTitle = conceptMatches(concept, titles);
    if (inTitle) for (let i = 0; i < articles.length; i++) inTitles[i] = (inTitles[i] ?? 0) + weight * (inTitle[i] ?? 0);
    if (!inText && !inTitle) continue;
    for (let i = 0; i < passages.length; i++) {
      const match = Math.max(inText?.[i] ?? 0, titled.alone * (inTitle?.[articleOf[i] ?? 0] ?? 0));
      shares[i] = (shares[i] ?? 0) + weight * match;
    }
  }
  return (place) => ({ share: shares[place] ?? 0, inTitle: inTitles[articleOf[place] ?? 0] ?? 0 });
}

/** Returns the matching cues of each passage. Only tries those cues whose anchor is in the passage. */
function countCues({ passages, words, tokenizer }: IndexedContract, cues: readonly CompiledCue[]): ReadonlyMap<number, readonly RegExp[]> {
  const matching = new Map<number, RegExp[]>();
  for (const { pattern, anchors } of cues) {
    // anchors are tokens of the default tokenizer
    const places = (tokenizer === searchTokens ? placesOfCue(anchors, words) : undefined) ?? passages.keys();
    for (const place of places) {
      if (!pattern.test(passages[place]?.text ?? '')) continue;
      const others = matching.get(place);
      if (others) others.push(pattern);
      else matching.set(place, [pattern]);
    }
  }
  return matching;
}

/** Counts the matching cues outside of sentences that forbid something to third parties. */
function countOfParties({ text }: ContractPassage, matching: readonly RegExp[], question: string): number {
  const wording = partyWording(withoutStruck(text));
  const isNamed = wording.thirdParties.some((each) => question.includes(each.replace(/(?:ies|s|y)$/u, '')));
  return isNamed ? matching.length : matching.filter((pattern) => pattern.test(wording.text)).length;
}

const contents = new WeakMap<ContractPassage, boolean>();

/** True for a table of contents: it names topics but settles none. A Korean list of terms has sentences, or values behind colons. */
export function isContents(passage: ContractPassage): boolean {
  const known = contents.get(passage);
  if (known !== undefined) return known;
  const { text } = passage;
  const is =
    (text.match(/(?:article|section|\d+\.\d+|^\s*\d+\.)\s/gimu)?.length ?? 0) >= 4 &&
    !/\b(?:shall|will|may|must|is|are|has|agrees?)\b|[다함음임것][.)]?\s*$|[가-힣]\)?\s?:[^\S\n]*\S/mu.test(text);
  contents.set(passage, is);
  return is;
}
