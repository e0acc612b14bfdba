import {
  append,
  type ChatMessage,
  defineState,
  type ErrorInfo,
  joinTaint,
  type MessageFile,
  type StateKit,
  type TokenUsage,
  toSafeError,
} from 'agent-machines';
import { answersInKorean, describeStop } from 'agent-machines/search';
import { addUsage, type CallingState, noPendingCalls, type ToolReviewEvent, toolReviewEvents } from 'agent-machines/tools';

/** State of a run. */
export interface AgentTeamState extends CallingState {
  /** The user's request, word for word. */
  readonly input: string;
  /** Images and other files of the request. Absent: none. */
  readonly files?: readonly MessageFile[];
  /** Questions, calls, results and answers before this request, oldest first. */
  readonly history: readonly ChatMessage[];
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  /** Messages that this run adds, of all agents. */
  readonly messages: readonly ChatMessage[];
  /** Name of the agent that has the conversation. */
  readonly active: string;
  /** Number of messages of this run before the active agent took over. */
  readonly tookOverAt: number;
  /** Number of replies with tool calls, of all agents. */
  readonly steps: number;
  readonly maxSteps: number;
  readonly answer: string | null;
  /** Outcome of the run; `null` while it is running, and after it was stopped. */
  readonly outcome: 'answered' | 'step-limit' | null;
  /** Token usage of all model calls, of all agents. */
  readonly usage: TokenUsage;
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type AgentTeamMachineInput = Omit<
  AgentTeamState,
  'messages' | 'tookOverAt' | 'steps' | 'answer' | 'outcome' | 'usage' | 'error' | 'pendingCalls' | 'answers' | 'heldCalls' | 'decisions'
>;

/** Output of a run. `step-limit`: the steps were used up, and the answer is what the agent had found by then. */
export interface AgentTeamOutput {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  readonly outcome: 'answered' | 'step-limit' | 'stopped';
  /** Name of the agent that had the conversation at the end. */
  readonly agent: string;
  /** Number of replies with tool calls, of all agents. */
  readonly steps: number;
  /** Token usage of all model calls, as counted by the provider. */
  readonly usage: TokenUsage;
  /** Error of a stopped run. */
  readonly error: ErrorInfo | null;
}

export const state: StateKit<AgentTeamState, AgentTeamMachineInput, AgentTeamOutput, ToolReviewEvent> = defineState<
  AgentTeamState,
  AgentTeamMachineInput,
  AgentTeamOutput,
  ToolReviewEvent
>({
  reducers: { messages: append, taint: joinTaint, usage: addUsage },
  events: toolReviewEvents,
  onError(before, thrown) {
    const error = toSafeError(thrown);
    return { error, answer: describeStop(error, { korean: answersInKorean(before.input) }) };
  },
});

export const initialState = (input: AgentTeamMachineInput): AgentTeamState => ({
  ...input,
  messages: [],
  ...noPendingCalls,
  tookOverAt: 0,
  steps: 0,
  answer: null,
  outcome: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  error: null,
});

export const toOutput = ({ answer, outcome, active, steps, usage, error }: AgentTeamState): AgentTeamOutput => ({
  answer: answer ?? '',
  outcome: error ? 'stopped' : (outcome ?? 'answered'),
  agent: active,
  steps,
  usage,
  error,
});
