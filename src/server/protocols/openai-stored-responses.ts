import type { Hono } from 'hono';
import { WorkflowError } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import type { RunInfo } from '../../engine/run/runtime.ts';
import { runUnknown } from '../../engine/store/store-errors.ts';
import { requestInvalid } from '../http/refusal.ts';
import { eventStream } from './event-stream.ts';
import { followRun } from './follow-run.ts';
import { parseResponseId, type ResponseId, toResponseId } from './openai-response-id.ts';
import {
  type OpenaiResponsesEncoderOptions,
  openaiResponsesEncoder,
  type ResponseEvent,
  type ResponseObject,
} from './openai-responses-encoder.ts';
import { encodeTurn, type OpenaiContext } from './openai-turn.ts';
import type { ProtocolSpace } from './protocol-space.ts';
import { unsupported } from './read-body.ts';
import { type RunTurn, turnsOf } from './run-turns.ts';
import type { Turn } from './typed-answer.ts';

interface StoredResponse {
  readonly id: ResponseId;
  readonly run: RunInfo;
  readonly threadId: string;
  readonly turn: RunTurn;
}

/**
 * Adds the routes for responses that exist: read, stream again, cancel, delete.
 *
 * Clients delete conversations, not single responses: the state of a thread contains all its runs.
 */
export function addStoredResponses(app: Hono, { space, heartbeatMs }: OpenaiContext): void {
  app.get('/v1/responses/:id', async ({ req }) => {
    const found = await findResponse(space, parseResponseId(req.param('id')));
    if (req.query('stream') !== 'true') return Response.json(await stateOf(space, found));
    const [turn, options] = turnOf(space, found);
    const after = Number(req.query('starting_after') ?? -1);
    if (!Number.isSafeInteger(after)) throw requestInvalid('starting_after is not the number of an event.');
    return eventStream(responseFrames(turn, options, after), { heartbeatMs, onEnd: () => {}, onGone: () => {} });
  });
  app.post('/v1/responses/:id/cancel', async ({ req }) => {
    const id = parseResponseId(req.param('id'));
    const { turn } = await findResponse(space, id);
    if (!turn.end) await cancel(space, id.runId);
    return Response.json(await stateOf(space, await findResponse(space, id)));
  });
  app.delete('/v1/responses/:id', async ({ req }) => {
    const { id, threadId } = await findResponse(space, parseResponseId(req.param('id')));
    const others = await space.runtime.list({ threadId, limit: 2 });
    if (others.length > 1) throw inConversation(threadId);
    await remove(space, threadId);
    return Response.json({ id: toResponseId(id), object: 'response', deleted: true });
  });
  app.delete('/v1/conversations/:id', async ({ req }) => {
    const id = req.param('id');
    assertId(id, 'conversation');
    await remove(space, id);
    return Response.json({ id, object: 'conversation.deleted', deleted: true });
  });
}

/** @throws {WorkflowError} `RUN_UNKNOWN`. */
export async function findResponse(space: ProtocolSpace, id: ResponseId): Promise<StoredResponse> {
  const { runId, after, repeatedInterrupt } = id;
  const run = await space.runtime.get(runId);
  const entries = await space.runtime.history(runId);
  const turns = turnsOf(entries);
  const isAsked = (interruptId: string): boolean =>
    entries.some(({ events }) => events.some((event) => event.type === 'interrupt' && event.interrupt.id === interruptId));
  const turn =
    repeatedInterrupt === undefined
      ? turns.find((one) => one.after === after)
      : (turns.find(({ end }) => end?.question.id === repeatedInterrupt) ?? (isAsked(repeatedInterrupt) ? turns.at(-1) : undefined));
  if (!turn || run.threadId === undefined || !modelOf(space, run)) throw runUnknown(toResponseId(id));
  return { id, run, threadId: run.threadId, turn };
}

const modelOf = ({ workflows }: ProtocolSpace, run: RunInfo): string | undefined =>
  workflows.find(({ workflow }) => workflow.id === run.workflow)?.id;

function turnOf(space: ProtocolSpace, { id, run, turn }: StoredResponse): readonly [Turn, OpenaiResponsesEncoderOptions] {
  const { after, repeatedInterrupt } = id;
  const model = modelOf(space, run);
  const repeated = repeatedInterrupt === undefined ? {} : { repeatedInterrupt };
  const { end } = turn;
  return [
    { recording: followRun(space, run.id), after, ...(end ? { end } : {}), ...repeated },
    { after, ...(model === undefined ? {} : { model }), ...repeated },
  ];
}

async function stateOf(space: ProtocolSpace, found: StoredResponse): Promise<ResponseObject | undefined> {
  const response = await snapshotOf(space, ...turnOf(space, found));
  if (!response || found.run.status !== 'cancelled' || found.turn.end) return response;
  return { ...response, status: 'cancelled', error: null };
}

/** A response as it is now, without waiting for its end. */
export async function snapshotOf(
  { runtime }: ProtocolSpace,
  turn: Turn,
  options: OpenaiResponsesEncoderOptions,
): Promise<ResponseObject | undefined> {
  const { runId } = turn.recording;
  const { status } = await runtime.get(runId);
  if (turn.end || (status !== 'running' && status !== 'queued')) return lastResponse(turn, options);
  const encoder = openaiResponsesEncoder(options);
  const events = (await runtime.history(runId)).flatMap((entry) => entry.events);
  return events.flatMap((event) => encoder.push(event)).findLast(({ response }) => response)?.response;
}

/** A response after its end. */
export async function lastResponse(turn: Turn, options: OpenaiResponsesEncoderOptions): Promise<ResponseObject | undefined> {
  let last: ResponseEvent | undefined;
  for await (const event of encodeTurn(turn, openaiResponsesEncoder(options))) last = event;
  return last?.response;
}

/** Frames of a streamed response, without those up to the number `startingAfter`. */
export async function* responseFrames(
  turn: Turn,
  options: OpenaiResponsesEncoderOptions,
  startingAfter = -1,
): AsyncGenerator<string, void, undefined> {
  for await (const event of encodeTurn(turn, openaiResponsesEncoder(options)))
    if (event.sequence_number > startingAfter) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A run that has ended stays as it is: to cancel twice is no error. */
async function cancel({ runtime }: ProtocolSpace, runId: string): Promise<void> {
  try {
    await runtime.cancel(runId);
  } catch (cause) {
    if (!hasCode(cause, 'RUN_ENDED')) throw cause;
  }
}

async function remove(space: ProtocolSpace, threadId: string): Promise<void> {
  if (!space.remove) throw unsupported('deleting', 'Give openaiRoutes a space with remove.');
  await space.remove({ threadId });
}

const inConversation = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_IN_THREAD',
    message: 'The response belongs to a conversation with other responses, whose state contains it.',
    hint: `Delete the conversation: DELETE /v1/conversations/${threadId}.`,
    data: { threadId },
  });
