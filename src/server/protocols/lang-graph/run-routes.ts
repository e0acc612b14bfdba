import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { JsonObject } from '../../../core/ports/json.ts';
import { assertId, newId } from '../../../core/util/ids.ts';
import type { RunInfo } from '../../../engine/run/runtime.ts';
import { runUnknown } from '../../../engine/store/store-errors.ts';
import { eventStream } from '../event-stream.ts';
import { followRun } from '../follow-run.ts';
import { findWorkflow, type ProtocolOptions, type ProtocolSpace } from '../protocol-space.ts';
import { unsupported } from '../read-body.ts';
import { ReaderCount } from '../reader-count.ts';
import type { RunRecording } from '../run-recording.ts';
import type { Turn } from '../typed-answer.ts';
import { assistantIdOf } from './assistant.ts';
import { emptyThreadsOf } from './empty-threads.ts';
import { type LangGraphEncoder, type LangGraphStreamMode, langGraphEncoder, toLangGraphError } from './lang-graph-encoder.ts';
import { runStatusOf, toLangGraphRun } from './lang-graph-thread.ts';
import { cancelRun, takeTurn } from './lang-graph-turn.ts';
import { picked } from './picked.ts';
import { modesInQuery, parseModes, type RunRequest, readRunRequest } from './run-request.ts';
import { framesOf, parsePlace } from './stream-place.ts';
import { threadOf } from './thread-routes.ts';
import { inputMessage, readTurns } from './thread-turns.ts';

const runsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(10),
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
  status: z.enum(['pending', 'running', 'error', 'success', 'timeout', 'interrupted']).optional(),
  select: z.string().optional(),
});

/** Runs of a thread, and runs without one, which get a new thread. */
export function addRunRoutes(app: Hono, space: ProtocolSpace, { goneMs, heartbeatMs }: Required<ProtocolOptions>): void {
  const readers = new ReaderCount(space.runtime, goneMs);
  const countIf = (cancels: boolean, { runId }: RunRecording): ReturnType<ReaderCount['add']> =>
    cancels ? readers.add(runId) : { onEnd: () => {}, onGone: () => {} };

  const stream = async (context: Context): Promise<Response> => {
    const { threadId, request, modes, turn } = await createRun(space, context);
    const createEncoder = (): Promise<LangGraphEncoder> => encoderOf(space, threadId, turn.recording, modes);
    return eventStream(framesOf(turn.recording, createEncoder, { after: turn.after, last: undefined }), {
      heartbeatMs,
      ...countIf(request.on_disconnect === 'cancel' && turn.repeatedInterrupt === undefined, turn.recording),
      headers: locationOf(threadId, turn.recording.runId, modes),
    });
  };
  const wait = async (context: Context): Promise<Response> => {
    const { threadId, request, turn } = await createRun(space, context);
    const { onEnd, onGone } = countIf(request.on_disconnect === 'cancel' && turn.repeatedInterrupt === undefined, turn.recording);
    context.req.raw.signal.addEventListener('abort', onGone, { once: true });
    const encoder = await encoderOf(space, threadId, turn.recording, []);
    const values = await lastValues(turn.recording, encoder);
    onEnd();
    return Response.json(values, { headers: locationOf(threadId, turn.recording.runId, undefined) });
  };
  const create = async (context: Context): Promise<Response> => {
    const { threadId, turn } = await createRun(space, context);
    const run = await space.runtime.get(turn.recording.runId);
    return Response.json(toLangGraphRun(run, { threadId, assistantId: assistantIdOf(space, run.workflow) }), {
      headers: locationOf(threadId, run.id, undefined),
    });
  };
  const join = async (context: Context): Promise<Response> => {
    const { req } = context;
    const { threadId, run } = await runIn(space, req.param('run') ?? '', req.param('thread'));
    const modes = modesInQuery(req.queries('stream_mode'));
    const last = parsePlace(req.header('last-event-id'));
    const recording = followRun(space, run.id);
    const createEncoder = (): Promise<LangGraphEncoder> => encoderOf(space, threadId, recording, modes);
    return eventStream(framesOf(recording, createEncoder, { after: 0, last }), {
      heartbeatMs,
      ...countIf(isTrue(req.query('cancel_on_disconnect')), recording),
      headers: locationOf(threadId, run.id, modes),
    });
  };

  for (const place of ['', '/threads/:thread']) {
    app.post(`${place}/runs`, create);
    app.post(`${place}/runs/stream`, stream);
    app.post(`${place}/runs/wait`, wait);
    app.get(`${place}/runs/:run/stream`, join);
  }
  app.get('/threads/:thread/runs', async ({ req }) => Response.json(await listRuns(space, req.param('thread'), req.query())));
  app.get('/threads/:thread/runs/:run', async ({ req }) => {
    const { threadId, run } = await runIn(space, req.param('run'), req.param('thread'));
    return Response.json(toLangGraphRun(run, { threadId, assistantId: assistantIdOf(space, run.workflow) }));
  });
  app.get('/threads/:thread/runs/:run/join', async ({ req }) => {
    const { threadId, run } = await runIn(space, req.param('run'), req.param('thread'));
    const recording = followRun(space, run.id);
    return Response.json(await lastValues(recording, await encoderOf(space, threadId, recording, [])));
  });
  app.post('/threads/:thread/runs/:run/cancel', async ({ req }) => {
    const action = req.query('action') ?? 'interrupt';
    if (action !== 'interrupt')
      throw unsupported(`action "${action.slice(0, 40)}"`, 'Use "interrupt". A cancelled run stays in the thread.');
    const { run } = await runIn(space, req.param('run'), req.param('thread'));
    await cancelRun(space, run.id);
    if (!isTrue(req.query('wait'))) return new Response(null, { status: 202 });
    await followRun(space, run.id).ended;
    return new Response(null, { status: 204 });
  });
}

