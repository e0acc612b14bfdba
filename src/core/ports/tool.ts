import type { ErrorInfo } from './error-info.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { Effect, NodeIo } from './node-io.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Taint } from './taint.ts';

/** Description of a tool for a planner, a model and the plan gate. */
export interface ToolSpec {
  /** Unique among the tools offered: `[a-zA-Z0-9_.-]{1,128}`. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description?: string;
  /** JSON Schema of the arguments, an object. Undeclared arguments are always rejected. */
  readonly inputSchema: JsonSchema;
  /** The argument that a plan step's plain string fills. Default: the only required string. */
  readonly primaryInput?: string;
  /**
   * `high`: the call needs approval once the thread holds untrusted text, and a replan may use the tool only if the first plan did.
   * @default 'low'
   */
  readonly risk?: 'low' | 'high';
}

/** A tool that the executor can run. */
export interface Tool extends ToolSpec {
  /** Effect of repeating a call. @default 'once': the safe assumption. */
  readonly effect?: Effect;
  /** Time limit of one attempt, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** Number of attempts, including the first. Only errors with `retryable: true` are retried, and never for a `once` tool. @default 1 */
  readonly maxAttempts?: number;
  /**
   * Maximum size of the output in bytes of UTF-8, without its files. A longer text is cut and marked; other JSON fails the call.
   * @default 65_536
   */
  readonly maxOutputBytes?: number;
  /**
   * Maximum size of the files of one output (`ToolContent`) together, in bytes of their content; at most 8 files. A file beyond either limit
   * is left out and named in a text. @default 4_000_000
   */
  readonly maxFileBytes?: number;
  /**
   * Data and places that the tool touches. Default: all three; for a tool of `defineTool`, those of its `access`.
   */
  readonly capabilities?: ToolCapabilities;
  /**
   * Returns the hosts or recipients of an external call, such as `api.example.com` or `kim@example.com`. Pure. A call needs no approval if
   * all its targets are in `allowTargets`. An empty list allows nothing, and neither does a function that throws.
   */
  readonly targets?: (args: JsonObject) => readonly string[];
  /**
   * Requires approval for each call: always, or unless the function returns `false` for the arguments. A function that throws requires
   * approval.
   * @default false
   */
  readonly needsApproval?: boolean | ((args: JsonObject, context: ApprovalContext) => boolean | Promise<boolean>);
  /**
   * Error text for the model when a tool throws anything but a `WorkflowError`. `message`: the error's message without secrets, at most
   * 1,000 characters. `hidden`: only that the call failed; the message stays in the run's log.
   *
   * A function returns the text for every failed call, also for a `WorkflowError`, whose code stays. Pure. The text is cut to 500
   * characters, without secrets. If it throws or returns no text, `hidden` applies.
   * @default 'message'
   */
  readonly errors?: 'message' | 'hidden' | ((error: ErrorInfo) => string);
  /** Reason why the tool is unavailable, for example a missing key. Absent: it is available. */
  readonly unavailable?: string | undefined;
  /**
   * Schema of the data of the run that the tool needs, such as the user's id. It comes from the run's caller and is never shown to a model.
   * Default: none.
   */
  readonly context?: StandardSchema<unknown>;
  /** Phantom: carries the types of a tool of `defineTool`, never set. */
  readonly types?: { readonly input: unknown; readonly output: unknown; readonly context?: unknown };
  /** Set by `asTool`: the workflow behind the tool, which runs inside the calling run. Without a run, `execute` is called. */
  readonly workflow?: ToolWorkflow;
  /**
   * Waits until the call may start, before anything about it is written. If it throws, the call fails without having been made. Set by
   * `rateLimited`.
   * @default starts at once
   */
  admit?(signal: AbortSignal): Promise<void>;
  /**
   * Does the work and returns JSON. An error fails the call. A `once` tool throws `CALL_IN_DOUBT` if the outcome is unknown; a human
   * decides then.
   */
  execute(args: JsonObject, context: ToolContext): Promise<Json>;
}

