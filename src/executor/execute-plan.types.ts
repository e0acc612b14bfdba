import type { PlanStep } from '../plan/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import type { Tool } from '../ports/tool.ts';

/** How tools are called, for plans and for a model's calls. */
export interface CallOptions {
  /** Every tool that may be called. */
  readonly tools: readonly Tool[];
  /** Calls at the same time, at the most. @default 8 */
  readonly concurrency?: number;
  /** Aborts every call; the caller's reason is passed on. */
  readonly signal?: AbortSignal;
  /** Journals each call as a step of its own and reports it. Default: calls are neither journaled nor reported. */
  readonly io?: Pick<NodeIo, 'step' | 'emit' | 'recorded'>;
  /** Private data is in the thread already, so that a call which sends something out needs approval. @default false */
  readonly tainted?: boolean;
  /** The user has allowed calls that send something out whatever the thread holds. @default false */
  readonly allowEgress?: boolean;
  /** @default ajvValidator */
  readonly validator?: SchemaValidator;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
}

export interface ExecuteOptions extends CallOptions {
  /**
   * `auto`: every step as soon as its inputs are there, at the same time; `once` steps one after the other, in plan order.
   * `sequential`: one step after the other, in plan order. @default 'auto'
   */
  readonly execution?: 'auto' | 'sequential';
  /**
   * What has run before, in order: references read its outputs, and a call with the signature of a successful one is not made again,
   * unless something with an effect has been at work since. @default []
   */
  readonly history?: readonly PastStep[];
  /**
   * `end`: until nothing can start any more. `wave`: nothing new starts after the first failure, and of a `sequential` plan only the first
   * step runs. @default 'end'
   */
  readonly until?: 'wave' | 'end';
}

/** What became of one call. JSON. */
export interface CallRecord {
  readonly status: 'success' | 'failure';
  /** Of a success. */
  readonly output?: Json;
  /** Of a failure. */
  readonly error?: ErrorInfo;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** 0 when the tool was not called. */
  readonly attempts: number;
  /** Tool and arguments in canonical form; `''` when the arguments could not be put together. */
  readonly signature: string;
  /** The output of an equal call was taken. */
  readonly deduplicated: boolean;
  /**
   * Another call of the same execution has, or may have, had an effect, and not surely before it: a later execution does not take its
   * output for an equal call.
   */
  readonly stale?: boolean;
}

/** One executed step of a plan: a line of the audit trail. */
export interface PastStep extends CallRecord {
  readonly step: PlanStep;
}

export interface PlanResult {
  /** In plan order, whatever order they finished in. */
  readonly results: readonly PastStep[];
  /** What has not been started: it needs a step that failed, or `until` was `wave` and the wave has ended. */
  readonly remaining: readonly PlanStep[];
  /** Private data is in the thread now. */
  readonly tainted: boolean;
}
