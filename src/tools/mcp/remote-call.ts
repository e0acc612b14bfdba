import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import type { ToolContentPart } from '../../core/ports/tool-content.ts';
import { isObject } from '../../core/util/is-object.ts';
import { messageFileProblem } from '../../core/util/message-file-problem.ts';
import { toJson } from '../../core/util/to-json.ts';
import { type LiveConnection, reasonOf, unavailable } from './mcp-connection.ts';
import type { McpRequestOptions } from './mcp-sdk.ts';
import { lostCode, type McpServerAddress, tooLargeCode } from './mcp-transports.ts';
import { visibleText } from './visible-text.ts';

/** One call of a server's tool. */
export interface RemoteCall {
  readonly server: McpServerAddress;
  /** Local name of the tool, then its name on the server. */
  readonly tool: string;
  readonly remote: string;
  readonly args: JsonObject;
  /** True when a call with an unknown outcome is in doubt. Otherwise it has failed and may be retried. */
  readonly once: boolean;
  readonly options: McpRequestOptions;
}

/** The call was not made, because the server has ended its session. */
export class SessionExpiredError extends Error {}

/**
 * Makes a call at most once; a lost call is never resent here.
 *
 * @throws {WorkflowError} `TOOL_FAILED` with the server's message; `TOOL_TIMEOUT`; `TOOL_OUTPUT_TOO_LARGE`; `MCP_UNAVAILABLE` when the call
 * was not made, or may be retried; `CALL_IN_DOUBT` when the outcome is unknown.
 * @throws {SessionExpiredError}
 */
export async function callRemote(live: LiveConnection, call: RemoteCall): Promise<Json> {
  const { tool, remote, args, options } = call;
  let result: Readonly<Record<string, unknown>>;
  try {
    result = await live.request('tools/call', { name: remote, arguments: args }, options);
  } catch (thrown) {
    throw toCallError(thrown, live, call);
  }
  const { isError, output } = readCallResult(result);
  if (!isError) return output;
  throw failed(tool, typeof output === 'string' ? output : JSON.stringify(output));
}

function toCallError(thrown: unknown, live: LiveConnection, call: RemoteCall): unknown {
  const { tool, server, options } = call;
  if (options.signal?.aborted) return thrown;
  if (WorkflowError.isInstance(thrown)) return thrown.code === 'RESPONSE_TOO_LARGE' ? tooLarge(tool, thrown.message) : thrown;
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  if (code === tooLargeCode) return tooLarge(tool, reasonOf(thrown));
  if (code === lostCode || live.isLost) return unknownEnd(call, thrown);
  if (isHttpError(thrown)) {
    if (code === 404) return new SessionExpiredError();
    return isRefused(code) ? unavailable(server, reasonOf(thrown), { cause: thrown, retryable: code === 429 }) : unknownEnd(call, thrown);
  }
  if (code === requestTimeout) return timedOut(tool);
  if (Number.isInteger(code)) return failed(tool, withoutPrefix(reasonOf(thrown)));
  return isUnsent(thrown) ? unavailable(server, reasonOf(thrown), { cause: thrown }) : unknownEnd(call, thrown);
}

/** Error code of the SDK for a timeout. */
const requestTimeout = -32_001;

const isHttpError = (thrown: unknown): boolean => thrown instanceof Error && /^Streamable HTTP error/.test(thrown.message);

/** True for a status with which the server has not carried out the request. */
const isRefused = (status: unknown): boolean =>
  typeof status === 'number' && status >= 400 && status < 500 && status !== 408 && status !== 409;

/** True when nothing was sent, because there was no connection. */
function isUnsent(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown.message === 'Not connected') return true;
  const { code } = (thrown.cause ?? {}) as { readonly code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

function unknownEnd({ tool, server, once }: RemoteCall, cause: unknown): WorkflowError {
  if (!once) return unavailable(server, 'the connection was lost during the call', { cause });
  return new WorkflowError({
    code: 'CALL_IN_DOUBT',
    message: `The connection to the MCP server was lost during the call of "${tool}". Its work may or may not be done.`,
    hint: 'Find out what happened, then call runtime.resolve.',
    data: { tool },
    cause,
  });
}

const withoutPrefix = (message: string): string => message.replace(/^MCP error -?\d+: /, '');

const failed = (tool: string, why: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_FAILED',
    message: `The tool "${tool}" failed: ${shorten(visibleText(why), 2_000) || 'its server gives no reason.'}`,
    hint: 'Call it with other arguments, or continue without it.',
    data: { tool },
  });

