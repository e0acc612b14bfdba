import type { ChatMessage } from './chat-model.ts';
import type { Taint } from './taint.ts';

/**
 * Place where text enters or leaves a run. `input`: the run's input and a human's events. `request`: each message to a model. `tool-call`:
 * the arguments of a call. `tool-result`: a tool's output or error. `answer`: the text of a model's reply.
 */
export type GuardBorder = 'input' | 'request' | 'tool-call' | 'tool-result' | 'answer';

/**
 * Decision of a guard. `mask`: the text is replaced. `hold`: a human decides, about a call or a final answer of tool-agent. `stop`: the run
 * stops. A `reason` is stored as an event, so it must not quote the text.
 */
export type GuardVerdict =
  | { readonly as: 'pass' }
  | { readonly as: 'mask'; readonly text: string; readonly reason?: string }
  | { readonly as: 'hold'; readonly reason: string }
  | { readonly as: 'stop'; readonly reason: string };

/** One model request with its reply. The same object for every check of both. */
export interface GuardExchange {
  readonly task: string;
  /** Messages before any guard has changed them. */
  readonly messages: readonly ChatMessage[];
}

export interface GuardContext {
  readonly border: GuardBorder;
  readonly signal: AbortSignal;
  /** Set at `request` and `answer`. */
  readonly exchange?: GuardExchange;
  /** At `request`: the message that the text belongs to. */
  readonly message?: ChatMessage;
  /** At `request`: true for a message after the model's last reply, unless it asks the model to repair that reply. */
  readonly isNew?: boolean;
  /**
   * At `answer`, once the reply is complete. `final`: it ends the turn. `calls`: it stands beside tool calls. `inner`: no user sees it, such as
   * a plan. `reasoning`: the model's thoughts.
   */
  readonly part?: 'final' | 'calls' | 'inner' | 'reasoning';
  /** Name of the tool, at `tool-call` and `tool-result`. */
  readonly tool?: string;
  /** Taint of the thread, at `tool-call` and `tool-result`. */
  readonly taint?: Taint;
}

/** Decided text of a stream, or the verdict that ends it. */
export type GuardedPiece = string | Extract<GuardVerdict, { readonly as: 'hold' | 'stop' }>;

/** Filters the text of a reply that arrives in pieces. Together they must equal the text of `check`, however it is split. */
export interface GuardStream {
  /** Returns the text that is decided; the rest is held back. */
  push(text: string): GuardedPiece | Promise<GuardedPiece>;
  /** Returns the remaining text. */
  end(): GuardedPiece | Promise<GuardedPiece>;
}

/** Checks the texts of a workflow at some of its borders. */
export interface TextGuard {
  /** Unique in the workflow: `[a-zA-Z0-9_.-]{1,64}`. Part of its structure. */
  readonly name: string;
  /** Part of the workflow's structure. */
  readonly at: readonly GuardBorder[];
  /**
   * Decides about a text. Arguments, tool outputs and the input are JSON text if they are no strings, and must be replaced by JSON text. At
   * `input` it must not return a promise.
   */
  check(text: string, context: GuardContext): GuardVerdict | Promise<GuardVerdict>;
  /** Filters a streamed reply at `answer`. Absent: the reply is shown after `check`. */
  stream?(context: GuardContext): GuardStream;
  /** Names that `check` has put into a request, with the values that replace them in its reply. Default: none. */
  restores?(exchange: GuardExchange): ReadonlyMap<string, string>;
}
