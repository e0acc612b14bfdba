import { z } from 'zod';
import { fleetStates } from '../../core/ports/fleet-state.ts';
import { runStatuses } from '../../core/ports/run-store.ts';
import { agePattern } from '../../core/util/age.ts';
import { maxPriority } from '../../core/util/is-priority.ts';
import { bulkActions } from '../../engine/workers/bulk-runs.ts';
import type { Calls } from '../api/calls.ts';
import type { RouteName } from '../api/routes.ts';
import { maxTitleChars, oneLine } from './thread-title.ts';

/** Characters that reorder the display of others, and characters that hide text inside other text. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

type Part<TName extends RouteName, TPart extends string> = TPart extends keyof Calls[TName]
  ? z.ZodType<NonNullable<Calls[TName][TPart]>>
  : undefined;

/** Schemas of a route's input. Anything they do not declare is rejected. */
export interface Contract<TName extends RouteName> {
  readonly summary: string;
  readonly params: Part<TName, 'params'>;
  readonly query: Part<TName, 'query'>;
  readonly body: Part<TName, 'body'>;
}

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const byId = z.strictObject({ id });
const ofUser = z.strictObject({ user: id.optional() });
const json = z.json();
const jsonObject = z.record(z.string(), json);
const status = z.enum(runStatuses);
/** Numbers in URLs arrive as strings. */
const numberFrom = (min: number, max: number): z.ZodType<number> =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
const limit = numberFrom(1, 200).optional();
/** Two run ids, separated by a dot. */
const waitingPlace = z.string().regex(/^[\w-]{0,64}\.[\w-]{0,64}$/);
/** A single line without characters that reorder or hide text. */
const title = z
  .string()
  .max(maxTitleChars)
  .transform((text) => oneLine(text.replace(turning, '')))
  .pipe(z.string().min(1));
/** An age, such as `30d`. */
const age = z.string().regex(agePattern);
const runFilter = {
  workflow: z.string().min(1).max(64).optional(),
  status: status.optional(),
  state: z.enum(fleetStates).optional(),
  code: z.string().min(1).max(100).optional(),
  older: age.optional(),
  threadId: id.optional(),
};
const positive = z.number().positive();
const limits = z
  .strictObject({ nodeVisits: positive, modelCalls: positive, toolCalls: positive, tokens: positive, wallTimeMs: positive })
  .partial();

const scheduleName = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const bySchedule = z.strictObject({ id: scheduleName });
/** Milliseconds since 1970. */
const moment = z.int().min(-8.64e15).max(8.64e15);

const none = { params: undefined, query: undefined, body: undefined } as const;

