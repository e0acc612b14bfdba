export { addUsage } from '../../core/util/add-usage.ts';
export { checkAllowTargets } from '../../plan/executor/allowed-targets.ts';
export type { ApprovalReason } from '../../plan/executor/approval.ts';
export { callRejected, describeReasons } from '../../plan/executor/approval-needed.ts';
export { type CallToolOptions, callTool, type ToolCallOutcome, tryTool } from '../../plan/executor/call-tool.ts';
export {
  type CallsResult,
  type ExecuteCallsOptions,
  executeCalls,
  type HeldModelCall,
  type PastCall,
  type ToolResult,
} from '../../plan/executor/execute-calls.ts';
export { executePlan } from '../../plan/executor/execute-plan.ts';
export type {
  ApprovedCall,
  CallOptions,
  CallRecord,
  ExecuteOptions,
  FailedCall,
  HeldCall,
  HeldStep,
  PastStep,
  PlanResult,
  StepResult,
  SucceededCall,
} from '../../plan/executor/execute-plan.types.ts';
export { isEgressGranted } from '../../plan/executor/is-egress-granted.ts';
export { toolSignature } from '../../plan/executor/tool-signature.ts';
export { type AgentThread, newAgentThread } from './agent-thread.ts';
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
export { type AskWithToolsOptions, askWithTools, type ToolTurn } from './ask-with-tools.ts';
export { eventFields, eventText } from './event-fields.ts';
export { batchReviewOutcomes, pendingCallsOutcomes, toolReviewOutcomes } from './review-outcomes.ts';
export { checkStepSettings, type StepSettings } from './step-settings.ts';
export { calledTool, costAtMost, type FinishedStep, type StopCondition, stepsAtMost, stopOf } from './stop-condition.ts';
export { toolMessage } from './tool-message.ts';
export {
  approvedCall,
  type CallDecision,
  type CallInReview,
  noToolReview,
  type RefusedEdits,
  refusedEdits,
  type ShownDecision,
  type ToolReview,
  type ToolReviewEvent,
  toolReviewEvents,
  toolReviewQuestion,
} from './tool-review.ts';
export { awaitsApproval, decidesAll, toolReviewState } from './tool-review-state.ts';
