import type { ErrorInfo } from './error-info.ts';
import type { Json } from './json.ts';

/** Tokens of one model call. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that the provider read from its own cache. */
  readonly cachedInputTokens?: number;
  /** Output tokens that the model spent on thinking: a part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** What a node's handler may emit. */
export type StreamEvent =
  | { readonly type: 'model-start'; readonly task: string; readonly model: string }
  | {
      readonly type: 'model-end';
      readonly task: string;
      readonly model: string;
      readonly durationMs: number;
      readonly usage: TokenUsage;
      /** The reply came from `cachedModel`: nothing was asked. */
      readonly cached: boolean;
      readonly error?: ErrorInfo;
    }
  | { readonly type: 'tool-start'; readonly callId: string; readonly tool: string; readonly args: Json }
  | {
      readonly type: 'tool-end';
      readonly callId: string;
      readonly tool: string;
      readonly durationMs: number;
      readonly attempts: number;
      readonly deduplicated: boolean;
      readonly error?: ErrorInfo;
      /** What a tool has thrown that is not an error of the package, word for word: for developers, never for a model or a user. */
      readonly cause?: ErrorInfo;
    }
  | { readonly type: 'token'; readonly text: string }
  /**
   * What was shown is void: the tokens of this `node` (of every node when it is absent), and events seen before this one whose `seq` is
   * not smaller than its own. A model's stream was cut, or a crash came before the events were stored; the work starts again.
   */
  | { readonly type: 'step-reset' }
  | { readonly type: 'thinking'; readonly step: string; readonly content: Json }
  | { readonly type: 'sources'; readonly sources: Json }
  | { readonly type: 'custom'; readonly name: string; readonly data: Json };

/** A human's move that a waiting run accepts. */
export interface Interrupt {
  /** Pass it back with the answer: an answer to an older question is refused. */
  readonly id: string;
  /** `state#visit` of the waiting state. */
  readonly key: string;
  /** Event types that the state accepts. */
  readonly accepts: readonly string[];
  /** What is asked, for example the plan that is to be approved: what `questions` of the workflow says. The `id` stands for it, too. */
  readonly question?: Json;
  /** When it expires, in milliseconds since 1970: a later answer is refused, and it is asked again under another id. Absent: never. */
  readonly expiresAt?: number;
}

/** A `once` call whose result a crash or a time-out has swallowed. */
export interface CallInDoubt {
  readonly callId: string;
  /** What the step said about itself, such as tool and arguments. */
  readonly describe: Json;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** True when the process that has started it may still be at work on it: what it has not done yet, it may do. */
  readonly ownerMayLive: boolean;
}

/** What the runtime itself says. */
export type LifecycleEvent =
  | {
      readonly type: 'run-start';
      readonly workflow: string;
      readonly version: string;
      readonly runId: string;
      readonly threadId?: string;
      readonly model?: string;
    }
  /** The run waits in another version of its machine from here on. */
  | { readonly type: 'run-migrated'; readonly from: string; readonly version: string }
  /** The run goes on although its workflow offers other models, tools or limits than before: its caller has accepted the changes. */
  | { readonly type: 'offer-changed'; readonly changes: readonly string[] }
  | { readonly type: 'node-start'; readonly key: string; readonly attempt: number }
  /** A node has failed and is run again, within the same visit. */
  | {
      readonly type: 'node-retry';
      readonly key: string;
      /** Of the attempt that comes. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    }
  | { readonly type: 'node-end'; readonly key: string; readonly durationMs: number; readonly error?: ErrorInfo }
  | { readonly type: 'edge'; readonly from: string; readonly to: string; readonly on: string; readonly guard?: string }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | {
      readonly type: 'run-end';
      readonly status: 'done' | 'failed' | 'cancelled';
      readonly finalState?: string;
      /** Of a `failed` run. */
      readonly error?: ErrorInfo;
      /** Of a `done` run whose final state is tagged `failure`. */
      readonly failure?: ErrorInfo;
    };

/** What every event of a run carries. */
export interface EventMeta {
  /** Number in the run's log, from 1 without gaps; a live-only event carries that of the last numbered one. */
  readonly seq: number;
  /** When it was emitted, in milliseconds since 1970. */
  readonly at: number;
  /** The node that emitted it, `state#visit`; absent on the runtime's own events. */
  readonly node?: string;
  /**
   * Of a live-only event: how much was said live up to its end since the run is driven under this lease, `LEASE.SIZE`, a character counting
   * as one. It only grows. What comes with one that is not greater has been heard.
   */
  readonly live?: string;
}

/** One entry of a run's event log: the same object in the log, on the wire and in the terminal. */
export type RunEvent = (StreamEvent | LifecycleEvent) & EventMeta;
