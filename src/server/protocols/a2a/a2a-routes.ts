import { Hono } from 'hono';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { hasEndedForGood } from '../../../core/ports/run-store.ts';
import { hasCode } from '../../../core/util/has-code.ts';
import { assertId, newId } from '../../../core/util/ids.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { errorResponse } from '../../http/error-response.ts';
import { inputText } from '../../http/thread-title.ts';
import { parseTyped } from '../approval-question.ts';
import { eventStream, toFrame } from '../event-stream.ts';
import { followRun } from '../follow-run.ts';
import { actingSpace, findWorkflow, type ProtocolOptions, type ProtocolSpace, type ProtocolWorkflow } from '../protocol-space.ts';
import { readJsonBody } from '../read-body.ts';
import { answerRun, startRun } from '../run-commands.ts';
import type { RunRecording } from '../run-recording.ts';
import { findInterrupt, findThreadRun, type ThreadRun } from '../thread-run.ts';
import { type A2aTask, a2aEncoder } from './a2a-encoder.ts';
import {
  A2aError,
  contentNotSupported,
  type JsonRpcId,
  parseError,
  pushNotSupported,
  rpcErrorResponse,
  taskNotCancelable,
  taskNotFound,
  unsupportedOperation,
  versionNotSupported,
} from './a2a-error.ts';

const part = z.looseObject({ text: z.string().optional(), data: z.json().optional() });
const message = z.looseObject({
  messageId: z.string(),
  contextId: z.string().optional(),
  taskId: z.string().optional(),
  role: z.union([z.string(), z.number()]).optional(),
  parts: z.array(part).min(1),
});
const historyLength = z.int().min(0).optional();
const sendParams = z.looseObject({
  message,
  configuration: z
    .looseObject({ returnImmediately: z.boolean().optional(), historyLength, taskPushNotificationConfig: z.unknown().optional() })
    .nullish(),
});
const taskParams = z.looseObject({ id: z.string(), historyLength });
const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
});

/**
 * Serves A2A 1.0 over JSON-RPC: `POST /api/a2a/:workflow`, and the agent's card at
 * `/api/a2a/:workflow/.well-known/agent-card.json`. A task is a run and a context is a thread. A task that waits for a human is
 * `input-required`, and the next message with its id answers it. Push notifications are refused.
 *
 * @example const client = await new ClientFactory().createFromUrl('http://127.0.0.1:4680/api/a2a/guide-agent/');
 */
export function a2aRoutes(given: ProtocolSpace, { heartbeatMs = 15_000 }: Omit<ProtocolOptions, 'goneMs'> = {}): Hono {
  const space = actingSpace(given, 'a2a');
  const app = new Hono();
  app.onError((error) => errorResponse(error));
  app.get('/api/a2a/:workflow/.well-known/agent-card.json', ({ req }) => {
    const url = new URL(req.url);
    return Response.json(toAgentCard(findWorkflow(space, req.param('workflow')), `${url.origin}/api/a2a/${req.param('workflow')}`));
  });
  app.post('/api/a2a/:workflow', async ({ req }) => {
    const served = findWorkflow(space, req.param('workflow'));
    const sent = await readJsonBody(req.raw).catch(() => undefined); // JSON has no undefined
    if (sent === undefined) return rpcErrorResponse(null, parseError('The body is not JSON.'));
    const read = rpcRequest.safeParse(sent);
    if (!read.success) return rpcErrorResponse(null, new A2aError(-32600, 'INVALID_REQUEST', 'The body is not a JSON-RPC 2.0 request.'));
    const { id = null, method, params } = read.data;
    try {
      assertVersion(req.header('a2a-version') ?? req.query('A2A-Version') ?? '');
      const answer = await call({ space, served, heartbeatMs, id }, method, params);
      return answer instanceof Response ? answer : Response.json({ jsonrpc: '2.0', id, result: answer });
    } catch (error) {
      return rpcErrorResponse(id, error);
    }
  });
  return app;
}

