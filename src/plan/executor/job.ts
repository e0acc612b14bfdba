import type { WorkflowError } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { Effect } from '../../core/ports/node-io.ts';
import type { Tool } from '../../core/ports/tool.ts';

/** A call that starts once its arguments are available. */
export interface Job {
  /** Id for the `needs` of other jobs. */
  readonly id: number;
  /** Key of its journaled step. */
  readonly key: string;
  readonly effect: Effect;
  /** Ids of the jobs, of this or an earlier execution, that provide its arguments. */
  readonly needs: readonly number[];
  /** Returns the call once every job in `needs` has succeeded, or the error that prevents it. */
  prepare(): PreparedCall | WorkflowError;
}

export interface PreparedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly signature: string;
}
