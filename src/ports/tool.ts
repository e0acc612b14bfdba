import type { ErrorInfo } from './error-info.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { Effect, NodeIo } from './node-io.ts';
import type { Taint } from './taint.ts';

/** What a planner, a model and the plan gate need to know of a tool. */
export interface ToolSpec {
  /** Unique among the tools offered: `[a-zA-Z0-9_.-]{1,128}`. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /** JSON Schema of the arguments, an object. Arguments that it does not declare are always refused. */
  readonly inputSchema: JsonSchema;
  /** The argument that a plan step's plain string fills. Default: the only required string. */
  readonly primaryInput?: string;
  /**
   * `high`: a human is asked once untrusted text is in the thread, and a replan may not bring it in when the first plan did not have it.
   * @default 'low'
   */
  readonly risk?: 'low' | 'high';
}

/** A tool that the executor can run. */
export interface Tool extends ToolSpec {
  /** What repeating a call would do. @default 'once': the safe assumption. */
  readonly effect?: Effect;
  /** How long one attempt may run, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Attempts in total, the first included; only errors with `retryable: true` are retried, and never those of a `once` tool. @default 1 */
  readonly maxAttempts?: number;
  /** Longest output kept, in bytes of UTF-8; a longer text is cut and marked, other JSON is refused. @default 65_536 */
  readonly maxOutputBytes?: number;
  /** What it touches. Default: all three; of a tool that `defineTool` makes, `private`, and `external` if it has `targets`. */
  readonly capabilities?: ToolCapabilities;
  /**
   * Hosts or recipients that an external call reaches, such as `api.example.com` or `kim@example.com`. Pure. A call whose targets are all
   * in `allowTargets` needs no approval; an empty list and a function that throws allow nothing.
   */
  readonly targets?: (args: JsonObject) => readonly string[];
  /**
   * A human is asked before each call: always, or for the arguments for which the function does not say `false`. One that throws asks.
   * @default false
   */
  readonly needsApproval?: boolean | ((args: JsonObject, context: ApprovalContext) => boolean | Promise<boolean>);
  /**
   * What a model reads of an error that is no `WorkflowError`. `message`: its message without secrets, at most 1,000 characters. `hidden`:
   * that the call failed; the message stays in the run's log. @default 'message'
   */
  readonly errors?: 'message' | 'hidden';
  /** Why it cannot be used here, for example a key that is not set; absent = it can. */
  readonly unavailable?: string | undefined;
  /** Phantom: carries the types of a tool that `defineTool` has made, never set. */
  readonly types?: { readonly input: unknown; readonly output: unknown };
  /** Set by `asTool`: the tool is a workflow, which runs inside the run that calls it. `execute` is for where there is none. */
  readonly workflow?: ToolWorkflow;
  /**
   * Waits until a call may be begun, before anything is written of it; what it throws fails the call, which was not made. Set by `rateLimited`.
   * @default at once
   */
  admit?(signal: AbortSignal): Promise<void>;
  /**
   * Does the work. Throws to fail the call; what it returns must be JSON. A `once` tool that throws `CALL_IN_DOUBT` says that nobody knows
   * whether the work was done: then a human is asked.
   */
  execute(args: JsonObject, context: ToolContext): Promise<Json>;
}

/** The workflow that a tool is. */
export interface ToolWorkflow {
  readonly structureHash: string;
  /** Hash of all that the workflow can offer its runs. */
  readonly offer?: string;
  /** The workflows that are called in a visit of a node; `undefined` where its run's journal cannot be reached. */
  callsIn(io: Pick<NodeIo, 'step' | 'emit'>): WorkflowCalls | undefined;
  /** What such a call touches; `undefined` when that is not known. */
  capabilitiesOf(args: JsonObject): ToolCapabilities | undefined;
  /** Runs the workflow. What it was asked and has done is in the journal, so nothing of it is done twice. */
  run(calls: WorkflowCalls, key: string, args: JsonObject, taint: Taint): Promise<WorkflowCallEnd>;
  /** Runs the workflow in memory, where no run calls it. An abort cancels it. Absent in tools of earlier versions: `execute` is called. */
  runAlone?(args: JsonObject, taint: Taint, signal: AbortSignal): Promise<WorkflowCallEnd>;
}

/** What became of a call of a workflow. */
export type WorkflowCallEnd = { readonly taint: Taint } & ({ readonly output: Json } | { readonly error: ErrorInfo });

/** The workflows that are called in one visit of a node. */
export interface WorkflowCalls {
  /** Told whenever one was called, and whenever one has ended. */
  changed: () => void;
  /** True when `pull` is to be waited for, by who waits for so many calls of any kind. */
  mustPull(calls: number): boolean;
  /** Waits for the end of one, whose `run` then goes on. */
  pull(): Promise<void>;
  /** Says that one has ended before this life of the run. */
  pass(key: string): void;
  /** Leaves those that are still at work. */
  end(): void;
}

/** A tool whose arguments and output have types: they are those of its results. */
export interface TypedTool<TName extends string, TInput, TOutput> extends Tool {
  readonly name: TName;
  readonly types?: { readonly input: TInput; readonly output: TOutput };
}

/** The arguments of a tool, as its results have them: JSON when it says nothing of them. */
export type ToolInput<TTool extends Tool> = unknown extends TypesOf<TTool>['input'] ? JsonObject : TypesOf<TTool>['input'];

/** The output of a tool: JSON when it says nothing of it. */
export type ToolOutput<TTool extends Tool> = unknown extends TypesOf<TTool>['output'] ? Json : TypesOf<TTool>['output'];

type TypesOf<TTool extends Tool> = NonNullable<TTool['types']>;

/** What a tool touches: together, the three make a leak possible. */
export interface ToolCapabilities {
  /** Reads data that is not public. */
  readonly private: boolean;
  /** Returns text that a stranger may have written. */
  readonly untrusted: boolean;
  /** Sends something out, a search query included. */
  readonly external: boolean;
}

/** What a tool is given that decides by the arguments whether a human is asked. */
export interface ApprovalContext {
  /** What the thread holds. */
  readonly taint: Taint;
  /** Aborted when the run is paused or cancelled. */
  readonly signal: AbortSignal;
}

/** What a tool is given besides its arguments. */
export interface ToolContext {
  /** Aborted at the time-out, and when the run is paused or cancelled. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this call: hand it to the service that is called. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  /** What the thread held when the call began. Absent outside an executor. */
  readonly taint?: Taint;
}
