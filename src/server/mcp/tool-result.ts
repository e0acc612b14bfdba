import { toErrorInfo, toSafeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import { asJson } from '../../core/util/as-json.ts';
import { clientQuestions } from '../../core/util/is-held-answer.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { RunResult } from '../../engine/drive/run.ts';
import type { FollowedRun } from './mcp-space.ts';
import { answerTool } from './workflow-tools.ts';

/** A result of `tools/call`. */
export interface ToolResult extends Record<string, unknown> {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

export function toToolResult(run: Pick<FollowedRun, 'id' | 'threadId'>, result: RunResult<unknown>): ToolResult {
  const about = { runId: run.id, ...(run.threadId === undefined ? {} : { threadId: run.threadId }), status: result.status };
  switch (result.status) {
    case 'done': {
      const output = asJson((result.output ?? null) as Json);
      return shown(answerIn(output), { ...about, output });
    }
    case 'waiting':
      return waiting(about, result);
    case 'in_doubt': {
      const calls = result.calls.map(({ callId, describe }) => `  ${callId}: ${JSON.stringify(describe)}`).join('\n');
      return shown(
        `The run ${run.id} waits for a human, because the outcome of these calls is unknown. Resolve them where the run is stored:\n${calls}`,
        about,
      );
    }
    case 'failed': {
      const error = errorOf(result.error);
      if (result.resumable) return shown(errorText(result.error), { ...about, error }, true);
      const output = asJson((result.output ?? null) as Json);
      const text = [textIn(output), errorText(result.error)].filter((part) => part !== undefined).join('\n\n');
      return shown(text, { ...about, output, error }, true);
    }
    case 'cancelled':
      return shown(`The run ${run.id} was cancelled.`, about, true);
    case 'paused':
      return shown(`The run ${run.id} is paused until it is resumed.`, about);
  }
}

function waiting(about: { readonly runId: string }, result: Extract<RunResult<unknown>, { readonly status: 'waiting' }>): ToolResult {
  const { runId } = about;
  if (!result.interrupt)
    return shown(`The run ${runId} waits until ${new Date(result.wakeAt).toISOString()}, and then continues by itself.`, about);
  const open = clientQuestions(result.interrupts);
  if (open.length === 0) return shown(`The answer of the run ${runId} waits for a review, and not in this client.`, about);
  const questions = open.map(({ id, accepts, question }) => ({
    interruptId: id,
    accepts,
    ...(question === undefined ? {} : { question }),
  }));
  const asked = questions.map(({ interruptId, accepts, question }) =>
    [
      ...(question === undefined ? [] : [JSON.stringify(question, null, 2)]),
      `Ask the human, then call ${answerTool} with { "runId": "${runId}", "interruptId": "${interruptId}", "event": { "type": … } }; type is one of ${accepts.join(', ')}.`,
    ].join('\n'),
  );
  return shown([`The run ${runId} waits for a human.`, ...asked].join('\n\n'), { ...about, questions });
}

/** Result for a request that was rejected before a run existed, or without a change to it. */
export function refused(thrown: unknown): ToolResult {
  const error = toSafeError(toErrorInfo(thrown));
  return { content: [{ type: 'text', text: errorText(error) }], isError: true };
}

const shown = (text: string, data: Record<string, unknown>, isError = false): ToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: data,
  ...(isError ? { isError } : {}),
});

const errorText = (error: ErrorInfo): string => {
  const { code, message, hint } = toSafeError(error);
  return [`${code}: ${message}`, ...(hint ? [hint] : [])].join('\n');
};

const errorOf = (error: ErrorInfo): Record<string, unknown> => {
  const { code, message, hint } = toSafeError(error);
  return { code, message, ...(hint ? { hint } : {}) };
};

const answerIn = (output: Json): string => textIn(output) ?? JSON.stringify(output, null, 2);

function textIn(output: Json): string | undefined {
  if (typeof output === 'string') return output;
  const answer = isObject(output) ? output.answer : undefined;
  return typeof answer === 'string' && answer !== '' ? answer : undefined;
}
