import { WorkflowError } from '../../core/errors/errors.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { type RateLimitOptions, rateLimitQueue } from '../../core/util/rate-limit-queue.ts';

/**
 * Limits the rate of a tool: at most `calls` calls start in any `perMs`, across all tools that share `limits`. Further calls wait before
 * they start. A call that is paused or cancelled while it waits was not made, and its time limit does not run. Calls replayed from the
 * journal do not count. A call that would wait longer than `maxWaitMs` fails with `TOOL_UNAVAILABLE` and its `retryAfterMs`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for a tool that is a workflow: limit the tools and models that it uses.
 * @example rateLimited(search, { limits: rateLimits(store), calls: 10, perMs: 60_000 });
 */
export function rateLimited<TTool extends Tool>(tool: TTool, options: RateLimitOptions): TTool {
  const awaitPlace = rateLimitQueue(options, `tool ${tool.name}`, 'TOOL_UNAVAILABLE');
  if (tool.workflow) throw isWorkflow(tool.name);
  return {
    ...tool,
    async admit(signal) {
      await tool.admit?.(signal);
      await awaitPlace(signal);
    },
    async execute(args, context) {
      if (context.attempt > 1) await awaitPlace(context.signal); // `admit` covers the first attempt
      return tool.execute(args, context);
    },
  };
}

const isWorkflow = (tool: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The tool "${tool}" is a workflow and cannot have a rate limit.`,
    hint: 'Limit the tools and the model that the workflow uses.',
    data: { tool },
  });
