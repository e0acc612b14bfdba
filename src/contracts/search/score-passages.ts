import { searchTokens } from '../../text/search-tokens.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { ContractDocument } from '../contract-document.ts';
import { type AskedConcept, conceptMatch } from './concept-match.ts';
import { type ContractPassage, contractPassages } from './contract-passages.ts';
import { toCue } from './cue.ts';
import { type PartyWording, partyWording } from './third-party-denials.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** How much what stands in the title adds to what stands in the passage, and how much it counts alone. */
const titled = { added: 0.15, alone: 0.8 };
/** Of a topic of many things: what a passage that settles one of them has to have of the question. Chosen as the thresholds of a verdict are. */
const oneOfMany = 0.3;
/** How much a topic counts that is only touched on, beside one that is settled. */
const touched = 0.3;

/** A passage, and the tokens that it is judged by. */
export interface SettlingPassage {
  readonly passage: ContractPassage;
  readonly tokens: ReadonlySet<string>;
  /** Of the article's title. */
  readonly title: ReadonlySet<string>;
  /** What it says of the parties. */
  readonly wording: PartyWording;
}

/** The passages of a contract that can settle something. */
export const settlingPassages = (document: ContractDocument, tokenizer: Tokenizer = searchTokens): readonly SettlingPassage[] =>
  contractPassages(document)
    .filter(({ text }) => !isContents(text))
    .map((passage) => ({
      passage,
      tokens: new Set(tokenizer(passage.text)),
      title: new Set(tokenizer(passage.article.title)),
      wording: partyWording(passage.text),
    }));

/** A table of contents names what the contract settles, and settles nothing. */
const isContents = (text: string): boolean =>
  (text.match(/(?:article|section|\d+\.\d+|^\s*\d+\.)\s/gimu)?.length ?? 0) >= 4 &&
  !/\b(?:shall|will|may|must|is|are|has|agrees?)\b/u.test(text);

export interface ScoredPassage {
  readonly passage: ContractPassage;
  /** The share of the question that it has, 0 to 1, each word by how telling it is. */
  readonly share: number;
  /** The share, and a little more for what the title has of the question. */
  readonly nearness: number;
  /** How many cues it has that settle a topic, and that touch on one. */
  readonly settles: number;
  readonly touches: number;
  /** How many settle another thing of a topic of many, or for others than the parties. */
  readonly another: number;
  /** How many topics it deals with, however many cues it has of each: 1 for one that it settles, less for one that it only touches on. */
  readonly dealsWith: number;
}

/** What a question asks for. */
interface Asked {
  readonly question: string;
  readonly concepts: readonly AskedConcept[];
  readonly topics: readonly ContractTopic[];
}

/** Judges each passage by the words of a question, and by the wording that settles its topics. */
export function scorePassages(passages: readonly SettlingPassage[], { question, concepts, topics }: Asked): readonly ScoredPassage[] {
  const worth = concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  const cues = topics.map(({ many = false, settles, touches }) => ({ many, settles: settles.map(toCue), touches: touches.map(toCue) }));
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
    // what is forbidden to others only touches on what the parties may do, unless they are asked about
    const ofParties = wording.thirdParties.some((each) => lower.includes(each.replace(/(?:ies|s|y)$/u, ''))) ? passage.text : wording.text;
    const scored = { passage, share, nearness: share + titled.added * inTitle, settles: 0, touches: 0, another: 0, dealsWith: 0 };
    for (const topic of cues) {
      const settling = count(topic.settles, ofParties);
      const touching = count(topic.touches, passage.text);
      const ofOthers = ofParties === passage.text ? 0 : count(topic.settles, passage.text) - settling;
      /** Of a topic of many things, the one that is asked for. */
      const isIt = !topic.many || share >= oneOfMany;
      scored.touches += touching;
      scored.settles += isIt ? settling : 0;
      scored.another += ofOthers + (isIt ? 0 : settling);
      scored.dealsWith += (isIt && settling > 0 ? 1 : 0) + (touching + ofOthers > 0 || (!isIt && settling > 0) ? touched : 0);
    }
    return scored;
  });
}
