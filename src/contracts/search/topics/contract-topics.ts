import type { ContractTopic } from './contract-topic.ts';
import topics from './contract-topics.json' with { type: 'json' };

/** General contract topics. A large table: import it lazily, on the first question. */
export const contractTopics: readonly ContractTopic[] = topics;
