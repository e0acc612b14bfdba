import { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RemovedPlace } from '../../core/ports/run-store.ts';
import { idAmong } from '../../core/util/id-among.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { Limits } from '../../engine/journal/limits.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import type { MessageDetails } from './message-details.ts';

/** A workflow that clients can talk to. */
export interface ProtocolWorkflow {
  /** Name in URLs, and as a model. */
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly workflow: AnyWorkflow;
  /** JSON Schema of the input, for protocols that describe it. Default: none. */
  readonly inputSchema?: JsonObject;
  /**
   * Converts a user's message to the workflow's input. `details` has the parts of the request that `uses` lists.
   * @default { input: text }, with `files` if the message has some
   */
  readonly toInput?: (text: string, details: MessageDetails) => Json;
  /** Parts of a request that `toInput` reads. A request with others is refused; instructions are ignored. @default [] */
  readonly uses?: readonly (keyof MessageDetails)[];
}

/** Resources of one tenant that a protocol needs. The space that the server passes to its mounts is compatible. */
export interface ProtocolSpace {
  readonly runtime: Runtime;
  readonly workflows: readonly ProtocolWorkflow[];
  /** Starts a run; it is in the store when the promise settles. Default: the runtime starts it. */
  start?(options: {
    readonly workflow: string;
    readonly input: Json;
    readonly threadId?: string;
    readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace';
    readonly limits?: Partial<Limits>;
    readonly after?: string | null;
    readonly idempotencyKey?: string;
  }): Promise<{ readonly runId: string }>;
  /** Removes a conversation for good. Default: clients cannot delete. */
  remove?(place: RemovedPlace): Promise<unknown>;
  /** The same space for the requests of one actor. Default: the actor is not recorded. */
  as?(actor: Actor): ProtocolSpace;
  /** Events of a run until it rests, whichever process drives it. Default: the runtime's events. */
  events?(runId: string, options: { readonly from?: number; readonly follow?: boolean }): AsyncIterable<RunEvent>;
}

/** Space whose actions are recorded as those of a protocol. */
export const actingSpace = (space: ProtocolSpace & { readonly tenant?: string }, via: string): ProtocolSpace =>
  space.as?.({ via, ...(space.tenant === undefined ? {} : { tenant: space.tenant }) }) ?? space;

/** Options of every protocol. */
export interface ProtocolOptions {
  /**
   * Time that a run continues after its client has disconnected, in milliseconds. The client can reconnect; otherwise the run is then
   * cancelled. `Infinity`: the run is never cancelled. @default 2_000
   */
  readonly goneMs?: number;
  /** Interval of comments on an idle stream, which keep it open, in milliseconds. @default 15_000 */
  readonly heartbeatMs?: number;
}

/**
 * Finds a workflow by its name in a URL: `plan-execute` and `plan_execute` are the same.
 *
 * @throws {WorkflowError} `WORKFLOW_UNKNOWN`.
 */
export function findWorkflow({ workflows }: ProtocolSpace, id: string): ProtocolWorkflow {
  const found = workflows.find((one) => one.id === id) ?? workflows.find((one) => idAmong(id, [one.id, one.workflow.id]) !== undefined);
  if (found) return found;
  throw new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `There is no workflow "${id.slice(0, 64)}" here.`,
    hint: `There is: ${workflows.map((one) => one.id).join(', ')}.`,
  });
}
