import { searchTokens } from '../../core/text/search-tokens.ts';
import type { QuestionConcept } from './concept-match.ts';
import { beginning, cueAnchors, longestAnchor, mayBegin } from './cue-anchors.ts';
import { toCuePattern } from './cue-pattern.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** Returns the topics of a question, without those that another of its topics excludes. */
export function questionTopics(question: string, topics: readonly ContractTopic[]): readonly ContractTopic[] {
  const asked = new Set<ContractTopic>();
  for (const { topic, cue } of possibleCues(question, topics)) {
    if (!asked.has(topic) && toCuePattern(cue).test(question)) asked.add(topic);
  }
  const matching = topics.filter((topic) => asked.has(topic));
  const ruledOut = new Set(matching.flatMap((topic) => topic.not ?? []));
  const left = matching.filter(({ en }) => !ruledOut.has(en));
  const particular = left.filter(({ general }) => !general);
  return particular.length > 0 ? particular : left;
}

interface AskCue {
  readonly topic: ContractTopic;
  readonly cue: string;
}

/** The cues of all topics by one of their words: to compile and try all of them takes 100 ms at the first question. */
interface AskCues {
  readonly byToken: ReadonlyMap<string, readonly AskCue[]>;
  /** By the first letters of an open word. */
  readonly byBeginning: ReadonlyMap<string, readonly (AskCue & { readonly letters: string })[]>;
  readonly anywhere: readonly AskCue[];
}

const indexed = new WeakMap<readonly ContractTopic[], AskCues>();

/** Returns the cues that the words of a question allow. */
function possibleCues(question: string, topics: readonly ContractTopic[]): readonly AskCue[] {
  const cues = indexed.get(topics) ?? indexCues(topics);
  indexed.set(topics, cues);
  const { byToken, byBeginning, anywhere } = cues;
  const tokens = [...new Set(searchTokens(question))];
  return [
    ...anywhere,
    ...tokens.flatMap((token) => byToken.get(token) ?? []),
    ...tokens.flatMap((token) => (byBeginning.get(beginning(token)) ?? []).filter(({ letters }) => mayBegin(letters, token))),
  ];
}

function indexCues(topics: readonly ContractTopic[]): AskCues {
  const byToken = new Map<string, AskCue[]>();
  const byBeginning = new Map<string, (AskCue & { readonly letters: string })[]>();
  const anywhere: AskCue[] = [];
  for (const topic of topics) {
    for (const cue of topic.asks) {
      const anchor = longestAnchor(cueAnchors(cue));
      if (anchor === undefined) anywhere.push({ topic, cue });
      for (const { token, open } of anchor ?? []) {
        if (open) addTo(byBeginning, beginning(token), { topic, cue, letters: token });
        else addTo(byToken, token, { topic, cue });
      }
    }
  }
  return { byToken, byBeginning, anywhere };
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const others = map.get(key);
  if (others) others.push(value);
  else map.set(key, [value]);
}

/**
 * Returns the share of a question's words, weighted by rarity, that the cues of its topics contain. Without most of them a cue may have
 * matched by chance: `my train to the client` asks for no training.
 */
export function explainedShare(question: string, topics: readonly ContractTopic[], concepts: readonly QuestionConcept[]): number {
  const parts = topics.flatMap(({ asks }) => asks.flatMap((cue) => toCuePattern(cue).exec(question)?.[0]?.toLowerCase() ?? []));
  const rarityOf = (some: readonly QuestionConcept[]): number => some.reduce((sum, { rarity }) => sum + rarity, 0);
  // a Korean cue such as 경업 is a part of the word 경업금지
  const isIn = (part: string, word: string): boolean => part.includes(word) || (part.length > 1 && word.includes(part));
  const explained = concepts.filter(({ word }) => parts.some((part) => isIn(part.trim(), word.toLowerCase())));
  return rarityOf(explained) / Math.max(rarityOf(concepts), Number.MIN_VALUE);
}
