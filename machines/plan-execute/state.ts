import { append, defineState, type ErrorInfo, joinTaint, toSafeError } from 'agent-machines';
import type { ConversationMessage } from 'agent-machines/memory';
import {
  type AgentThread,
  type FailedCall,
  limitFiles,
  noToolReview,
  type PastStep,
  type PlanStep,
  type ToolReview,
  type ToolReviewEvent,
  toolReviewEvents,
} from 'agent-machines/tools';

/** State of a run. README.md lists the document's field names. */
export interface PlanExecuteState extends ToolReview, AgentThread {
  /** The user's request, word for word. */
  readonly input: string;
  /** The conversation before this request, oldest message first. */
  readonly messages: readonly ConversationMessage[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  /** IANA time zone of the run, as stored at its start. */
  readonly timeZone?: string;
  /** Names of the tools that this run may use. */
  readonly availableTools: readonly string[];
  readonly intent: Intent | null;
  /** The request as a standalone question: earlier turns fill in what it only implies. */
  readonly rewrittenQuery: string;
  /** Requirements from earlier turns for this answer. */
  readonly constraints: string | null;
  readonly needsTool: boolean;
  /** Steps that have not run yet. */
  readonly plan: readonly PlanStep[];
  /** Steps of all plans that passed the gate. */
  readonly acceptedSteps: readonly AcceptedStep[];
  /** Number of steps that had run when the plan was made. */
  readonly planFrom: number;
  /** Steps that have run: the audit trail. */
  readonly pastSteps: readonly RecordedStep[];
  /** Ids of the steps of the last executor visit. */
  readonly wave: readonly number[];
  readonly replanCount: number;
  readonly maxReplans: number;
  /** The error that ended the run. */
  readonly error: ErrorInfo | null;
  /** The answer. */
  readonly result: string | null;
}

export type Intent = 'new_question' | 'follow_up' | 'clarification' | 'chitchat';

/** A step that has run. A failed one also has its error as text: `"output": "Error: timeout"`. */
export type RecordedStep = Exclude<PastStep, FailedCall> | (FailedCall & { readonly step: PlanStep; readonly output: string });

/** The step as the output of the run has it: the files of its result are named. */
export const withoutFiles = (past: RecordedStep): RecordedStep =>
  past.status === 'success' ? { ...past, output: limitFiles(past.output, 0) } : past;

export type AcceptedStep = Pick<PlanStep, 'step_id' | 'tool'>;

/** Input of the machine. */
export type PlanExecuteMachineInput = Pick<
  PlanExecuteState,
  'input' | 'messages' | 'currentDatetime' | 'timeZone' | 'availableTools' | 'maxReplans' | 'taint' | 'egressGranted'
>;

export interface PlanExecuteOutput {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  readonly pastSteps: readonly RecordedStep[];
  /** Set if the run was stopped. */
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
