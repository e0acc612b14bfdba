import { deepStrictEqual } from 'node:assert/strict';
import { noTaint } from 'agent-machines';
import type { PlanExecuteMachineInput, PlanExecuteState } from 'agent-machines/machines/plan-execute';
import { noToolReview, type PlanStep } from 'agent-machines/tools';

/** The one run that every variant performs: its input, what each node returns at once, and where that must lead. */

export type ScriptedNodeName = 'intent_classifier' | 'planner' | 'executor' | 'replanner' | 'final_answer' | 'error_handler';
export type ScriptedNode = (state: Readonly<PlanExecuteState>) => Promise<Partial<PlanExecuteState>>;

export const input: PlanExecuteMachineInput = {
  input: 'Multiply 123 by 456, then tell me the weekday of that many days from today.',
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello. What would you like to know?' },
  ],
  currentDatetime: '2026-01-15 09:30:00 (Asia/Seoul)',
  availableTools: ['calculator', 'get_current_datetime', 'summarize'],
  maxReplans: 3,
  taint: noTaint,
  egressGranted: false,
};

const steps: readonly PlanStep[] = [
  { step_id: 1, tool: 'calculator', input: '123 * 456' },
  { step_id: 2, tool: 'get_current_datetime', input: 'Asia/Seoul' },
  { step_id: 3, tool: 'summarize', input_from: 'step_2' },
];

const pastSteps: PlanExecuteState['pastSteps'] = steps.map((step, index) => ({
  step,
  status: 'success',
  output: `The output of step ${step.step_id}, a sentence of the length that a small tool returns.`,
  startedAt: 1_768_437_000_000 + index,
  durationMs: 1,
  attempts: 1,
  signature: `${step.tool}:{"input":"${step.tool}"}`,
  deduplicated: false,
}));

const intentPatch: Partial<PlanExecuteState> = {
  intent: 'new_question',
  rewrittenQuery: 'What is 123 * 456, and which weekday is that many days from today?',
  needsTool: true,
  constraints: null,
};
const planPatch: Partial<PlanExecuteState> = { plan: steps, acceptedSteps: steps.map(({ step_id, tool }) => ({ step_id, tool })) };
const wavePatches: readonly Partial<PlanExecuteState>[] = steps.map(({ step_id }, index) => ({
  pastSteps: pastSteps.slice(index, index + 1),
  plan: steps.slice(index + 1),
  wave: [step_id],
  taint: noTaint,
}));
const answerPatch: Partial<PlanExecuteState> = { result: '123 * 456 is 56088, and that many days from today is a Tuesday.' };

let visited: string[] | undefined;

const visit = (node: ScriptedNodeName, patch: Partial<PlanExecuteState> | undefined): Promise<Partial<PlanExecuteState>> => {
  visited?.push(node);
  return patch ? Promise.resolve(patch) : Promise.reject(new Error(`The script lacks a visit of ${node}.`));
};

/** The same functions for every variant, while it is proved and while it is timed. */
export const nodes: { readonly [K in ScriptedNodeName]: ScriptedNode } = {
  intent_classifier: () => visit('intent_classifier', intentPatch),
  planner: () => visit('planner', planPatch),
  executor: (state) => visit('executor', wavePatches[state.pastSteps.length]),
  replanner: () => visit('replanner', undefined),
  final_answer: () => visit('final_answer', answerPatch),
  error_handler: () => visit('error_handler', undefined),
};

const expectedVisits: readonly ScriptedNodeName[] = ['intent_classifier', 'planner', 'executor', 'executor', 'executor', 'final_answer'];

const expectedState: PlanExecuteState = {
  ...input,
  intent: 'new_question',
  rewrittenQuery: 'What is 123 * 456, and which weekday is that many days from today?',
  constraints: null,
  needsTool: true,
  plan: [],
  acceptedSteps: [
    { step_id: 1, tool: 'calculator' },
    { step_id: 2, tool: 'get_current_datetime' },
    { step_id: 3, tool: 'summarize' },
  ],
  planFrom: 0,
  pastSteps,
  ...noToolReview,
  wave: [3],
  replanCount: 0,
  error: null,
  result: '123 * 456 is 56088, and that many days from today is a Tuesday.',
};

/**
 * Performs a run once and throws unless it was the one that this question is about.
 * @param run answers with the state that it ended with.
 */
export async function prove(variant: string, run: () => Promise<unknown>): Promise<void> {
  visited = [];
  try {
    const state = await run();
    deepStrictEqual(visited, expectedVisits);
    // spread: a state made without a prototype is as good
    deepStrictEqual({ ...Object(state) }, expectedState);
  } catch (cause) {
    throw new Error(`"${variant}" is not the measured run.`, { cause });
  } finally {
    visited = undefined;
  }
}
