import { WorkflowError } from '../core/errors/errors.ts';
import type { JsonObject } from '../core/ports/json.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { addUsage } from '../core/util/add-usage.ts';
import { isObject } from '../core/util/is-object.ts';
import { noUsage } from '../core/util/no-usage.ts';
import { reportedUsage } from './reported-usage.ts';

/** Adds the usage of an unusable reply to its error, as `data.usage`. Any other error is returned unchanged. */
export function withUsage(error: unknown, usage: Partial<TokenUsage>): unknown {
  if (!WorkflowError.isInstance(error) || !(usage.inputTokens || usage.outputTokens)) return error;
  const { code, message, hint, retryable, retryAfterMs, data, cause } = error;
  return new WorkflowError({
    code,
    message,
    hint,
    retryable,
    retryAfterMs,
    cause,
    data: { ...data, usage: toData(addUsage(noUsage, usage)) },
  });
}

/** Returns the usage of the replies behind an error: `data.usage`. */
export function usageOfError(error: unknown): TokenUsage {
  const usage = WorkflowError.isInstance(error) ? error.data?.usage : undefined;
  return { ...noUsage, ...(isObject(usage) ? reportedUsage(usage) : {}) };
}

const toData = (usage: TokenUsage): JsonObject => ({ ...usage });