/**
 * Patch numbers do not count. The specification takes 0.3 for a missing version, but only 1.0 has the methods that are served here.
 *
 * @throws {A2aError}
 */
function assertVersion(version: string): void {
  if (version !== '' && !/^1\.0(?:\.\d{1,9})?$/.test(version)) throw versionNotSupported(version);
}

interface Called {
  readonly space: ProtocolSpace;
  readonly served: ProtocolWorkflow;
  readonly heartbeatMs: number;
  readonly id: JsonRpcId;
}

async function call(called: Called, method: string, params: unknown): Promise<object | Response> {
  const { space, served } = called;
  switch (method) {
    case 'SendMessage': {
      const asked = parseParams(sendParams, params);
      const recording = await take(called, asked);
      const { returnImmediately = false, historyLength: length } = asked.configuration ?? {};
      return { task: withHistory(await taskOf(space, recording, returnImmediately), length) };
    }
    case 'SendStreamingMessage':
      return streamOf(called, await take(called, parseParams(sendParams, params)));
    case 'GetTask': {
      const { historyLength: length } = parseParams(taskParams, params);
      return withHistory(await taskOf(space, followRun(space, await ownRun(called, params)), true), length);
    }
    case 'SubscribeToTask': {
      const runId = await ownRun(called, params);
      const { status } = await space.runtime.get(runId);
      if (hasEndedForGood(status)) throw unsupportedOperation(`following a task that has ended (${status}). Read it with GetTask.`);
      return streamOf(called, followRun(space, runId));
    }
    case 'CancelTask':
      return cancel(called, await ownRun(called, params));
    case 'CreateTaskPushNotificationConfig':
    case 'GetTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
    case 'DeleteTaskPushNotificationConfig':
      throw pushNotSupported();
    case 'ListTasks':
    case 'GetExtendedAgentCard':
      throw unsupportedOperation(`${method}. Workflow: ${served.id}.`);
    default:
      throw new A2aError(-32601, 'METHOD_NOT_FOUND', `There is no method "${method.slice(0, 64)}" in A2A 1.0.`);
  }
}

function parseParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  const paths = read.error.issues.slice(0, 5).map(({ path }) => path.map(String).join('.') || 'params');
  throw new A2aError(-32602, 'INVALID_PARAMS', `The params are not valid: ${paths.join(', ')}.`);
}

/** Id of a task of this agent: other workflows have their own. */
async function ownRun({ space, served }: Called, params: unknown): Promise<string> {
  const { id } = parseParams(taskParams, params);
  assertId(id, 'task');
  const run = await runOf(space, id);
  if (run?.workflow !== served.workflow.id) throw taskNotFound(id);
  return id;
}

async function runOf({ runtime }: ProtocolSpace, id: string): Promise<Awaited<ReturnType<ProtocolSpace['runtime']['get']>> | undefined> {
  try {
    return await runtime.get(id);
  } catch (cause) {
    if (hasCode(cause, 'RUN_UNKNOWN')) return undefined;
    throw cause;
  }
}

/** Starts a task, or answers the question of the task that the message names. */
async function take(called: Called, { message: sent, configuration }: z.infer<typeof sendParams>): Promise<RunRecording> {
  const { space, served } = called;
  if (configuration?.taskPushNotificationConfig) throw pushNotSupported();
  const { taskId = '', contextId = '' } = sent;
  if (taskId !== '') return answer(called, await ownRun(called, { id: taskId }), contextId, sent.parts);
  const threadId = contextId === '' ? newId('t') : contextId;
  assertId(threadId, 'context');
  return startRun(space, served, { text: textIn(sent.parts), threadId });
}

type Parts = readonly z.infer<typeof part>[];

