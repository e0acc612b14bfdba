import type { Hono } from 'hono';
import { z } from 'zod';
import { WorkflowError } from '../../../core/errors/errors.ts';
import type { JsonObject } from '../../../core/ports/json.ts';
import { assertId, newId } from '../../../core/util/ids.ts';
import type { RunSummary } from '../../../engine/run/runtime.ts';
import type { ProtocolSpace } from '../protocol-space.ts';
import { readBody, unsupported } from '../read-body.ts';
import { assistantIdOf } from './assistant.ts';
import { emptyThreadsOf } from './empty-threads.ts';
import { emptyState, emptyThread, type ThreadOwner, threadStatusOf, toThread, toThreadState } from './lang-graph-thread.ts';
import { picked } from './picked.ts';
import { checkpointId, checkpointUnknown, type GraphTurn, maxTurns, parseCheckpoint, readTurns } from './thread-turns.ts';

const metadata = z.record(z.string(), z.unknown()).nullish();
const threadRequest = z.looseObject({
  thread_id: z.string().nullish(),
  metadata,
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
  supersteps: z.array(z.unknown()).nullish(),
  ttl: z.unknown().optional(),
});
const searchRequest = z.looseObject({
  metadata,
  ids: z.array(z.string()).max(maxTurns).nullish(),
  limit: z.int().min(1).max(1_000).nullish(),
  offset: z.int().min(0).max(100_000).nullish(),
  status: z.enum(['idle', 'busy', 'interrupted', 'error']).nullish(),
  values: metadata,
  sort_by: z.string().nullish(),
  sort_order: z.string().nullish(),
  select: z.array(z.string()).nullish(),
});
const historyRequest = z.looseObject({
  limit: z.int().min(1).max(1_000).nullish(),
  before: z
    .union([z.string(), z.looseObject({ configurable: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish() })])
    .nullish(),
  metadata,
  checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish(),
});
const checkpointRequest = z.looseObject({ checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish() });

/** Maximum number of threads in an answer. */
const maxThreads = 100;

export function addThreadRoutes(app: Hono, space: ProtocolSpace): void {
  const empty = emptyThreadsOf(space.runtime);
  app.post('/threads', async ({ req }) => Response.json(await createThread(space, await readBody(req.raw, threadRequest))));
  app.post('/threads/search', async ({ req }) => Response.json(await searchThreads(space, await readBody(req.raw, searchRequest))));
  app.get('/threads/:id', async ({ req }) => {
    const { owner, turns } = await threadOf(space, req.param('id'));
    const created = empty.get(owner.threadId);
    return Response.json(
      turns.length === 0 && created ? emptyThread(owner.threadId, created.at, created.metadata) : toThread(owner, turns),
    );
  });
  app.delete('/threads/:id', async ({ req }) => {
    const { owner, turns } = await threadOf(space, req.param('id'));
    if (turns.length > 0) {
      if (!space.remove) throw unsupported('deleting a thread', 'Mount the app in createServer.');
      await space.remove({ threadId: owner.threadId });
    }
    empty.delete(owner.threadId);
    return new Response(null, { status: 204 });
  });
  app.get('/threads/:id/state', async ({ req }) => {
    const { owner, turns } = await threadOf(space, req.param('id'));
    return Response.json(toThreadState(owner, turns, turns.length - 1));
  });
  app.get('/threads/:id/state/:checkpoint', async ({ req }) =>
    Response.json(await stateAt(space, req.param('id'), req.param('checkpoint'))),
  );
  app.post('/threads/:id/state/checkpoint', async ({ req }) => {
    const { checkpoint } = await readBody(req.raw, checkpointRequest);
    return Response.json(await stateAt(space, req.param('id'), checkpoint?.checkpoint_id ?? undefined));
  });
  app.post('/threads/:id/history', async ({ req }) => {
    const asked = await readBody(req.raw, historyRequest);
    return Response.json(historyOf(await threadOf(space, req.param('id')), asked));
  });
}

interface GraphThread {
  readonly owner: ThreadOwner;
  /** Oldest first. */
  readonly turns: readonly GraphTurn[];
}

/** @throws {WorkflowError} `THREAD_UNKNOWN` for a thread without runs that this process has not created. */
export async function threadOf(space: ProtocolSpace, threadId: string): Promise<GraphThread> {
  assertId(threadId, 'thread');
  const turns = await readTurns(space.runtime, threadId);
  if (turns.length === 0 && !emptyThreadsOf(space.runtime).get(threadId)) throw threadUnknown(threadId);
  return { owner: { threadId, assistantId: assistantIdOf(space, turns.at(-1)?.run.workflow ?? '') }, turns };
}

const threadUnknown = (threadId: string): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_UNKNOWN',
    message: `There is no thread "${threadId.slice(0, 64)}".`,
    hint: 'Create it with POST /threads.',
  });

