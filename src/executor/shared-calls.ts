import { WorkflowError } from '../errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { Tool } from '../ports/tool.ts';
import { type CallEnvironment, callTool, reuse } from './call-tool.ts';
import type { CallRecord } from './execute-plan.types.ts';
import { toolSignature } from './tool-signature.ts';

/** Calls of one execution and of the run before it: an equal call that has succeeded, or is under way, is not made again. */
export class SharedCalls {
  readonly #environment: CallEnvironment;
  readonly #known = new Map<string, Promise<CallRecord>>();

  constructor(history: readonly CallRecord[], environment: CallEnvironment) {
    this.#environment = environment;
    for (const record of history) if (record.status === 'success') this.#known.set(record.signature, Promise.resolve(record));
  }

  async call(key: string, tool: Tool, args: JsonObject, tainted: boolean): Promise<CallRecord> {
    const signature = toolSignature({ name: tool.name, args });
    for (let known = this.#known.get(signature); known; known = this.#known.get(signature)) {
      const earlier = await known;
      if (earlier.status === 'success') return reuse(key, tool.name, args, earlier, this.#environment);
      if (this.#known.get(signature) === known) break; // it has failed, and nobody else tries again meanwhile
    }
    const made = callTool(key, tool, args, tainted, this.#environment);
    this.#known.set(signature, made);
    return made;
  }
}

/** True when a call was not made because of what it is: a failed call, not a failed execution. */
export const isNotCallable = (error: unknown): error is WorkflowError =>
  WorkflowError.isInstance(error) && (error.code === 'TOOL_INPUT_INVALID' || error.code === 'TOOL_UNKNOWN');
