export { addUsage } from '../util/add-usage.ts';
export { checkAllowTargets } from './allowed-targets.ts';
export { type AnswerCallsOptions, type AnsweredCalls, answerCalls } from './answer-calls.ts';
export { answerLinks } from './answer-links.ts';
export {
  type AnsweredPendingCalls,
  type AnswerPendingCallsOptions,
  answerPendingCalls,
  type CallingState,
  noPendingCalls,
  type PendingCalls,
} from './answer-pending-calls.ts';
export type { ApprovalReason } from './approval.ts';
export { callRejected, describeReasons } from './approval-needed.ts';
export { type AskWithToolsOptions, askWithTools, type ToolTurn } from './ask-with-tools.ts';
export {
  type CallsResult,
  type ExecuteCallsOptions,
  executeCalls,
  type HeldModelCall,
  type PastCall,
  type ToolResult,
} from './execute-calls.ts';
export { executePlan } from './execute-plan.ts';
export type {
  ApprovedCall,
  CallOptions,
  CallRecord,
  ExecuteOptions,
  HeldCall,
  HeldStep,
  PastStep,
  PlanResult,
  StepResult,
} from './execute-plan.types.ts';
export { isEgressGranted } from './is-egress-granted.ts';
export { toolMessage } from './tool-message.ts';
export {
  approvedCall,
  type CallDecision,
  type CallInReview,
  noToolReview,
  type RefusedEdits,
  refusedEdits,
  type ToolReview,
  type ToolReviewEvent,
  toolReviewEvents,
  toolReviewQuestion,
} from './tool-review.ts';
export { toolSignature } from './tool-signature.ts';