export const contracts: { readonly [TName in RouteName]: Contract<TName> } = {
  listWorkflows: { ...none, summary: 'The workflows.' },
  getWorkflow: { ...none, summary: 'A workflow with its machine, lint findings and promises.', params: byId },
  getDrawing: { ...none, summary: 'Positions of the states and edges in the drawing of a machine.', params: byId },
  getPromises: {
    ...none,
    summary: 'The promises of a workflow, whether each holds, and a shortest path to a violation. The first check may take seconds.',
    params: byId,
  },
  startRun: {
    ...none,
    summary: 'Starts a run. The same Idempotency-Key returns the same run.',
    body: z.strictObject({
      workflow: z.string().min(1).max(64),
      input: json,
      threadId: id.optional(),
      ifBusy: z.enum(['reject', 'queue', 'cancel-and-replace']).optional(),
      priority: z.int().min(-maxPriority).max(maxPriority).optional(),
      limits: limits.optional(),
      settings: jsonObject.optional(),
    }),
  },
  listRuns: {
    ...none,
    summary: 'Runs, newest first.',
    query: z.strictObject({
      ...runFilter,
      limit,
      before: id.optional(),
    }),
  },
  bulkRuns: {
    ...none,
    summary: 'Retries, cancels, releases or migrates all runs that match a filter, in pages. A dry run unless `dryRun` is false.',
    body: z.strictObject({
      action: z.enum(bulkActions),
      where: z.strictObject(runFilter),
      all: z.boolean().optional(),
      dryRun: z.boolean().optional(),
      limit: z.int().min(1).max(1_000).optional(),
      before: id.optional(),
      from: id.optional(),
    }),
  },
  listWaiting: {
    ...none,
    summary: 'Runs that wait for a human, newest first.',
    query: z.strictObject({ limit, before: waitingPlace.optional() }),
  },
  getRun: { ...none, summary: 'A run.', params: byId },
  streamEvents: {
    ...none,
    summary: 'Streams the events of a run as server-sent events.',
    params: byId,
    query: z.strictObject({
      from: numberFrom(1, 1e12).optional(),
      follow: z
        .enum(['true', 'false'])
        .transform((value) => value === 'true')
        .optional(),
    }),
  },
  getJournal: {
    ...none,
    summary: 'The journal of a run.',
    params: byId,
    query: z.strictObject({ from: numberFrom(1, 1e12).optional(), limit: numberFrom(1, 1000).optional() }),
  },
  send: {
    ...none,
    summary: 'Answers a question.',
    params: byId,
    body: z.strictObject({ interruptId: z.string().min(1).max(200), event: z.object({ type: z.string().min(1).max(200) }).catchall(json) }),
  },
  resolveCall: {
    ...none,
    summary: 'Resolves a call in doubt.',
    params: byId,
    body: z.strictObject({
      callId: z.string().min(1).max(1000),
      resolution: z.union([z.strictObject({ as: z.literal('done'), output: json }), z.strictObject({ as: z.enum(['retry', 'abort']) })]),
    }),
  },
  cancelRun: { ...none, summary: 'Cancels a run.', params: byId },
  resumeRun: { ...none, summary: 'Resumes a suspended or failed run.', params: byId },
  pauseRun: { ...none, summary: 'Suspends a run that this server drives.', params: byId },
  releaseRun: { ...none, summary: 'Releases a run that was parked after three crashes, so that a worker resumes it.', params: byId },
  forkRun: {
    ...none,
    summary: 'Starts a new run from the journal of this one up to a node. The same Idempotency-Key returns the same run.',
    params: byId,
    body: z.strictObject({
      at: z.string().min(1).max(1000),
      patch: jsonObject.optional(),
      repeatOnce: z.boolean().optional(),
      limits: limits.optional(),
    }),
  },
  listThreads: {
    ...none,
    summary: 'Conversations, newest first.',
    query: z.strictObject({
      q: z.string().max(200).optional(),
      workflow: z.string().min(1).max(64).optional(),
      limit,
      before: id.optional(),
    }),
  },
  getThread: { ...none, summary: 'A conversation and all of its runs. For a long one, read its turns.', params: byId },
  listTurns: {
    ...none,
    summary: 'Some turns of a conversation with their steps, newest first: the newest, or those beside a run.',
    params: byId,
    query: z
      .strictObject({ limit: numberFrom(1, 100).optional(), before: id.optional(), after: id.optional(), around: id.optional() })
      .refine(({ before, after, around }) => [before, after, around].filter((one) => one !== undefined).length <= 1, {
        error: 'Give only one of before, after and around.',
      }),
  },
  rateRun: {
    ...none,
    summary: 'Rates a run. null removes the rating.',
    params: byId,
    body: z.strictObject({ value: z.enum(['up', 'down']).nullable() }),
  },
  nameThread: {
    ...none,
    summary: 'Names a conversation. null removes the name.',
    params: byId,
    body: z.strictObject({ title: title.nullable() }),
  },
  deleteRun: { ...none, summary: 'Removes a run that is not being driven, with all its data.', params: byId },
  deleteThread: { ...none, summary: 'Removes a conversation with all its runs.', params: byId },
  getState: {
    ...none,
    summary: 'Position and state of a run after an entry of its journal.',
    params: byId,
    query: z.strictObject({ at: numberFrom(1, 1e12).optional() }),
  },
  getTest: { ...none, summary: 'A vitest test that replays a run and asserts its end.', params: byId },
  listSchedules: { ...none, summary: 'The schedules, with their last and next time.' },
  addSchedule: {
    ...none,
    summary: 'Adds a schedule. The same one again changes nothing.',
    body: z.strictObject({
      name: scheduleName.optional(),
      workflow: z.string().min(1).max(64),
      input: json,
      cron: z.string().min(1).max(200),
      timeZone: z.string().min(1).max(64),
      missed: z.enum(['skip', 'once', 'all']).optional(),
      overlap: z.enum(['skip', 'queue', 'replace', 'allow']).optional(),
      jitterMs: z.int().min(0).max(3_600_000).optional(),
      settings: jsonObject.optional(),
    }),
  },
  pauseSchedule: { ...none, summary: 'Stops starting runs of a schedule.', params: bySchedule },
  resumeSchedule: { ...none, summary: 'Ends the pause of a schedule.', params: bySchedule },
  triggerSchedule: {
    ...none,
    summary: 'Starts a run of a schedule now. The same Idempotency-Key returns the same run.',
    params: bySchedule,
  },
  backfillSchedule: {
    ...none,
    summary: 'Starts the times of a past interval, 1,000 at most. A time whose run exists is not started again.',
    params: bySchedule,
    body: z.strictObject({ fromMs: moment, toMs: moment, dryRun: z.boolean().optional() }),
  },
  removeSchedule: { ...none, summary: 'Removes a schedule. Its runs stay.', params: bySchedule },
  listDocuments: { ...none, summary: 'The documents of the server.' },
  addDocument: { ...none, summary: 'Adds a document (multipart/form-data, one file) and reads its outline.' },
  getDocument: { ...none, summary: 'A document with its outline and text.', params: byId },
  compareDocument: {
    ...none,
    summary: 'Differences between a document and another one or the standard.',
    params: byId,
    query: z.strictObject({ with: id.optional() }),
  },
  deleteDocument: { ...none, summary: 'Removes a document.', params: byId },
  listEvals: {
    ...none,
    summary: 'The evals whose reports the server shows, newest first. A limit of 0 only says if it shows any, without reading them.',
    query: z.strictObject({ limit: numberFrom(0, 200).optional() }),
  },
  getEval: { ...none, summary: 'An eval with its reports, oldest first.', params: byId },
  listMemories: {
    ...none,
    summary: 'Memories of a user, newest first, or nearest to a text first.',
    query: z.strictObject({ user: id.optional(), q: z.string().min(1).max(1000).optional() }),
  },
  exportMemories: { ...none, summary: 'All memories of a user.', query: ofUser },
  forgetMemories: { ...none, summary: 'Forgets all memories of a user.', query: z.strictObject({ user: id }) },
  forgetMemory: { ...none, summary: 'Forgets one memory.', params: byId, query: ofUser },
  releaseMemory: { ...none, summary: 'Releases one held memory, so that later runs read it.', params: byId, query: ofUser },
  listTools: { ...none, summary: 'The tools, with the reason if one is unavailable.' },
  getModel: { ...none, summary: 'The model that answers.' },
  listAudit: {
    ...none,
    summary: 'Who has changed runs and schedules, in the order of time.',
    query: z.strictObject({ since: numberFrom(0, 1e15), limit: numberFrom(1, 1000).optional() }),
  },
  listWorkers: { ...none, summary: 'The workers and servers of the store, with the runs that lost ones have left.' },
  getMetrics: { ...none, summary: 'Metrics for Prometheus.' },
  getOpenApi: { ...none, summary: 'This document.' },
};
