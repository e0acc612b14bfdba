import type { Workflow } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { z } from 'zod';

/** What whoever calls any of the five may count on. */
type Alike = Workflow<{ readonly input: string }, unknown, { readonly answer: string; readonly error: unknown }>;

const alike = (_workflow: Alike): void => {};

alike(planExecute());
alike(contractAgent({ contracts: [] }));
alike(guideAgent({ knowledge: {} as never }));
alike(chatAgent());
alike(toolAgent());
alike(toolAgent({ output: z.strictObject({ days: z.int() }) }));

export const trip: Workflow<
  { readonly input: string },
  unknown,
  { readonly outcome: 'answered' | 'step-limit' | 'stopped-early' | 'stopped'; readonly output: { readonly days: number } | null }
> = toolAgent({ output: z.strictObject({ days: z.int() }) });

export const text: Workflow<{ readonly input: string }, unknown, { readonly output: string | null }> = toolAgent();
// @ts-expect-error its output has no such field
export const wrong: Workflow<{ readonly input: string }, unknown, { readonly output: { readonly city: string } | null }> = toolAgent({
  output: z.strictObject({ days: z.int() }),
});
