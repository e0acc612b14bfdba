import { conductTopics } from './conduct-topics.ts';
import type { ContractTopic } from './contract-topic.ts';
import { disputeTopics } from './dispute-topics.ts';
import { leaseTopics } from './lease-topics.ts';
import { liabilityTopics } from './liability-topics.ts';
import { loanTopics } from './loan-topics.ts';
import { moneyTopics } from './money-topics.ts';
import { rightsTopics } from './rights-topics.ts';
import { supplyTopics } from './supply-topics.ts';
import { termTopics } from './term-topics.ts';
import { workTopics } from './work-topics.ts';

/** What contracts settle, in general. Heavy: loaded when a question is first asked. */
export const contractTopics: readonly ContractTopic[] = [
  ...disputeTopics,
  ...termTopics,
  ...liabilityTopics,
  ...moneyTopics,
  ...rightsTopics,
  ...conductTopics,
  ...supplyTopics,
  ...workTopics,
  ...leaseTopics,
  ...loanTopics,
];