async function createThread(space: ProtocolSpace, asked: z.infer<typeof threadRequest>): Promise<JsonObject> {
  const { thread_id: threadId = null, supersteps, ttl, if_exists: ifExists } = asked;
  if (supersteps && supersteps.length > 0) throw unsupported('supersteps', 'Start a run.');
  if (ttl !== undefined && ttl !== null) throw unsupported('ttl', 'Delete the thread when it is not needed.');
  const own = ownMetadata(asked.metadata);
  const id = threadId ?? newId('t');
  assertId(id, 'thread');
  const empty = emptyThreadsOf(space.runtime);
  const turns = threadId === null ? [] : await readTurns(space.runtime, id);
  if ((turns.length > 0 || empty.get(id)) && ifExists !== 'do_nothing') {
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: `The thread "${id}" exists.`,
      hint: 'Send if_exists: "do_nothing" to get it.',
    });
  }
  if (turns.length > 0) return toThread({ threadId: id, assistantId: assistantIdOf(space, turns.at(-1)?.run.workflow ?? '') }, turns);
  const { at, metadata: kept } = empty.get(id) ?? empty.add(id, own);
  return emptyThread(id, at, kept);
}

/** @throws {WorkflowError} `OPTION_INVALID` for metadata that would be lost. */
function ownMetadata(given: z.infer<typeof metadata>): JsonObject {
  const { graph_id: graphId, assistant_id: assistantId, ...others } = given ?? {};
  const [other] = Object.keys(others);
  if (other !== undefined) throw unsupported(`metadata.${other.slice(0, 40)}`, 'The server keeps none but graph_id and assistant_id.');
  return {
    ...(typeof graphId === 'string' ? { graph_id: graphId } : {}),
    ...(typeof assistantId === 'string' ? { assistant_id: assistantId } : {}),
  };
}

/** Threads with a run, the newest run first. */
async function searchThreads(space: ProtocolSpace, asked: z.infer<typeof searchRequest>): Promise<readonly JsonObject[]> {
  const { ids, status, values, sort_by: sortBy, sort_order: order, select } = asked;
  if (values && Object.keys(values).length > 0) throw unsupported('values', 'Search by ids, status or graph_id.');
  if (sortBy && !['created_at', 'updated_at', 'state_updated_at'].includes(sortBy))
    throw unsupported(`sort_by "${sortBy.slice(0, 40)}"`, newestFirst);
  if (order && order !== 'desc') throw unsupported(`sort_order "${order.slice(0, 40)}"`, newestFirst);
  const { graph_id: graphId, assistant_id: assistantId } = ownMetadata(asked.metadata);
  const isAsked = (run: RunSummary): boolean =>
    [graphId, assistantId].every((id) => id === undefined || id === assistantIdOf(space, run.workflow)) &&
    (!status || threadStatusOf(run.status) === status) &&
    (!ids || ids.includes(run.threadId ?? ''));
  const offset = asked.offset ?? 0;
  const found = await newestRuns(space, isAsked, offset, Math.min(asked.limit ?? 10, maxThreads));
  const threads: JsonObject[] = [];
  for (const run of found) {
    const { threadId = '' } = run;
    const turns = await readTurns(space.runtime, threadId);
    const owner = { threadId, assistantId: assistantIdOf(space, run.workflow) };
    if (turns.length > 0) threads.push(picked(toThread(owner, turns), select));
  }
  return threads;
}

const newestFirst = 'Threads are sorted by their newest run, descending.';
const pageRuns = 200;
/** Maximum number of runs that a search examines. */
const maxExamined = 10_000;

/** Newest runs of threads that match, from the newest thread on. */
async function newestRuns(
  { runtime }: ProtocolSpace,
  isAsked: (run: RunSummary) => boolean,
  offset: number,
  limit: number,
): Promise<readonly RunSummary[]> {
  const seen = new Set<string>();
  const found: RunSummary[] = [];
  let before: string | undefined;
  for (let examined = 0; examined < maxExamined && found.length < offset + limit; examined += pageRuns) {
    const page = await runtime.list({ limit: pageRuns, ...(before === undefined ? {} : { before }) });
    for (const run of page) {
      if (run.threadId === undefined || seen.has(run.threadId)) continue;
      seen.add(run.threadId);
      if (isAsked(run)) found.push(run);
    }
    before = page.at(-1)?.id;
    if (page.length < pageRuns) break;
  }
  return found.slice(offset, offset + limit);
}

async function stateAt(space: ProtocolSpace, threadId: string, id: string | undefined): Promise<JsonObject> {
  const { owner, turns } = await threadOf(space, threadId);
  if (id === undefined) return turns.length === 0 ? emptyState : toThreadState(owner, turns, turns.length - 1);
  return toThreadState(owner, turns, indexOf(turns, id));
}

/** @throws {WorkflowError} `FORK_POINT_UNKNOWN`, also for a position that its run has left. */
function indexOf(turns: readonly GraphTurn[], id: string): number {
  parseCheckpoint(id);
  const index = turns.findIndex((turn) => checkpointId(turn) === id);
  if (index < 0) throw checkpointUnknown();
  return index;
}

/** States of a thread, newest first. */
function historyOf(
  { owner, turns }: GraphThread,
  { limit, before, metadata: wanted, checkpoint }: z.infer<typeof historyRequest>,
): readonly JsonObject[] {
  if (wanted && Object.keys(wanted).length > 0) throw unsupported('metadata of a history', 'Leave it out.');
  const beforeId = typeof before === 'string' ? before : (before?.configurable?.checkpoint_id ?? undefined);
  const at = checkpoint?.checkpoint_id ?? undefined;
  const end = beforeId !== undefined ? indexOf(turns, beforeId) : at !== undefined ? indexOf(turns, at) + 1 : turns.length;
  const states = turns.slice(0, end).map((_, index) => toThreadState(owner, turns, index));
  return states.toReversed().slice(0, limit ?? 10);
}