function textIn(parts: Parts): string {
  return parts
    .map(({ text, ...other }) => {
      if (text !== undefined) return text;
      throw contentNotSupported(`a part with ${Object.keys(other).slice(0, 3).join(', ')}`);
    })
    .join('\n');
}

/** The answer is a typed decision (`APPROVE`), or an event as data, which may name its question as `interruptId`. */
async function answer({ space }: Called, runId: string, contextId: string, parts: Parts): Promise<RunRecording> {
  const { threadId, status } = await space.runtime.get(runId);
  if (contextId !== '' && contextId !== threadId) throw taskNotFound(runId);
  const run = threadId === undefined ? undefined : await findThreadRun(space.runtime, threadId);
  if (run?.runId !== runId) throw unsupportedOperation(`a message to a task that has ended (${status}). Leave out the taskId.`);
  const { interruptId, event } = answerIn(parts);
  const interrupt = findInterrupt(run, interruptId ?? onlyQuestion(run));
  return answerRun(space, runId, interrupt.id, parseTyped(interrupt, typeof event === 'string' ? event : JSON.stringify(event)));
}

function answerIn(parts: Parts): { readonly interruptId?: string; readonly event: Json } {
  const data = parts.find((one) => one.data !== undefined)?.data;
  if (data === undefined) return { event: textIn(parts) };
  if (!isObject(data)) throw contentNotSupported('data that is not an event');
  const { interruptId, ...event } = data as JsonObject;
  return { event, ...(typeof interruptId === 'string' ? { interruptId } : {}) };
}

/** @throws {A2aError} when no question is open, or several are. */
function onlyQuestion({ interrupts }: ThreadRun): string {
  const [open, ...others] = interrupts;
  if (open && others.length === 0) return open.id;
  throw unsupportedOperation(
    open ? 'an answer without interruptId while several questions are open.' : 'a message to a task that asks nothing.',
  );
}

/** A task at its rest, or as it is now. */
async function taskOf(space: ProtocolSpace, recording: RunRecording, now: boolean): Promise<A2aTask> {
  const { input, status } = await space.runtime.get(recording.runId);
  const encoder = a2aEncoder({ input: inputText(input) });
  const isActive = status === 'running' || status === 'queued';
  if (!now || !isActive) {
    for await (const event of recording.read()) encoder.push(event);
    return encoder.task;
  }
  for (const { events } of await space.runtime.history(recording.runId)) for (const event of events) encoder.push(event);
  return encoder.task;
}

/** The task with its newest messages; with all by default. */
const withHistory = (task: A2aTask, length = task.history.length): A2aTask => ({
  ...task,
  history: task.history.slice(Math.max(0, task.history.length - length)),
});

function streamOf({ space, heartbeatMs, id }: Called, recording: RunRecording): Response {
  return eventStream(framesOf(space, recording, id), { heartbeatMs, onEnd: () => {}, onGone: () => {} });
}

/** The task as it is, then its changes. */
async function* framesOf({ runtime }: ProtocolSpace, recording: RunRecording, id: JsonRpcId): AsyncGenerator<string, void, undefined> {
  const { input } = await runtime.get(recording.runId);
  const encoder = a2aEncoder({ input: inputText(input) });
  for await (const event of recording.read()) for (const result of encoder.push(event)) yield toFrame({ jsonrpc: '2.0', id, result });
}

async function cancel({ space }: Called, runId: string): Promise<A2aTask> {
  try {
    await space.runtime.cancel(runId);
  } catch (cause) {
    if (!hasCode(cause, 'RUN_ENDED')) throw cause;
    throw taskNotCancelable((await space.runtime.get(runId)).status);
  }
  return taskOf(space, followRun(space, runId), false);
}

function toAgentCard({ id, title, description, workflow }: ProtocolWorkflow, url: string): JsonObject {
  const name = title ?? id;
  const about = description || workflow.machine.root.description || name;
  return {
    name,
    description: about,
    version: workflow.version,
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id, name, description: about, tags: ['workflow'] }],
  };
}