/** The workflow behind a tool. */
export interface ToolWorkflow {
  readonly structureHash: string;
  /** Hash of everything that the workflow can offer its runs. */
  readonly offer?: string;
  /** Returns the workflow calls of a node's visit; `undefined` if the run's journal is out of reach. */
  callsIn(io: Pick<NodeIo, 'step' | 'emit'>): WorkflowCalls | undefined;
  /** Returns the capabilities of such a call; `undefined` if they are unknown. */
  capabilitiesOf(args: JsonObject, context: Json | undefined): ToolCapabilities | undefined;
  /** Runs the workflow. The journal holds its input and its finished steps, so nothing is done twice. */
  run(calls: WorkflowCalls, key: string, args: JsonObject, taint: Taint, context: Json | undefined): Promise<WorkflowCallEnd>;
  /** Runs the workflow in memory, without a calling run. An abort cancels it. Absent in tools of earlier versions: `execute` is called. */
  runAlone?(args: JsonObject, taint: Taint, signal: AbortSignal, context: Json | undefined): Promise<WorkflowCallEnd>;
}

/** Outcome of a workflow call. */
export type WorkflowCallEnd = { readonly taint: Taint } & ({ readonly output: Json } | { readonly error: ErrorInfo });

/** The workflow calls of one visit of a node. */
export interface WorkflowCalls {
  /** Called after each start and each end of a call. */
  changed: () => void;
  /** True when a caller with this many open calls of any kind has to await `pull`. */
  mustPull(calls: number): boolean;
  /** Waits until one call ends; its `run` continues then. */
  pull(): Promise<void>;
  /** Reports a call that ended before the run was resumed. */
  pass(key: string): void;
  /** Abandons the calls that are still running. */
  end(): void;
}

/** A tool with typed arguments and output; its results carry these types. */
export interface TypedTool<TName extends string, TInput, TOutput, TContext = unknown> extends Tool {
  readonly name: TName;
  readonly types?: { readonly input: TInput; readonly output: TOutput; readonly context?: TContext };
}

/** Type of a tool's arguments; JSON if the tool declares none. */
export type ToolInput<TTool extends Tool> = unknown extends TypesOf<TTool>['input'] ? JsonObject : TypesOf<TTool>['input'];

/** Type of a tool's output; JSON if the tool declares none. */
export type ToolOutput<TTool extends Tool> = unknown extends TypesOf<TTool>['output'] ? Json : TypesOf<TTool>['output'];

/** Type of the context that a run with these tools needs; `unknown` if none of them needs one. */
export type ToolsContext<TTools extends readonly Tool[]> = {
  [K in keyof TTools]: (context: NonNullable<TTools[K]['types']>['context']) => void;
}[number] extends (context: infer TContext) => void
  ? TContext
  : unknown;

type TypesOf<TTool extends Tool> = NonNullable<TTool['types']>;

/** Data and places that a tool touches. The three together make a leak possible. */
export interface ToolCapabilities {
  /** Reads data that is not public. */
  readonly private: boolean;
  /** Returns untrusted external text. */
  readonly untrusted: boolean;
  /** Sends something out; a search query counts. */
  readonly external: boolean;
}

/** Context of a `needsApproval` function. */
export interface ApprovalContext {
  /** Taint of the thread. */
  readonly taint: Taint;
  /** Aborts when the run is paused or cancelled. */
  readonly signal: AbortSignal;
}

/** Context of a tool call. */
export interface ToolContext {
  /** Aborts at the timeout, and when the run is paused or cancelled. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this call. Pass it to the service you call. */
  readonly idempotencyKey: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Taint of the thread when the call started. Absent outside an executor. */
  readonly taint?: Taint;
  /** IANA time zone of the run, as stored at its start. Absent outside the shipped agents. */
  readonly timeZone?: string;
  /** Data of the run, as its caller gave it. Absent: the caller gave none. */
  readonly context?: Json;
  /** Id of the run. Absent outside a run. */
  readonly runId?: string;
  /** Id of the run's thread. Absent outside a thread. */
  readonly threadId?: string;
  /** Id of the call in events. Absent outside an executor. */
  readonly callId?: string;
  /**
   * Shows progress, as the event `custom` with the name `tool-progress`: at most 8,192 bytes of JSON, ten times a second; what is sent
   * faster is dropped. Live only: it is not stored. Absent outside an executor. @throws {WorkflowError} `OUTPUT_TOO_LARGE`,
   * `VALUE_NOT_JSON`.
   */
  emit?(data: Json): void;
}
