import { WorkflowError } from '../errors.ts';
import type { Tool } from '../ports/tool.ts';
import { placeAwaiter, type RateLimitOptions } from '../util/place-awaiter.ts';

/**
 * A tool whose calls wait until they may be begun: in any `perMs`, `calls` of them at most, of all that share `limits`. A call waits before
 * it is begun, so one that is paused or cancelled meanwhile was not made, and its time-out does not run. What the journal has takes no place.
 * A call whose place is further than `maxWaitMs` fails with `TOOL_UNAVAILABLE`, which says `retryAfterMs`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for a tool that is a workflow: limit the tools and models that it uses.
 * @example rateLimited(search, { limits: rateLimits(store), calls: 10, perMs: 60_000 });
 */
export function rateLimited<TTool extends Tool>(tool: TTool, options: RateLimitOptions): TTool {
  const awaitPlace = placeAwaiter(options, `tool ${tool.name}`, 'TOOL_UNAVAILABLE');
  if (tool.workflow) throw isWorkflow(tool.name);
  return {
    ...tool,
    async admit(signal) {
      await tool.admit?.(signal);
      await awaitPlace(signal);
    },
    async execute(args, context) {
      if (context.attempt > 1) await awaitPlace(context.signal); // the first one was admitted
      return tool.execute(args, context);
    },
  };
}

const isWorkflow = (tool: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The tool "${tool}" is a workflow, whose calls have no rate.`,
    hint: 'Limit the tools and the model that the workflow uses.',
    data: { tool },
  });
