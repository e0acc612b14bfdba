import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { retryHeaders } from '../../core/util/http-status.ts';
import { toPublicError } from '../http/error-response.ts';

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

export const toOpenaiError = ({ code, message, hint }: ErrorInfo, type = 'server_error', param: string | null = null): OpenaiError => ({
  error: { message: hint ? `${message} ${hint}` : message, type, param, code: code === 'WORKFLOW_UNKNOWN' ? 'model_not_found' : code },
});

export function openaiErrorResponse(thrown: unknown): Response {
  if (thrown instanceof Unsupported) {
    const { message, param } = thrown;
    return Response.json({ error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }, { status: 400 });
  }
  const { status, error } = toPublicError(thrown);
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return Response.json(toOpenaiError(error, type), { status, headers: retryHeaders(status) });
}
