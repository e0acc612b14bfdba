import type { JsonObject, Tool } from 'agent-machines';
import type { PlanExecuteState } from '../state.ts';

/** What the prompts are made of, for models that work by rules. */
export const factsOf = ({ input, messages, rewrittenQuery, intent, constraints }: PlanExecuteState): JsonObject => ({
  input,
  messages: messages.map(({ role, content }) => ({ role, content })),
  rewrittenQuery,
  intent,
  constraints,
});

/** The tools that may be used, and why the others may not. */
export const describeTools = (tools: readonly Tool[], granted: readonly Tool[]): JsonObject => ({
  tools: granted.map(({ name }) => name),
  unavailable: tools.flatMap(({ name, unavailable }) => (unavailable === undefined ? [] : [{ name, reason: unavailable }])),
});
