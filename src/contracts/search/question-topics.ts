import { toCuePattern } from './cue-pattern.ts';
import type { ContractTopic } from './topics/contract-topic.ts';

/** Returns the topics of a question, without those that another of its topics excludes. */
export function questionTopics(question: string, topics: readonly ContractTopic[]): readonly ContractTopic[] {
  const matching = topics.filter(({ asks }) => asks.some((cue) => toCuePattern(cue).test(question)));
  const ruledOut = new Set(matching.flatMap((topic) => topic.not ?? []));
  const left = matching.filter(({ en }) => !ruledOut.has(en));
  const particular = left.filter(({ general }) => !general);
  return particular.length > 0 ? particular : left;
}