const isTrue = (query: string | undefined): boolean => query === '1' || query === 'true';

interface CreatedRun {
  readonly threadId: string;
  readonly request: RunRequest;
  readonly modes: readonly LangGraphStreamMode[];
  readonly turn: Turn;
}

async function createRun(space: ProtocolSpace, { req }: Context): Promise<CreatedRun> {
  const threadId = req.param('thread') ?? newId('t');
  assertId(threadId, 'thread');
  const request = await readRunRequest(req.raw);
  const served = findWorkflow(space, request.assistant_id);
  const given = parseModes(request.stream_mode);
  const modes: readonly LangGraphStreamMode[] = given.length > 0 ? given : ['values'];
  if (request.if_not_exists === 'reject' && req.param('thread') !== undefined) await threadOf(space, threadId);
  const turn = await takeTurn(space, served, threadId, request);
  emptyThreadsOf(space.runtime).delete(threadId);
  return { threadId, request, modes, turn };
}

/** Headers with the places of the run, and of its stream after a cut. The paths are relative to the client's `apiUrl`. */
function locationOf(threadId: string, runId: string, modes: readonly LangGraphStreamMode[] | undefined): Record<string, string> {
  const path = `/threads/${threadId}/runs/${runId}`;
  return { 'content-location': path, ...(modes ? { location: `${path}/stream?stream_mode=${modes.join(',')}` } : {}) };
}

/** Encoder of a run that knows the messages before it. Those of a queued run are known when it begins to work. */
async function encoderOf(
  { runtime }: ProtocolSpace,
  threadId: string,
  recording: RunRecording,
  modes: readonly LangGraphStreamMode[],
): Promise<LangGraphEncoder> {
  const { runId } = recording;
  if ((await runtime.get(runId)).status === 'queued') await firstWork(recording);
  const turns = await readTurns(runtime, threadId);
  const index = turns.findIndex(({ run }) => run.id === runId);
  const before = turns[index - 1]?.values.messages ?? [];
  return langGraphEncoder({ modes, threadId, before: [...before, inputMessage(await runtime.get(runId))] });
}

async function firstWork(recording: RunRecording): Promise<void> {
  for await (const { type } of recording.read()) if (type !== 'run-start') return;
}

/** State of a thread when the run rests, with its open questions or its error. */
async function lastValues(recording: RunRecording, encoder: LangGraphEncoder): Promise<object> {
  for await (const event of recording.read()) encoder.push(event);
  const { values, interrupts, error } = encoder;
  return {
    ...values,
    ...(interrupts.length > 0 ? { __interrupt__: interrupts } : {}),
    ...(error ? { __error__: toLangGraphError(error) } : {}),
  };
}

/** @throws {WorkflowError} `RUN_UNKNOWN`, also for a run of another thread. */
async function runIn(
  { runtime }: ProtocolSpace,
  runId: string,
  threadId: string | undefined,
): Promise<{ readonly threadId: string; readonly run: RunInfo }> {
  assertId(runId, 'run');
  if (threadId !== undefined) assertId(threadId, 'thread');
  const run = await runtime.get(runId);
  if (threadId !== undefined && run.threadId !== threadId) throw runUnknown(runId);
  return { threadId: run.threadId ?? run.id, run };
}

async function listRuns(space: ProtocolSpace, threadId: string, query: Readonly<Record<string, string>>): Promise<readonly JsonObject[]> {
  const read = runsQuery.safeParse(query);
  if (!read.success) throw unsupported('this query', 'Use limit, offset, status and select.');
  const { limit, offset, status, select } = read.data;
  const { owner } = await threadOf(space, threadId);
  const runs = await space.runtime.list({ threadId, limit: status === undefined ? offset + limit : 10_000 });
  const matching = runs.filter((run) => status === undefined || runStatusOf(run.status) === status);
  const fields = select?.match(/[\w]+/g);
  return matching.slice(offset, offset + limit).map((run) => picked(toLangGraphRun(run, owner), fields));
}
