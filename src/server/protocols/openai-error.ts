import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { toErrorReply } from '../http/error-response.ts';

/** An error in OpenAI's format. */
export interface OpenaiError {
  readonly error: { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string };
}

export class Unsupported extends Error {
  readonly param: string;

  constructor(param: string, hint = 'Remove it. The server does not ignore it silently.') {
    super(`Not supported here: ${param}. ${hint}`);
    this.param = param;
  }
}

export const toOpenaiError = (
  { code, message, hint }: Pick<ErrorInfo, 'code' | 'message' | 'hint'>,
  type = 'server_error',
  param: string | null = null,
): OpenaiError => ({
  error: { message: hint ? `${message} ${hint}` : message, type, param, code: code === 'WORKFLOW_UNKNOWN' ? 'model_not_found' : code },
});

/** Header for OpenAI's clients, which otherwise repeat requests with status 409 or 5xx on their own: twice by default. */
export const noRetry: Readonly<Record<string, string>> = { 'x-should-retry': 'false' };

/** Converts any thrown value to an error response in OpenAI's format. */
export function openaiErrorResponse(thrown: unknown, requestId?: string): Response {
  if (thrown instanceof Unsupported) {
    const { message, param } = thrown;
    return Response.json({ error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }, { status: 400 });
  }
  const { status, body, headers } = toErrorReply(thrown, requestId);
  const isFinal = status === 409 && body.code !== 'THREAD_BUSY';
  return Response.json(toOpenaiError(body, typeOf(status)), { status, headers: isFinal ? { ...headers, ...noRetry } : headers });
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error';
  if (status === 401) return 'authentication_error';
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error';
}