const tooLarge = (tool: string, why: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_OUTPUT_TOO_LARGE',
    message: `The tool "${tool}" returned too much. ${withoutPrefix(why)}`,
    hint: 'Request less, or raise maxMessageBytes.',
    data: { tool },
  });

const timedOut = (tool: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_TIMEOUT',
    message: `The tool "${tool}" timed out without an answer or a progress report.`,
    hint: 'Raise timeoutMs of its server.',
    retryable: true,
    data: { tool },
  });

interface CallResult {
  readonly isError: boolean;
  readonly output: Json;
}

/**
 * Converts the result of `tools/call` to a tool's output: the structured content, else the texts. With files (images, sounds, embedded
 * resources) it is `ToolContent`. Other content becomes a placeholder, so that the model knows of it.
 */
function readCallResult(result: Readonly<Record<string, unknown>>): CallResult {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  const text = parts.map(({ shown }) => shown).join('\n');
  const hasFiles = isError !== true && parts.some(({ file }) => file);
  if (!isObject(structuredContent)) return { isError: isError === true, output: hasFiles ? { content: parts.map(toContentPart) } : text };
  const data = toJson(structuredContent, 'structuredContent');
  if (hasFiles)
    return { isError: false, output: { structuredContent: data, content: parts.filter(({ isText }) => !isText).map(toContentPart) } };
  // servers repeat structured content as text, for clients that cannot read it
  const isAll = parts.every(({ isText }) => isText);
  return { isError: isError === true, output: isAll ? data : { structuredContent: data, content: text } };
}

interface Part {
  readonly isText: boolean;
  /** Text, or a placeholder. */
  readonly shown: string;
  readonly file?: MessageFile;
}

const toContentPart = ({ shown, file }: Part): ToolContentPart => (file ? { type: 'file', ...file } : { type: 'text', text: shown });

function partOf(item: unknown): Part {
  const part = isObject(item) ? item : {};
  switch (part.type) {
    case 'text':
      return { isText: true, shown: textOf(part.text) };
    case 'image':
    case 'audio':
      return withFile(marked(`${part.type} ${nameOf(part.mimeType)}, ${sizeOf(part.data)}`), part.mimeType, part.data);
    case 'resource_link':
      return marked(`link ${nameOf(part.uri)}${part.name === undefined ? '' : `: ${nameOf(part.name)}`}`);
    case 'resource':
      return resourceOf(isObject(part.resource) ? part.resource : {});
    default:
      return marked(`content of the unknown type ${nameOf(part.type)}`);
  }
}

function resourceOf({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): Part {
  if (typeof text === 'string') return { isText: false, shown: `[resource ${nameOf(uri)}]\n${text}` };
  const name = textOf(uri).split(/[\\/]/).at(-1) ?? '';
  return withFile(marked(`resource ${nameOf(uri)}, ${nameOf(mimeType)}, ${sizeOf(blob)}`), mimeType, blob, nameOf(visibleText(name)));
}

/** Adds the file if it can be shown; otherwise the placeholder stays. */
function withFile(part: Part, mimeType: unknown, data: unknown, name?: string): Part {
  const [mediaType = ''] = textOf(mimeType).toLowerCase().split(';');
  const base64 = textOf(data).replace(/\s+/g, ''); // encoders may break lines, and leave out the padding
  const padded = base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
  const file = { mediaType: mediaType.trim(), data: padded, ...(name === undefined ? {} : { name }) };
  return messageFileProblem(file) === undefined ? { ...part, file } : part;
}

const marked = (what: string): Part => ({ isText: false, shown: `[${what}: not shown]` });
const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '');
const nameOf = (value: unknown): string => shorten(textOf(value).replace(/[\s[\]]+/g, ' '), 200) || 'without a name';
/** Size of base64 data. */
const sizeOf = (data: unknown): string => `${Math.floor((textOf(data).replace(/=+$/, '').length * 3) / 4)} bytes`;
