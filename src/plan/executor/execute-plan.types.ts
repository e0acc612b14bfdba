import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import type { SchemaValidator } from '../../core/ports/schema-validator.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool, ToolOutput } from '../../core/ports/tool.ts';
import type { PlanStep } from '../gate/plan.ts';
import type { ApprovalReason } from './approval.ts';

/** Options of tool calls, for plans and for a model's calls. */
export interface CallOptions<TTool extends Tool = Tool> {
  /** Every callable tool; results have the types of their outputs. */
  readonly tools: readonly TTool[];
  /** Maximum number of concurrent calls. @default 8 */
  readonly concurrency?: number;
  /** Aborts every call and passes on the caller's reason. */
  readonly signal?: AbortSignal;
  /** Journals and reports each call as a separate step. Default: calls are neither journaled nor reported. */
  readonly io?: Pick<NodeIo, 'step' | 'emit' | 'recorded' | 'runId' | 'threadId' | 'guards'>;
  /** Taint of the thread before the calls. @default none */
  readonly taint?: Taint;
  /** Allows calls that send data out although the thread holds private data. It lifts no other rule. @default false */
  readonly allowEgress?: boolean;
  /**
   * Hosts and recipients that external calls may reach without approval: `example.com`, `*.example.com`, `kim@example.com`,
   * `*@example.com`. Compared with the `targets` of a tool. @default []
   */
  readonly allowTargets?: readonly string[];
  /**
   * Approved calls, or their signatures; each allows one call of this tool with these arguments. A held call also requires an unchanged
   * tool definition. @default []
   */
  readonly approved?: readonly (string | ApprovedCall)[];
  /** IANA time zone of the run, for the tools. @default none: a tool uses its own default */
  readonly timeZone?: string;
  /** Data of the run, for the tools that have a schema for it. @default none */
  readonly context?: Json;
  /** @default jsonSchemaValidator */
  readonly validator?: SchemaValidator;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
}

export interface ExecuteOptions<TTool extends Tool = Tool> extends CallOptions<TTool> {
  /**
   * `auto`: every step once its arguments are available, concurrently; `once` steps one after the other, in plan order. `sequential`: one step
   * after the other, in plan order. @default 'auto'
   */
  readonly execution?: 'auto' | 'sequential';
  /**
   * Earlier steps, in order: references read their outputs. A call with the signature of a successful one is not repeated, unless a call
   * with an effect ran since. @default []
   */
  readonly history?: readonly PastStep[];
  /**
   * Number of leading history steps that belong to earlier plans; their `once` calls are never repeated. Default: all of them, and for a
   * `sequential` plan those up to the last failure.
   */
  readonly ofEarlierPlans?: number;
  /**
   * `end`: runs until nothing can start. `wave`: starts nothing after the first failure, and of a `sequential` plan runs only the first
   * step. @default 'end'
   */
  readonly until?: 'wave' | 'end';
}

/** Outcome of one call, as JSON. Check `status` first: a success has `output`, a failure has `error`. */
export type CallRecord<TOutput = Json> = SucceededCall<TOutput> | FailedCall;

export interface SucceededCall<TOutput = Json> extends CallFacts {
  readonly status: 'success';
  readonly output: TOutput;
  /** True when another call of the same execution may have had an effect after this one. A later execution does not reuse its output. */
  readonly stale?: boolean;
}

export interface FailedCall extends CallFacts {
  readonly status: 'failure';
  readonly error: ErrorInfo;
}

interface CallFacts {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** 0 when the tool was not called. */
  readonly attempts: number;
  /** Tool and arguments in canonical form; `''` if the arguments could not be resolved. */
  readonly signature: string;
  /** Taint of the called workflow. Absent: that of the tool's capabilities. */
  readonly taint?: Taint;
  /** True when the output of an equal call was reused. */
  readonly deduplicated: boolean;
}

/** A call that needs a human's approval and has not run. JSON. */
export interface HeldCall {
  readonly status: 'held';
  readonly tool: string;
  /** Exact arguments for the tool. */
  readonly args: JsonObject;
  /** Tool and arguments in canonical form. */
  readonly signature: string;
  /** Hash of the tool as shown: its description, arguments, effect and approval rule. Absent outside a run. */
  readonly definition?: string;
  /** At least one. */
  readonly reasons: readonly ApprovalReason[];
  /** Names of the guards behind the reason `guard`. Absent: none. */
  readonly heldBy?: readonly string[];
  /** The run of the request; an approval does not count in its forks. Absent for unjournaled calls. */
  readonly runId?: string;
}

/** An approved call, with the tool definition that it is valid for. */
export type ApprovedCall = Pick<HeldCall, 'signature' | 'definition'>;

/** A step that needs approval. */
export interface HeldStep extends HeldCall {
  readonly step: PlanStep;
}

/** One executed step of a plan: a line of the audit trail. */
export type PastStep<TName extends string = string, TOutput = Json> = CallRecord<TOutput> & {
  readonly step: PlanStep & { readonly tool: TName };
};

/** An executed step of any of these tools, with its typed output. */
export type StepResult<TTool extends Tool> = TTool extends Tool ? PastStep<TTool['name'], ToolOutput<TTool>> : never;

export interface PlanResult<TResult = PastStep> {
  /** In plan order, whatever order they finished in. */
  readonly results: readonly TResult[];
  /** Steps not done: held, after a held step, dependent on a held or failed one, or beyond the wave of `until: 'wave'`. */
  readonly remaining: readonly PlanStep[];
  /** Steps that need approval, in plan order; none of them has run. Pass approved ones with `approved`. */
  readonly held: readonly HeldStep[];
  /** Taint of the thread after these steps. */
  readonly taint: Taint;
}
