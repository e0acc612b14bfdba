import { append, defineState, type ErrorInfo, joinTaint, type MessageFile, type Passage, type Taint, toSafeError } from 'agent-machines';
import { noPendingCalls, type PendingCalls, type ToolReviewEvent, toolReviewEvents } from 'agent-machines/executor';
import type { TranscriptMessage, WindowMessage, WindowState } from 'agent-machines/memory';
import { describeError, describeStop, isKorean } from 'agent-machines/text';

/**
 * Estimated tokens of the messages in requests to models: each request once, without the descriptions of tools, without replies.
 * `sent` may be above `full` where conversations are short: a summary costs a request.
 */
export interface TokenAccount {
  /** What was sent: to route, to answer, and to summarise. */
  readonly sent: number;
  /** What would have been sent without a window: all messages that there have ever been, and no request for a summary. */
  readonly full: number;
}

/** What a run knows. The document's field names are in README.md. */
export interface ChatAgentState extends PendingCalls {
  /** The question, word for word; not part of the window. */
  readonly input: string;
  /** Images and other files of the question. Absent: there are none. */
  readonly files?: readonly MessageFile[];
  /** Unique in the thread: ids of this turn's messages begin with it. */
  readonly turnId: string;
  /** When the run started, in the run's time zone. */
  readonly currentDatetime: string;
  /** The conversation before this turn: recent messages, summaries, what the user has stated. */
  readonly window: WindowState;
  /** The conversation before this turn as it is kept to be found again, what is in the window included. */
  readonly transcript: readonly TranscriptMessage[];
  /** When the run started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** In which dates are told. */
  readonly timeZone: string;
  readonly route: 'rag' | 'agent' | null;
  /** Passages for this turn alone. */
  readonly context: readonly Passage[];
  /** What was said about the question before the window, with dates; for this turn alone. */
  readonly recalled: string;
  /** What this turn adds to the conversation: calls, their answers, the reply. */
  readonly turnMessages: readonly WindowMessage[];
  readonly toolRounds: number;
  readonly maxToolRounds: number;
  /** Names of the tools that this run may use. */
  readonly availableTools: readonly string[];
  /** What tools and documents have brought into the thread, now or in an earlier turn. */
  readonly taint: Taint;
  /** The user has allowed tools to send something out in this thread, now or in an earlier turn. */
  readonly egressGranted: boolean;
  readonly answer: string | null;
  /** Where the passages of the answer are from. */
  readonly sources: readonly string[];
  readonly tokens: TokenAccount;
  readonly error: ErrorInfo | null;
}

/** What the machine starts with. */
export type ChatAgentMachineInput = Pick<
  ChatAgentState,
  'input' | 'files' | 'turnId' | 'currentDatetime' | 'window' | 'maxToolRounds' | 'availableTools' | 'taint' | 'egressGranted'
> &
  Partial<Pick<ChatAgentState, 'transcript' | 'startedAt' | 'timeZone'>>;

export interface ChatAgentOutput {
  /** The answer, or why there is none. */
  readonly answer: string;
  readonly sources: readonly string[];
  /** Of this turn. */
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
    return { error, answer: describeStop(describeError(error), { korean: isKorean(before.input) }) };
  },
});

export const noTokens: TokenAccount = { sent: 0, full: 0 };

export const initialState = (input: ChatAgentMachineInput): ChatAgentState => ({
  transcript: [],
  startedAt: 0,
  timeZone: 'Asia/Seoul',
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
