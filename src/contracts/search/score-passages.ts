import { searchTokens } from '../../core/text/search-tokens.ts';
import type { Tokenizer } from '../../core/text/tokenizer.ts';
import type { ContractDocument } from '../contract-document.ts';
import { withoutStruck } from '../parse/struck-text.ts';
import { conceptMatch, type QuestionConcept } from './concept-match.ts';
import { type ContractPassage, contractPassages } from './contract-passages.ts';
import { toCuePattern } from './cue-pattern.ts';
import { type PartyWording, partyWording } from './third-party-denials.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** `added`: bonus for matches in the title. `alone`: weight of a match in the title only. */
const titled = { added: 0.15, alone: 0.8 };
/** For a topic of several things: minimum share of the question in a settling passage. Tuned like the verdict's thresholds. */
const minShareOfMany = 0.3;
/** Weight of a topic that a passage only touches on; a settled topic counts 1. */
const touched = 0.3;

/** A passage with the tokens for its score. */
export interface SettlingPassage {
  readonly passage: ContractPassage;
  readonly tokens: ReadonlySet<string>;
  /** Tokens of the article's title. */
  readonly title: ReadonlySet<string>;
  /** The wording about the parties. */
  readonly wording: PartyWording;
}

/** Returns the passages of a contract that can settle a topic. */
export const settlingPassages = (document: ContractDocument, tokenizer: Tokenizer = searchTokens): readonly SettlingPassage[] =>
  contractPassages(document)
    .filter(({ text }) => !isContents(text))
    .map((passage) => ({
      passage,
      // struck-through words settle nothing
      tokens: new Set(tokenizer(withoutStruck(passage.text))),
      title: new Set(tokenizer(passage.article.title)),
      wording: partyWording(withoutStruck(passage.text)),
    }));

/** True for a table of contents: it names topics but settles none. A Korean list of terms has sentences, or values behind colons. */
const isContents = (text: string): boolean =>
  (text.match(/(?:article|section|\d+\.\d+|^\s*\d+\.)\s/gimu)?.length ?? 0) >= 4 &&
  !/\b(?:shall|will|may|must|is|are|has|agrees?)\b|[다함음임것][.)]?\s*$|[가-힣]\)?\s?:[^\S\n]*\S/mu.test(text);

export interface ScoredPassage {
  readonly passage: ContractPassage;
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

/** Scores each passage by the words of a question, and by the wording that settles its topics. */
export function scorePassages(
  passages: readonly SettlingPassage[],
  { question, concepts, topics }: SearchQuestion,
): readonly ScoredPassage[] {
  const worth = concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const cues = topics.map(({ many = false, settles, touches }) => ({
    many,
    settles: settles.map(toCuePattern),
    touches: touches.map(toCuePattern),
  }));
  const lower = question.toLowerCase();
  return passages.map(({ passage, tokens, title, wording }) => {
    let share = 0;
    let inTitle = 0;
    for (const concept of concepts) {
      const match = conceptMatch(concept, title);
      share += (concept.rarity * Math.max(conceptMatch(concept, tokens), titled.alone * match)) / worth;
      inTitle += (concept.rarity * match) / worth;
    }
    const count = (patterns: readonly RegExp[], text: string): number => patterns.filter((pattern) => pattern.test(text)).length;
    // a ban on third parties only touches on the rights of the parties, unless the question names these third parties
    const ofParties = wording.thirdParties.some((each) => lower.includes(each.replace(/(?:ies|s|y)$/u, ''))) ? passage.text : wording.text;
    const scored = { passage, share, nearness: share + titled.added * inTitle, settles: 0, touches: 0, another: 0, dealsWith: 0 };
    for (const topic of cues) {
      const settling = count(topic.settles, ofParties);
      const touching = count(topic.touches, passage.text);
      const ofOthers = ofParties === passage.text ? 0 : count(topic.settles, passage.text) - settling;
      /** For a topic of several things: the passage is about the one in the question. */
      const isIt = !topic.many || share >= minShareOfMany;
      scored.touches += touching;
      scored.settles += isIt ? settling : 0;
      scored.another += ofOthers + (isIt ? 0 : settling);
      scored.dealsWith += (isIt && settling > 0 ? 1 : 0) + (touching + ofOthers > 0 || (!isIt && settling > 0) ? touched : 0);
    }
    return scored;
  });
}
