import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { toErrorReply } from '../../http/error-response.ts';

/** An error that A2A numbers. */
export class A2aError extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

export const taskNotFound = (id: string): A2aError =>
  new A2aError(-32001, 'TASK_NOT_FOUND', `There is no task "${id.slice(0, 64)}" of this agent.`);
export const taskNotCancelable = (state: string): A2aError => new A2aError(-32002, 'TASK_NOT_CANCELABLE', `The task has ended: ${state}.`);
export const pushNotSupported = (): A2aError =>
  new A2aError(-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are not supported here. Follow the task with its stream.');
export const unsupportedOperation = (what: string): A2aError =>
  new A2aError(-32004, 'UNSUPPORTED_OPERATION', `Not supported here: ${what}`);
export const contentNotSupported = (what: string): A2aError =>
  new A2aError(-32005, 'CONTENT_TYPE_NOT_SUPPORTED', `Not supported here: ${what}. Send text, or data as an answer.`);

export const parseError = (message: string): A2aError => new A2aError(-32700, 'PARSE_ERROR', message);
export const versionNotSupported = (version: string): A2aError =>
  new A2aError(-32009, 'VERSION_NOT_SUPPORTED', `A2A ${version.slice(0, 16)} is not supported here. Send A2A-Version: 1.0.`);

export type JsonRpcId = string | number | null;

/** JSON-RPC response for a thrown value. Errors of the package keep their code as `reason`. */
export function rpcErrorResponse(id: JsonRpcId, thrown: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id, error: toRpcError(thrown) });
}

function toRpcError(thrown: unknown): JsonObject {
  if (thrown instanceof A2aError) return rpcError(thrown.code, thrown.reason, thrown.message);
  const { status, body } = toErrorReply(thrown);
  const { code, message, hint } = body;
  return rpcError(status >= 500 ? -32603 : status === 400 ? -32602 : -32004, code, hint ? `${message} ${hint}` : message);
}

function rpcError(code: number, reason: string, message: string): JsonObject {
  const info: Json = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
  return { code, message, data: [info] };
}
