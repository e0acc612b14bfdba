export { describePlanExecute } from './describe.ts';
export { planExecuteRules } from './offline/plan-execute-rules.ts';
export { type PlanExecuteInput, type PlanExecuteOptions, planExecute } from './plan-execute.ts';
export type { PlanExecuteRuleInputs } from './rule-inputs.ts';
export type { PlanExecuteTask } from './services.ts';
export type { AcceptedStep, Intent, PlanExecuteMachineInput, PlanExecuteOutput, PlanExecuteState, RecordedStep } from './state.ts';
