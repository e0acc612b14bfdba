import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallRate, RateLimits } from '../ports/rate-limits.ts';
import type { Tool } from '../ports/tool.ts';
import { awaitPlace } from '../util/await-place.ts';
import { checkCallRate } from '../util/check-call-rate.ts';
import { checkTimeout } from '../util/check-integer.ts';
import { systemClock } from '../util/system-clock.ts';

export interface RateLimitOptions extends CallRate {
  /** Who gives out the places: `rateLimits` of `agent-machines/stores`. */
  readonly limits: RateLimits;
  /** What is counted together: all that share `limits` and this name. @default the tool's, or the model's */
  readonly name?: string;
  /** The longest that a call waits for its place, in milliseconds. @default 60_000 */
  readonly maxWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule'>;
}

/**
 * A tool whose calls wait until they may be begun: in any `perMs`, `calls` of them at most, of all that share `limits`. A call waits before
 * it is begun, so one that is paused or cancelled meanwhile was not made, and its time-out does not run. What the journal has takes no place.
 * A call whose place is further than `maxWaitMs` fails with `TOOL_UNAVAILABLE`, which says `retryAfterMs`.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, also for a tool that is a workflow: limit the tools and models that it uses.
 * @example rateLimited(search, { limits: rateLimits(store), calls: 10, perMs: 60_000 });
 */
export function rateLimited<TTool extends Tool>(tool: TTool, options: RateLimitOptions): TTool {
  const { limits, name = `tool ${tool.name}`, maxWaitMs = 60_000, clock = systemClock } = options;
  const place = {
    ...checkCallRate(options),
    limits,
    name,
    maxWaitMs: checkTimeout('maxWaitMs', maxWaitMs),
    clock,
    code: 'TOOL_UNAVAILABLE',
  } as const;
  if (tool.workflow) throw isWorkflow(tool.name);
  return {
    ...tool,
    async admit(signal) {
      await tool.admit?.(signal);
      await awaitPlace(place, signal);
    },
    async execute(args, context) {
      if (context.attempt > 1) await awaitPlace(place, context.signal); // the first one was admitted
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
