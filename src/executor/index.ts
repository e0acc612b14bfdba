export { type CallsResult, type ExecuteCallsOptions, executeCalls, type PastCall } from './execute-calls.ts';
export { executePlan } from './execute-plan.ts';
export type { CallOptions, CallRecord, ExecuteOptions, PastStep, PlanResult } from './execute-plan.types.ts';
export { toolMessage } from './tool-message.ts';
export { toolSignature } from './tool-signature.ts';
