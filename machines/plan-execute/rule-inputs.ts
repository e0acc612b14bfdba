import type { Tool } from 'agent-machines';
import { cutToTokens } from 'agent-machines/memory';
import type { PlanExecuteState } from './state.ts';

interface ToolsInput {
  /** Names of the tools that the run may use. */
  readonly tools: readonly string[];
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
}

/** Input of the rules about a turn. */
export type TurnInput = ToolsInput &
  Pick<PlanExecuteState, 'input' | 'messages' | 'rewrittenQuery' | 'intent' | 'constraints' | 'currentDatetime'>;

/** Inputs of the rules, by task. Each holds the data that the task's prompt is made from. */
export interface PlanExecuteRuleInputs {
  readonly 'plan_execute.intent_classifier': TurnInput;
  readonly 'plan_execute.planner': TurnInput;
  readonly 'plan_execute.replanner': TurnInput & Pick<PlanExecuteState, 'pastSteps' | 'plan' | 'wave'> & { readonly firstId: number };
  readonly 'plan_execute.final_answer': TurnInput & Pick<PlanExecuteState, 'pastSteps'>;
}

/** Limit for rules, which read more slowly than models. */
const maxInputTokens = 40_000;

/** Returns the part of a state that the rules read, with the available tools, and the reasons why the others are unavailable. */
export const turnInput = (
  { input, messages, rewrittenQuery, intent, constraints, currentDatetime }: PlanExecuteState,
  tools: readonly Tool[],
  granted: readonly Tool[],
): TurnInput => ({
  input: cutToTokens(input, maxInputTokens),
  messages,
  rewrittenQuery,
  intent,
  constraints,
  currentDatetime,
  tools: granted.map(({ name }) => name),
  unavailable: tools.flatMap(({ name, unavailable }) => (unavailable === undefined ? [] : [{ name, reason: unavailable }])),
});
