import type { PlanStep } from '../plan/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import type { Taint } from '../ports/taint.ts';
import type { Tool, ToolOutput } from '../ports/tool.ts';
import type { ApprovalReason } from './approval.ts';

/** How tools are called, for plans and for a model's calls. */
export interface CallOptions<TTool extends Tool = Tool> {
  /** Every tool that may be called: results have the types of their outputs. */
  readonly tools: readonly TTool[];
  /** Calls at the same time, at the most. @default 8 */
  readonly concurrency?: number;
  /** Aborts every call; the caller's reason is passed on. */
  readonly signal?: AbortSignal;
  /** Journals each call as a step of its own and reports it. Default: calls are neither journaled nor reported. */
  readonly io?: Pick<NodeIo, 'step' | 'emit' | 'recorded' | 'runId'>;
  /** What the thread holds already. @default nothing */
  readonly taint?: Taint;
  /** The user has allowed calls that send something out although private data is in the thread. It lifts no other rule. @default false */
  readonly allowEgress?: boolean;
  /**
   * Hosts and recipients that external calls may reach without approval: `example.com`, `*.example.com`, `kim@example.com`,
   * `*@example.com`. They are compared with the `targets` of a tool. @default []
   */
  readonly allowTargets?: readonly string[];
  /**
   * Held calls that a human has approved, or their signatures: each lets one call with this tool and these arguments pass. A held call
   * also has to find its tool as it was shown. @default []
   */
  readonly approved?: readonly (string | ApprovedCall)[];
  /** @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
}

export interface ExecuteOptions<TTool extends Tool = Tool> extends CallOptions<TTool> {
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
   * So many of the history's first steps are of earlier plans, whose `once` calls are never made again. Default: all of them, and of a
   * `sequential` plan those up to the last failure.
   */
  readonly ofEarlierPlans?: number;
  /**
   * `end`: until nothing can start any more. `wave`: nothing new starts after the first failure, and of a `sequential` plan only the first
   * step runs. @default 'end'
   */
  readonly until?: 'wave' | 'end';
}

/** What became of one call. JSON. */
export interface CallRecord<TOutput = Json> {
  readonly status: 'success' | 'failure';
  /** Of a success. A failed step of plan-execute has the text of its error here. */
  readonly output?: TOutput;
  /** Of a failure. */
  readonly error?: ErrorInfo;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** 0 when the tool was not called. */
  readonly attempts: number;
  /** Tool and arguments in canonical form; `''` when the arguments could not be put together. */
  readonly signature: string;
  /** What a workflow has read that was called; absent: what the tool's capabilities say. */
  readonly taint?: Taint;
  /** The output of an equal call was taken. */
  readonly deduplicated: boolean;
  /**
   * Another call of the same execution has, or may have, had an effect, and not surely before it: a later execution does not take its
   * output for an equal call.
   */
  readonly stale?: boolean;
}

/** A call that was not made, because a human has to approve it first. JSON. */
export interface HeldCall {
  readonly status: 'held';
  readonly tool: string;
  /** Exactly what the tool would be given. */
  readonly args: JsonObject;
  /** Tool and arguments in canonical form. */
  readonly signature: string;
  /** Hash of the tool as it was shown: its description, arguments, effect and approval rule. Absent outside of a run. */
  readonly definition?: string;
  /** At least one. */
  readonly reasons: readonly ApprovalReason[];
  /** The run in which it is asked: what is approved there is not approved in a fork of it. Absent when calls are not journaled. */
  readonly runId?: string;
}

/** A call that a human has approved, with the tool for which that counts. */
export type ApprovedCall = Pick<HeldCall, 'signature' | 'definition'>;

/** A step that waits for a human. */
export interface HeldStep extends HeldCall {
  readonly step: PlanStep;
}

/** One executed step of a plan: a line of the audit trail. */
export interface PastStep<TName extends string = string, TOutput = Json> extends CallRecord<TOutput> {
  readonly step: PlanStep & { readonly tool: TName };
}

/** An executed step of any of these tools, with the output of its own. */
export type StepResult<TTool extends Tool> = TTool extends Tool ? PastStep<TTool['name'], ToolOutput<TTool>> : never;

export interface PlanResult<TResult = PastStep> {
  /** In plan order, whatever order they finished in. */
  readonly results: readonly TResult[];
  /**
   * What has not been done: it is held or stands behind a held step, it needs a step that is held or has failed, or `until` was `wave`
   * and the wave has ended.
   */
  readonly remaining: readonly PlanStep[];
  /** What waits for a human, in plan order: nothing of it was done. Pass what was approved with `approved`. */
  readonly held: readonly HeldStep[];
  /** What the thread holds now. */
  readonly taint: Taint;
}
