import { append, defineState, type ErrorInfo, joinTaint, type MessageFile, type Passage, toSafeError } from 'agent-machines';
import type { TranscriptMessage, WindowMessage, WindowState } from 'agent-machines/memory';
import { answersInKorean, describeStop } from 'agent-machines/search';
import { type CallingState, noPendingCalls, type ToolReviewEvent, toolReviewEvents } from 'agent-machines/tools';

/**
 * Estimated tokens of the messages in model requests. Each request counts once, without tool descriptions and replies. In short
 * conversations `sent` can exceed `full`, because a summary costs a request.
 */
export interface TokenAccount {
  /** Tokens sent for routing, answers and summaries. */
  readonly sent: number;
  /** Tokens of the same requests without a window: with all messages of the conversation, and without requests for summaries. */
  readonly full: number;
}

/** State of a run. README.md lists the document's field names. */
export interface ChatAgentState extends CallingState {
  /** The question, word for word; not part of the window. */
  readonly input: string;
  /** Images and other files of the question. Absent: none. */
  readonly files?: readonly MessageFile[];
  /** Prefix of the ids of this turn's messages; unique in the thread. */
  readonly turnId: string;
  /** Start of the run, in the run's time zone. */
  readonly currentDatetime: string;
  /** The conversation before this turn: recent messages, summaries and the user's stated facts. */
  readonly window: WindowState;
  /** The searchable conversation before this turn, messages in the window included. */
  readonly transcript: readonly TranscriptMessage[];
  /** Start of the run, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly route: 'rag' | 'agent' | null;
  /** Passages for this turn only. */
  readonly context: readonly Passage[];
  /** Dated messages about the question from before the window; for this turn only. */
  readonly recalled: string;
  /** Messages that this turn adds to the conversation: calls, their answers, the reply. */
  readonly turnMessages: readonly WindowMessage[];
  readonly toolRounds: number;
  readonly maxToolRounds: number;
  /** Names of the tools that this run may use. */
  readonly availableTools: readonly string[];
  readonly answer: string | null;
  /** Sources of the passages behind the answer. */
  readonly sources: readonly string[];
  readonly tokens: TokenAccount;
  readonly error: ErrorInfo | null;
}

/** Input of the machine. */
export type ChatAgentMachineInput = Pick<
  ChatAgentState,
  'input' | 'files' | 'turnId' | 'currentDatetime' | 'timeZone' | 'window' | 'maxToolRounds' | 'availableTools' | 'taint' | 'egressGranted'
> &
  Partial<Pick<ChatAgentState, 'transcript' | 'startedAt' | 'timeZone'>>;

export interface ChatAgentOutput {
  /** The answer, or the reason why there is none. */
  readonly answer: string;
  readonly sources: readonly string[];
  /** Tokens of this turn. */
  readonly tokens: TokenAccount;
  readonly error: ErrorInfo | null;
}

export const addTokens = (current: TokenAccount, next: TokenAccount): TokenAccount => ({
  sent: current.sent + next.sent,
  full: current.full + next.full,
});

export const state = defineState<ChatAgentState, ChatAgentMachineInput, ChatAgentOutput, ToolReviewEvent>({
  reducers: { turnMessages: append, tokens: addTokens, taint: joinTaint },
  events: toolReviewEvents,
  onError(before, thrown) {
    const error = toSafeError(thrown);
    return { error, answer: describeStop(error, { korean: answersInKorean(before.input) }) };
  },
});

export const noTokens: TokenAccount = { sent: 0, full: 0 };

export const initialState = (input: ChatAgentMachineInput): ChatAgentState => ({
  transcript: [],
  startedAt: 0,
  ...input,
  recalled: '',
  route: null,
  context: [],
  turnMessages: [],
  ...noPendingCalls,
  toolRounds: 0,
  answer: null,
  sources: [],
  tokens: noTokens,
  error: null,
});
