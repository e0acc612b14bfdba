import { WorkflowError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { idAmong } from '../util/id-among.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';

/** A workflow that clients may talk to. */
export interface ProtocolWorkflow {
  /** As it is called in addresses and as a model's name. */
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly workflow: AnyWorkflow;
  /** What the workflow is given for a user's message. @default { input: text } */
  readonly toInput?: (text: string) => Json;
}

/** What a protocol needs of who serves it: all of it belongs to one tenant. What the server hands to its mounts fits. */
export interface ProtocolSpace {
  readonly runtime: Runtime;
  readonly workflows: readonly ProtocolWorkflow[];
  /** Starts a run; it is in the store when the promise settles. Default: the runtime does. */
  start?(options: {
    readonly workflow: string;
    readonly input: Json;
    readonly threadId?: string;
    readonly idempotencyKey?: string;
  }): Promise<{ readonly runId: string }>;
  /** The events of a run until it is at rest, whoever drives it. Default: what the runtime knows of it. */
  events?(runId: string, options: { readonly from?: number; readonly follow?: boolean }): AsyncIterable<RunEvent>;
}

/** What every protocol can be told. */
export interface ProtocolOptions {
  /**
   * How long a run goes on after its client has gone, in milliseconds, for the client to come back to it; then it is cancelled. `Infinity`:
   * to its end. @default 2_000
   */
  readonly goneMs?: number;
  /** How often a silent stream is kept open with a comment, in milliseconds. @default 15_000 */
  readonly heartbeatMs?: number;
}

/**
 * A workflow by its name in an address: `plan-execute` and `plan_execute` are one.
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
