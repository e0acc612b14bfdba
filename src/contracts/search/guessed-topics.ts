import { searchTokens } from '../../core/text/search-tokens.ts';
import type { QuestionConcept } from './concept-match.ts';
import { questionConcepts } from './question-concepts.ts';
import { functionWord, topicShares } from './topic-shares.ts';
import type { ContractTopic } from './topics/contract-topic.ts';
import { wordRarity } from './word-rarity.ts';

/** Particles that make a new verb: `run out`, `roll over`. */
const particles = new Set('out over up off down back away along in'.split(' '));
/** Minimum nearness of an example question, and maximum number of topics. Tuned on every other topic of the public contracts. */
const minNearness = 0.2;
const maxTopics = 3;
/** Finds the topics of a question that has none of their cues: by the nearest example questions, and by words that it shares with the table. */
export type TopicGuesser = (question: string, concepts?: readonly QuestionConcept[]) => readonly ContractTopic[];

interface Example {
  readonly topic: ContractTopic;
  readonly tokens: ReadonlySet<string>;
  readonly norm: number;
}

/**
 * Prepares the example questions of a table of topics.
 *
 * @example topicGuesser(contractTopics)('Could I sell my half to a stranger?') // [assignment, …]
 */
export function topicGuesser(topics: readonly ContractTopic[]): TopicGuesser {
  const known = prepared.get(topics);
  if (known) return known;
  const guesser = prepareGuesser(topics);
  prepared.set(topics, guesser);
  return guesser;
}

/** The finders of all contracts share a table, and reading it takes 50 ms. */
const prepared = new WeakMap<readonly ContractTopic[], TopicGuesser>();

function prepareGuesser(topics: readonly ContractTopic[]): TopicGuesser {
  const all = topics.flatMap((topic) => (topic.examples ?? []).map((example) => ({ topic, tokens: tokensOf(example) })));
  const counts = new Map<string, number>();
  for (const { tokens } of all) for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const weight = (token: string): number => Math.log(1 + all.length / (1 + (counts.get(token) ?? 0)));
  const normOf = (tokens: ReadonlySet<string>): number => Math.sqrt([...tokens].reduce((sum, token) => sum + weight(token) ** 2, 0));
  const examples: readonly Example[] = all.map(({ topic, tokens }) => ({ topic, tokens, norm: normOf(tokens) }));
  const sharing = topicShares(topics);
  return (question, concepts = questionConcepts(question)) => {
    const asked = tokensOf(question);
    const norm = normOf(asked);
    const nearest = new Map(sharing(question, concepts));
    for (const { topic, tokens, norm: own } of examples) {
      let shared = 0;
      for (const token of asked) if (tokens.has(token)) shared += weight(token) ** 2;
      const nearness = shared === 0 ? 0 : shared / (norm * own);
      if (nearness >= minNearness && nearness > (nearest.get(topic) ?? 0)) nearest.set(topic, nearness);
    }
    return [...nearest]
      .sort(([, one], [, other]) => other - one)
      .slice(0, maxTopics)
      .map(([topic]) => topic);
  };
}

/** Returns the tokens of the topical words, and each verb with its particle as one token. */
function tokensOf(question: string): ReadonlySet<string> {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  const tokens = new Set(words.filter((word) => wordRarity(word) > functionWord).flatMap((word) => searchTokens(word)));
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (before !== undefined && particles.has(word) && wordRarity(before) > functionWord) tokens.add(`${searchTokens(before)[0]} ${word}`);
  }
  return tokens;
}
