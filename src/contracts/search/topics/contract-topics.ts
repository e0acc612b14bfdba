import type { ContractTopic } from './contract-topic.ts';
import topics from './contract-topics.json' with { type: 'json' };

/** Topics that contracts settle, in general. Heavy: import it when a question is first asked. */
export const contractTopics: readonly ContractTopic[] = topics;
