import type { ErrorInfo } from './error-info.ts';
import type { Json } from './json.ts';
import type { GuardBorder } from './text-guard.ts';

/** Tokens of one model call. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that the provider read from its own cache. */
  readonly cachedInputTokens?: number;
  /** Output tokens spent on reasoning, a part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** Events that a node's handler may emit. */
export type StreamEvent =
  | { readonly type: 'model-start'; readonly task: string; readonly model: string }
  | {
      readonly type: 'model-end';
      readonly task: string;
      readonly model: string;
      readonly durationMs: number;
      readonly usage: TokenUsage;
      /** True when the reply came from `cachedModel` without a request. */
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
      /** The original error of a tool if the model reads another text. For developers, never for a model or a user. */
      readonly cause?: ErrorInfo;
    }
  | { readonly type: 'token'; readonly text: string }
  /**
   * Discard the tokens of this `node` (of every node if it is absent), and events seen before this one whose `seq` is not smaller than its
   * own. A model's stream broke off, or a crash came before the events were stored; the work starts again.
   */
  | { readonly type: 'step-reset' }
  | { readonly type: 'thinking'; readonly step: string; readonly content: Json }
  | { readonly type: 'sources'; readonly sources: Json }
  /** A guard has not passed a text. `failed`: the guard threw. */
  | {
      readonly type: 'guard';
      readonly guard: string;
      readonly border: GuardBorder;
      readonly verdict: 'mask' | 'hold' | 'stop' | 'failed';
      /** Reason of the guard, without the text; may be empty. */
      readonly reason: string;
      /** Name of the tool, at `tool-call` and `tool-result`. */
      readonly tool?: string;
    }
  | { readonly type: 'custom'; readonly name: string; readonly data: Json };

/** A human's move that a waiting run accepts. */
export interface Interrupt {
  /** Send it back with the answer; an answer to an older question is rejected. */
  readonly id: string;
  /** `state#visit` of the waiting state. */
  readonly key: string;
  /** Event types that the state accepts. */
  readonly accepts: readonly string[];
  /** The question, for example the plan to approve; made by `questions` of the workflow and covered by the `id`. */
  readonly question?: Json;
  /** Expiry time in milliseconds since 1970. A later answer is rejected, and the run asks again under another id. Absent: never. */
  readonly expiresAt?: number;
}

/** A `once` call whose result was lost in a crash or a timeout. */
export interface CallInDoubt {
  readonly callId: string;
  /** The step's own description, such as tool and arguments. */
  readonly describe: Json;
  /** Start time in milliseconds since 1970. */
  readonly startedAt: number;
  /** True when the process that started the call may still be working on it and may yet complete it. */
  readonly ownerMayLive: boolean;
}

/** Events that only the runtime emits. */
export type LifecycleEvent =
  | {
      readonly type: 'run-start';
      readonly workflow: string;
      readonly version: string;
      readonly runId: string;
      readonly threadId?: string;
      readonly model?: string;
    }
  /** The run continues in another version of its machine. */
  | { readonly type: 'run-migrated'; readonly from: string; readonly version: string }
  /** The workflow now offers other models, tools or limits, and the caller has accepted the changes. */
  | { readonly type: 'offer-changed'; readonly changes: readonly string[] }
  /**
   * The caller of `retry` has replaced these keys in the result of the node. The machine takes the new result instead of the old one, after
   * the first `told` events of the machine itself (`node-start`, `interrupt`, `edge`).
   */
  | { readonly type: 'node-patched'; readonly key: string; readonly fields: readonly string[]; readonly told: number }
  | { readonly type: 'node-start'; readonly key: string; readonly attempt: number }
  /** A failed node is retried within the same visit. */
  | {
      readonly type: 'node-retry';
      readonly key: string;
      /** Number of the next attempt. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    }
  | { readonly type: 'node-end'; readonly key: string; readonly durationMs: number; readonly error?: ErrorInfo }
  | { readonly type: 'edge'; readonly from: string; readonly to: string; readonly on: string; readonly guard?: string }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  | RunEnd;

/** The run has ended. `failed` with `resumable: false` is an end in a final state tagged `failure`. */
type RunEnd =
  | { readonly type: 'run-end'; readonly status: 'done'; readonly finalState: string }
  | {
      readonly type: 'run-end';
      readonly status: 'failed';
      readonly error: ErrorInfo;
      readonly resumable: false;
      readonly finalState: string;
    }
  | { readonly type: 'run-end'; readonly status: 'failed'; readonly error: ErrorInfo; readonly resumable: true }
  | { readonly type: 'run-end'; readonly status: 'cancelled' };

/** Fields of every event of a run. */
export interface EventMeta {
  /** Number in the run's log, from 1 without gaps; a live-only event has that of the last numbered one. */
  readonly seq: number;
  /** Time of the event in milliseconds since 1970. */
  readonly at: number;
  /** The node that emitted it, `state#visit`; absent on the runtime's own events. */
  readonly node?: string;
  /**
   * Position of a live-only event, `LEASE.SIZE`: the size of everything sent live under this lease up to its end, with a character counting
   * as one. It only grows. Skip an event whose position is not greater than the last one.
   */
  readonly live?: string;
}

/** One entry of a run's event log: the same object in the log, on the wire and in the terminal. */
export type RunEvent = (StreamEvent | LifecycleEvent) & EventMeta;

/** A `run-end` as journals store it: the end in a final state tagged `failure` is `done` with a `failure`. */
export type StoredRunEnd =
  | { readonly type: 'run-end'; readonly status: 'done'; readonly finalState: string; readonly failure?: ErrorInfo }
  | { readonly type: 'run-end'; readonly status: 'failed'; readonly error: ErrorInfo }
  | { readonly type: 'run-end'; readonly status: 'cancelled' };

/** An event as journals store it. */
export type StoredEvent = RunEvent | (StoredRunEnd & EventMeta);
