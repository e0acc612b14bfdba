import { append, defineState, type ErrorInfo, joinTaint, type Taint, toSafeError } from 'agent-machines';
import { noToolReview, type PastStep, type ToolReview, type ToolReviewEvent, toolReviewEvents } from 'agent-machines/executor';
import type { ConversationMessage } from 'agent-machines/memory';
import type { PlanStep } from 'agent-machines/plan';

/** What a run knows. The document's field names are in README.md. */
export interface PlanExecuteState extends ToolReview {
  /** The user's request, word for word. */
  readonly input: string;
  /** The conversation before it, oldest first. */
  readonly messages: readonly ConversationMessage[];
  /** When the run started, in the run's time zone. */
  readonly currentDatetime: string;
  /** Names of the tools that this run may use. */
  readonly availableTools: readonly string[];
  readonly intent: Intent | null;
  /** The request rewritten so that it stands alone: what it only implies is filled in from earlier turns. */
  readonly rewrittenQuery: string;
  /** Requirements from earlier turns that this answer must meet. */
  readonly constraints: string | null;
  readonly needsTool: boolean;
  /** Steps that have not run yet. */
  readonly plan: readonly PlanStep[];
  /** Every step of every plan that passed the gate. */
  readonly acceptedSteps: readonly AcceptedStep[];
  /** How many steps had run when the plan was made. */
  readonly planFrom: number;
  /** What has run: the audit trail. */
  readonly pastSteps: readonly PastStep[];
  /** Ids of the steps of the last executor visit. */
  readonly wave: readonly number[];
  readonly replanCount: number;
  readonly maxReplans: number;
  /** What tools have brought into the thread, now or in an earlier turn. */
  readonly taint: Taint;
  /** The user has allowed tools to send something out in this thread, now or in an earlier turn. */
  readonly egressGranted: boolean;
  /** What ended the work. */
  readonly error: ErrorInfo | null;
  /** The answer. */
  readonly result: string | null;
}

export type Intent = 'new_question' | 'follow_up' | 'clarification' | 'chitchat';

export type AcceptedStep = Pick<PlanStep, 'step_id' | 'tool'>;

/** What the machine starts with. */
export type PlanExecuteMachineInput = Pick<
  PlanExecuteState,
  'input' | 'messages' | 'currentDatetime' | 'availableTools' | 'maxReplans' | 'taint' | 'egressGranted'
>;

export interface PlanExecuteOutput {
  /** The answer, or why there is none. */
  readonly answer: string;
  readonly pastSteps: readonly PastStep[];
  /** Set when the run was stopped. */
  readonly error: ErrorInfo | null;
}

export const state = defineState<PlanExecuteState, PlanExecuteMachineInput, PlanExecuteOutput, ToolReviewEvent>({
  reducers: { acceptedSteps: append, pastSteps: append, taint: joinTaint },
  events: toolReviewEvents,
  onError: (_state, error) => ({ error: toSafeError(error) }),
});

export const initialState = (input: PlanExecuteMachineInput): PlanExecuteState => ({
  ...input,
  intent: null,
  rewrittenQuery: '',
  constraints: null,
  needsTool: false,
  plan: [],
  acceptedSteps: [],
  planFrom: 0,
  pastSteps: [],
  wave: [],
  ...noToolReview,
  replanCount: 0,
  error: null,
  result: null,
});
