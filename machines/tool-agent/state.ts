import {
  append,
  type ChatMessage,
  defineState,
  type ErrorInfo,
  type Json,
  joinTaint,
  type MessageFile,
  type TokenUsage,
  toSafeError,
} from 'agent-machines';
import { answersInKorean, describeStop } from 'agent-machines/search';
import { addUsage, type CallingState, noPendingCalls, type PastCall, type ToolReviewEvent, toolReviewEvents } from 'agent-machines/tools';
import { approveAnswer, isAnswerHeld, type ReplaceEvent, rejectAnswer, replaceEvent } from './answer-review.ts';

/** State of a run. */
export interface ToolAgentState extends CallingState {
  /** The user's request, word for word. */
  readonly input: string;
  /** Images and other files of the request. Absent: none. */
  readonly files?: readonly MessageFile[];
  /** Questions, calls, results and answers before this request, oldest first. */
  readonly history: readonly ChatMessage[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  /** Messages that this run adds: replies of the model, calls, their answers. */
  readonly messages: readonly ChatMessage[];
  /** Number of replies in which the model has called tools. */
  readonly steps: number;
  readonly maxSteps: number;
  /** Names of the tools that this run may use. */
  readonly availableTools: readonly string[];
  /** Names of the tools that the current step may call. `null`: all of `availableTools`. */
  readonly activeTools: readonly string[] | null;
  /** Calls of the current step, made before a call that waits for a human. */
  readonly madeCalls: readonly PastCall[];
  readonly answer: string | null;
  /** Guards that hold the answer until a human decides. */
  readonly heldBy: readonly string[];
  /** Value parsed by the schema of `output`, or the answer if there is no schema. */
  readonly output: Json;
  /** Outcome of the run; `null` while it is running, and after it was stopped. */
  readonly outcome: 'answered' | 'step-limit' | 'stopped-early' | null;
  /** Token usage of all model calls. */
  readonly usage: TokenUsage;
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type ToolAgentMachineInput = Pick<
  ToolAgentState,
  'input' | 'files' | 'runContext' | 'history' | 'currentDatetime' | 'timeZone' | 'maxSteps' | 'availableTools' | 'taint' | 'egressGranted'
>;

/** Members of every output. */
export interface ToolAgentEnd {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  /** Number of replies in which the model has called tools. */
  readonly steps: number;
  /** Token usage of all model calls, as counted by the provider. */
  readonly usage: TokenUsage;
}

/**
 * Output of a run. `answered`: `output` holds the requested value. `step-limit`: the steps were used up, and the answer is what the model
 * had found by then. `stopped-early`: a condition of `stopWhen` was met; after `calledTool`, `output` is the output of that call, or `null`
 * if it does not match the schema. `stopped`: the run failed, or a human rejected its answer.
 */
export type ToolAgentOutput<TOutput = string> = ToolAgentEnd &
  (
    | { readonly outcome: 'answered'; readonly output: TOutput; readonly error: null }
    | { readonly outcome: 'step-limit' | 'stopped-early'; readonly output: TOutput | null; readonly error: null }
    | { readonly outcome: 'stopped'; readonly output: null; readonly error: ErrorInfo }
  );

export const state = defineState<ToolAgentState, ToolAgentMachineInput, ToolAgentOutput<Json>, ToolReviewEvent | ReplaceEvent>({
  reducers: { messages: append, taint: joinTaint, usage: addUsage },
  events: {
    ...toolReviewEvents,
    APPROVE: { patch: (state) => (isAnswerHeld(state) ? approveAnswer : toolReviewEvents.APPROVE.patch(state)) },
    REJECT: {
      ...toolReviewEvents.REJECT,
      patch: (state, event) => (isAnswerHeld(state) ? rejectAnswer(state, event) : toolReviewEvents.REJECT.patch(state, event)),
    },
    REPLACE: replaceEvent,
  },
  onError(before, thrown) {
    const error = toSafeError(thrown);
    return { error, answer: describeStop(error, { korean: answersInKorean(before.input) }) };
  },
});

export const initialState = (input: ToolAgentMachineInput): ToolAgentState => ({
  ...input,
  messages: [],
  ...noPendingCalls,
  activeTools: null,
  madeCalls: [],
  steps: 0,
  answer: null,
  heldBy: [],
  output: null,
  outcome: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  error: null,
});

export function toOutput({ answer, output, outcome, steps, usage, error }: ToolAgentState): ToolAgentOutput<Json> {
  const end = { answer: answer ?? '', steps, usage };
  if (error) return { ...end, outcome: 'stopped', output: null, error };
  return { ...end, outcome: outcome ?? 'answered', output, error };
}
