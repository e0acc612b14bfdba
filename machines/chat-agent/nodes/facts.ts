import type { JsonObject } from 'agent-machines';
import type { ChatAgentState } from '../state.ts';

/** What the prompts are made of, for models that work by rules. */
export const factsOf = ({ input, window, route, context, turnMessages }: ChatAgentState): JsonObject =>
  ({ input, window, route, context, turnMessages }) as unknown as JsonObject;
