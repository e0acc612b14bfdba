import type { Workflow } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';

/** What whoever calls any of the four may count on. */
type Alike = Workflow<{ readonly input: string }, unknown, { readonly answer: string; readonly error: unknown }>;

const alike = (_workflow: Alike): void => {};

alike(planExecute());
alike(contractAgent({ contracts: [] }));
alike(guideAgent({ knowledge: {} as never }));
alike(chatAgent());
