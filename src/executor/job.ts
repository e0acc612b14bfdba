import type { WorkflowError } from '../errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { Effect } from '../ports/node-io.ts';
import type { Tool } from '../ports/tool.ts';

/** One call that is to be made as soon as what it needs is there. */
export interface Job {
  /** What other jobs need it by. */
  readonly id: number;
  /** Of its journaled step. */
  readonly key: string;
  readonly effect: Effect;
  /** Ids of the jobs, of this execution or an earlier one, whose outputs it takes. */
  readonly needs: readonly number[];
  /** The call, once everything in `needs` has succeeded; or why it cannot be made. */
  prepare(): PreparedCall | WorkflowError;
}

export interface PreparedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly signature: string;
}
