import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { stateAt } from '../../engine/replay/state-at.ts';
import type { RunInfo } from '../../engine/run/runtime.ts';
import type { RunDetails } from '../api/calls.ts';
import { eventStream, longestStallMs } from '../http/event-stream.ts';
import { type EventPlace, followEvents } from '../http/follow-events.ts';
import { eventStreamHeaders } from '../http/frame-stream.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { requestInvalid } from '../http/refusal.ts';
import { Reply, type RouteHandler, type RouteHandlers } from '../http/route-handler.ts';
import { runAsTest } from '../http/run-as-test.ts';
import { toRunDetails } from '../http/run-details.ts';
import { changeRuns, listRuns } from '../http/run-list.ts';
import type { ServedSpace } from '../http/served-space.ts';
import { listWaiting } from '../http/waiting-list.ts';

const heartbeatMs = 15_000;

const streamEvents: RouteHandler<'streamEvents'> = async ({ params, query: { from, follow }, space, request, requestId, streams }) => {
  const after = placeOf(request);
  await space.runtime.get(params.id); // fails with the status of an unknown run
  if (request.method === 'HEAD') return new Response(null, { headers: eventStreamHeaders }); // a HEAD stream has no reader and would stay open forever
  const stop = streams.take(space.tenant);
  const events = followEvents(space, params.id, { from, after, follow });
  const onEnd = (): void => streams.release(stop);
  return eventStream({ events, clock: space.clock, requestId, heartbeatMs, stalledMs: longestStallMs, stop, onEnd });
};

/** Position that a reconnecting reader sends: `SEQ`, `SEQ.LEASE`, or `SEQ.LEASE.SIZE` after live output. */
function placeOf({ headers }: Request): EventPlace | undefined {
  const given = headers.get('last-event-id');
  if (given === null || given === '') return undefined;
  if (!/^\d{1,15}(?:\.\d{1,15}){0,2}$/.test(given)) throw requestInvalid('Last-Event-ID is not the id of an event.');
  const [seq = 0, epoch, size] = given.split('.').map(Number);
  return { seq, ...(epoch === undefined ? {} : { epoch }), ...(size === undefined ? {} : { size }) };
}

type RunRoutes = Pick<
  RouteHandlers,
  | 'startRun'
  | 'listRuns'
  | 'bulkRuns'
  | 'listWaiting'
  | 'getRun'
  | 'streamEvents'
  | 'getJournal'
  | 'send'
  | 'resolveCall'
  | 'cancelRun'
  | 'resumeRun'
  | 'pauseRun'
  | 'releaseRun'
  | 'rateRun'
  | 'forkRun'
  | 'deleteRun'
  | 'getState'
  | 'getTest'
>;

/** Routes that start, watch, answer and end runs. */
export const runRoutes: RunRoutes = {
  async startRun({ body, space, request }) {
    const idempotencyKey = idempotencyKeyOf(request);
    const { runId, isNew } = await space.start({ ...body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    return new Reply(isNew ? 201 : 200, await detailsOf(space, runId));
  },
  listRuns: ({ query, space }) => listRuns(space, query),
  bulkRuns: ({ body, space }) => changeRuns(space, body),
  listWaiting: ({ query, space }) => listWaiting(space.runtime, query),
  getRun: ({ params, space }) => detailsOf(space, params.id),
  streamEvents,
  async getJournal({ params, query: { from = 1, limit = 200 }, space: { runtime } }) {
    const all = await runtime.history(params.id);
    const entries = all.slice(from - 1, from - 1 + limit);
    return { entries, ...(all.length > from - 1 + limit ? { next: from + limit } : {}) };
  },
  send: ({ params: { id }, body: { interruptId, event }, space }) =>
    detailsAfter(space, id, space.runtime.send(id, event as HumanEvent, { interruptId })),
  resolveCall: ({ params: { id }, body: { callId, resolution }, space }) =>
    detailsAfter(space, id, space.runtime.resolve(id, callId, resolution)),
  cancelRun: ({ params: { id }, space }) => detailsAfter(space, id, space.runtime.cancel(id)),
  resumeRun: ({ params: { id }, space }) => detailsAfter(space, id, space.runtime.resume(id)),
  async pauseRun({ params: { id }, space }) {
    await space.runtime.get(id); // fails for an unknown run, which pausing ignores
    return detailsAfter(space, id, space.runtime.pause(id));
  },
  releaseRun: ({ params: { id }, space }) => detailsAfter(space, id, space.runtime.release(id)),
  async rateRun({ params: { id }, body: { value }, space }) {
    if (!space.store.rate) throw requestInvalid('The store of this server keeps no ratings.');
    await space.store.rate(id, value ?? undefined);
    return detailsOf(space, id);
  },
  async forkRun({ params, body, space, request }) {
    if (body.patch) await checkPatch(space, params.id, body.at, body.patch);
    const { runId, isNew } = await space.fork(params.id, body, idempotencyKeyOf(request));
    return new Reply(isNew ? 201 : 200, await detailsOf(space, runId));
  },
  deleteRun: ({ params, space }) => space.remove({ runId: params.id }),
  async getState({ params, query: { at }, space }) {
    const info = await space.runtime.get(params.id);
    const workflow = await workflowOf(space, info);
    return stateAt({ store: space.store, runId: info.id, workflow, seq: at, clock: space.clock });
  },
  async getTest({ params, space }) {
    const info = await space.runtime.get(params.id);
    const text = await runAsTest({ space, info, workflow: await workflowOf(space, info) });
    return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
};

/** @throws {WorkflowError} `WORKFLOW_UNKNOWN`. */
async function workflowOf({ workflowOf: own, workflows }: ServedSpace, info: RunInfo): Promise<AnyWorkflow> {
  const workflow = (await own?.(info)) ?? workflows.find(({ workflow: { id } }) => id === info.workflow)?.workflow;
  if (workflow) return workflow;
  throw new WorkflowError({ code: 'WORKFLOW_UNKNOWN', message: 'This server does not have the workflow of the run.' });
}

async function detailsAfter(space: ServedSpace, runId: string, change: Promise<unknown>): Promise<RunDetails> {
  await change;
  return detailsOf(space, runId);
}

async function detailsOf({ runtime, store }: ServedSpace, runId: string): Promise<RunDetails> {
  const info = await runtime.get(runId);
  const ratings = await store.ratings?.([runId]);
  return toRunDetails(info, await runtime.history(runId), ratings?.get(runId));
}

/**
 * A client's patch may only change a node's output. The run's permissions and egress are the server's decision, and its taint stays.
 *
 * @throws {WorkflowError} `PATCH_INVALID`.
 */
async function checkPatch({ runtime }: ServedSpace, runId: string, at: string, patch: JsonObject): Promise<void> {
  const node = (await runtime.history(runId)).findLast(({ kind, key }) => kind === 'node' && key === at);
  const output = isObject(node?.outcome) && isObject(node.outcome.output) ? node.outcome.output : undefined;
  if (!output) return; // the fork reports that there is nothing to patch
  // Decision 323: otherwise a client could grant itself tools, or clear the taint.
  const known = Object.keys(output).filter((key) => key !== 'taint');
  const other = Object.keys(patch).filter((key) => !known.includes(key));
  if (other.length === 0) return;
  throw new WorkflowError({
    code: 'PATCH_INVALID',
    message: `The patch of node "${at}" cannot change ${shorten(other.join(', '), 200)}.`,
    hint: `Change only ${known.join(', ')}.`,
  });
}
