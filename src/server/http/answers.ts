import { z } from 'zod';
import { fleetStates } from '../../core/ports/fleet-state.ts';
import { runStatuses } from '../../core/ports/run-store.ts';
import { bulkActions } from '../../engine/workers/bulk-runs.ts';
import type { Calls } from '../api/calls.ts';
import type { RouteName } from '../api/routes.ts';
import type { SchemaMismatch } from './schema-mismatch.ts';

// Schemas of the routes' responses. They document only and reject nothing; new members may be added to each response.

const anything = z.unknown();
const texts = z.array(z.string());
const count = z.int().min(0);
/** Milliseconds since 1970. */
const time = z.number();
const status = z.enum(runStatuses);
const error = z.looseObject({
  name: z.string(),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
  retryAfterMs: z.number().optional(),
  data: z.looseObject({}).optional(),
});
const interrupt = z.looseObject({
  id: z.string(),
  key: z.string(),
  accepts: texts,
  question: anything.optional(),
  expiresAt: time.optional(),
});
const inDoubt = z.looseObject({ callId: z.string(), describe: anything, startedAt: time, ownerMayLive: z.boolean() });
const workflow = {
  id: z.string(),
  version: z.string(),
  title: z.string(),
  description: z.string(),
  examples: texts,
  inputSchema: z.looseObject({}).optional(),
  model: z.string().optional(),
};
const run = {
  id: z.string(),
  workflow: z.string(),
  version: z.string(),
  threadId: z.string().optional(),
  priority: z.int().optional(),
  status,
  state: z.enum(fleetStates),
  seq: count,
  activeMs: z.number(),
  startedAt: time,
  updatedAt: time,
  wakeAt: time.optional(),
  failure: z.string().optional(),
  resumable: z.boolean().optional(),
  missing: z.enum(['workflow', 'version', 'structure']).optional(),
  parked: error.optional(),
};
const waits = z.looseObject({ for: texts, since: time });
const open = { interrupts: z.array(interrupt), inDoubt: z.array(inDoubt) };
const usage = z.looseObject({ modelCalls: count, cachedCalls: count, toolCalls: count, inputTokens: count, outputTokens: count });
const entry = z.looseObject({
  seq: count,
  key: z.string(),
  kind: z.enum(['start', 'settle', 'node', 'event', 'timer-start', 'timer', 'intent', 'step', 'retry', 'limits', 'offer']),
  outcome: anything,
  events: z.array(z.looseObject({ type: z.string(), seq: count, at: time, node: z.string().optional(), live: z.string().optional() })),
  epoch: count,
  at: time,
});
const documentSummary = { id: z.string(), name: z.string(), title: z.string(), addedAt: time };
const part = z.looseObject({
  id: z.string(),
  part: z.string(),
  label: z.string(),
  title: z.string(),
  chapter: z.string(),
  deleted: z.boolean(),
  start: count,
  end: count,
});
const taint = z.looseObject({ private: z.boolean(), untrusted: z.boolean(), user: z.boolean().optional() });
const memory = z.looseObject({
  id: z.string(),
  kind: z.string(),
  text: z.string(),
  createdAt: time,
  updatedAt: time,
  taint: taint.optional(),
  held: z.literal(true).optional(),
});
const evalSummary = {
  id: z.string(),
  name: z.string(),
  workflow: z.string(),
  cases: count,
  versions: count,
  ok: z.boolean(),
  updatedAt: time,
};
const evalRun = z.looseObject({
  case: z.string(),
  repeat: count,
  status,
  finalState: z.string().optional(),
  output: anything.optional(),
  path: texts,
  moves: z.array(z.looseObject({ from: z.string(), to: z.string(), on: z.string(), guard: z.string().optional() })).optional(),
  calls: z.array(z.looseObject({ tool: z.string(), args: anything, error: z.string().optional() })),
  modelCalls: count,
  usage: z.looseObject({}),
  costUsd: z.number().optional(),
  durationMs: z.number(),
  error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
  scores: z.record(z.string(), z.looseObject({ score: z.number(), why: z.string().optional() })),
});
const evalVersion = z.looseObject({
  id: z.string(),
  label: z.string(),
  file: z.string(),
  addedAt: time,
  workflow: z.string(),
  version: z.string(),
  model: z.string().optional(),
  ok: z.boolean(),
  graders: z.array(z.looseObject({ name: z.string(), mean: z.number(), threshold: z.number(), ok: z.boolean() })),
  runs: z.array(evalRun),
  graph: z.looseObject({}).optional(),
  compared: z.looseObject({ with: z.string(), verdicts: z.record(z.string(), z.string()) }).optional(),
});
const deleted = z.looseObject({ deleted: count });
const removed = z.looseObject({ deleted: count, memories: count });

const summary = z.looseObject(run);
const detailFields = {
  ...run,
  input: anything,
  output: anything.optional(),
  finalState: z.string().optional(),
  error: error.optional(),
  ...open,
  position: texts,
  usage,
  rating: z.enum(['up', 'down']).optional(),
};
const details = z.looseObject(detailFields);
const step = z.looseObject({
  key: z.string(),
  status: z.enum(['open', 'done', 'failed']),
  durationMs: z.number().optional(),
  calls: z.record(z.string(), count),
  inputTokens: count,
  outputTokens: count,
});
const turn = z.looseObject({ ...detailFields, number: count, steps: z.array(step), cut: z.literal(true).optional() });
const thread = z.looseObject({
  id: z.string(),
  workflow: z.string(),
  title: z.string(),
  updatedAt: time,
  waiting: z.boolean(),
  status,
  runs: count,
});
const document = z.looseObject({
  ...documentSummary,
  outline: z.array(part),
  notices: z.array(z.looseObject({ code: z.string(), message: z.string(), partId: z.string().optional() })),
  facts: z.looseObject({}),
  text: z.string().optional(),
});

/** Schemas that several routes return; they become components of the OpenAPI document. */
export const answerParts: Readonly<Record<string, z.ZodType>> = {
  Run: details,
  RunSummary: summary,
  Thread: thread,
  Document: document,
  JournalEntry: entry,
  Deleted: deleted,
};

const schedule = z.looseObject({
  name: z.string(),
  workflow: z.string(),
  status: z.enum(['active', 'paused', 'declared']),
  missed: z.enum(['skip', 'once', 'all']),
  lastMs: time.optional(),
  lastRunId: z.string().optional(),
  lastError: error.optional(),
  nextMs: time.optional(),
  cron: z.string().optional(),
  timeZone: z.string().optional(),
  overlap: z.enum(['skip', 'queue', 'replace', 'allow']).optional(),
  jitterMs: count.optional(),
  input: anything.optional(),
  metadata: z.looseObject({}).optional(),
  addedAt: time.optional(),
  waiting: z.array(time).optional(),
  started: count.optional(),
  skipped: count.optional(),
});

type Answering = Exclude<RouteName, 'streamEvents' | 'getMetrics' | 'getTest'>;

/** Place that a counterexample leads to. */
const place = z.looseObject({ active: texts, waiting: texts, done: z.boolean(), state: z.looseObject({}) });

const schemas = {
  listWorkflows: z.array(z.looseObject(workflow)),
  getWorkflow: z.looseObject({
    ...workflow,
    graph: z.looseObject({
      id: z.string(),
      version: z.string(),
      initial: z.string(),
      states: z.array(
        z.looseObject({
          path: z.string(),
          kind: z.enum(['node', 'waiting', 'final', 'compound', 'parallel', 'idle']),
          history: z.enum(['shallow', 'deep']).optional(),
          parent: z.string(),
          initial: z.string().optional(),
          node: z.string().optional(),
          outcome: z.enum(['failure', 'success']).optional(),
          description: z.string().optional(),
          edges: z.array(z.looseObject({})),
        }),
      ),
    }),
    lint: z.array(z.looseObject({ code: z.string(), state: z.string(), message: z.string() })),
    invariants: texts,
    events: z.record(z.string(), z.looseObject({})),
  }),
  getDrawing: z.looseObject({
    width: z.number(),
    height: z.number(),
    states: z.array(z.looseObject({})),
    edges: z.array(z.looseObject({})),
  }),
  getPromises: z.looseObject({
    complete: z.boolean(),
    cutOff: texts,
    places: count,
    promises: z.array(
      z.looseObject({
        name: z.string(),
        verdict: z.enum(['holds', 'broken', 'undecided']).optional(),
        why: z.string().optional(),
        reasons: z.array(z.looseObject({ code: z.string(), message: z.string(), hint: z.string() })).optional(),
        way: z
          .looseObject({
            start: place,
            steps: z.array(
              z.looseObject({ by: z.string(), kind: z.string(), outcome: z.string(), edges: z.array(z.looseObject({})), to: place }),
            ),
            loopFrom: count.optional(),
          })
          .optional(),
      }),
    ),
  }),
  startRun: details,
  listRuns: z.looseObject({ runs: z.array(z.looseObject({ ...run, waits: waits.optional() })), next: z.string().optional() }),
  bulkRuns: z.looseObject({
    action: z.enum(bulkActions),
    dryRun: z.boolean(),
    runIds: texts,
    outcomes: z.array(z.looseObject({ runId: z.string(), result: z.enum(['done', 'skipped', 'failed']), error: error.optional() })),
    next: z.string().optional(),
  }),
  listWaiting: z.looseObject({ runs: z.array(z.looseObject({ ...run, ...open })), next: z.string().optional() }),
  getRun: details,
  getJournal: z.looseObject({ entries: z.array(entry), next: count.optional() }),
  send: details,
  resolveCall: details,
  cancelRun: details,
  resumeRun: details,
  pauseRun: details,
  releaseRun: details,
  rateRun: details,
  forkRun: details,
  deleteRun: removed,
  getState: z.looseObject({ position: texts, state: z.looseObject({}) }),
  listThreads: z.looseObject({ threads: z.array(thread), next: z.string().optional() }),
  getThread: z.looseObject({
    id: z.string(),
    workflow: z.string(),
    title: z.string(),
    revision: count,
    state: anything,
    activeRun: z.string().optional(),
    turns: z.array(details),
  }),
  listTurns: z.looseObject({
    thread: z.looseObject({ id: z.string(), workflow: z.string(), title: z.string(), turns: count }),
    turns: z.array(turn),
    before: z.string().optional(),
    after: z.string().optional(),
  }),
  nameThread: thread,
  deleteThread: removed,
  listSchedules: z.looseObject({ schedules: z.array(schedule) }),
  addSchedule: schedule,
  pauseSchedule: schedule,
  resumeSchedule: schedule,
  triggerSchedule: z.looseObject({ runId: z.string(), isNew: z.boolean() }),
  backfillSchedule: z.looseObject({ runs: z.array(z.looseObject({ runId: z.string(), isNew: z.boolean(), dueMs: time })) }),
  removeSchedule: deleted,
  listDocuments: z.array(z.looseObject(documentSummary)),
  addDocument: document,
  getDocument: document,
  compareDocument: z.looseObject({}),
  deleteDocument: deleted,
  listEvals: z.looseObject({
    available: z.boolean(),
    evals: z.array(z.looseObject(evalSummary)),
    refused: z.array(z.looseObject({ file: z.string(), code: z.string(), message: z.string(), hint: z.string().optional() })),
    older: count.optional(),
  }),
  getEval: z.looseObject({ ...evalSummary, reports: z.array(evalVersion) }),
  listMemories: z.looseObject({ memories: z.array(memory) }),
  exportMemories: z.looseObject({ version: z.literal(1), userId: z.string(), memories: z.array(memory) }),
  forgetMemories: deleted,
  forgetMemory: deleted,
  releaseMemory: z.looseObject({ released: count }),
  listTools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      effect: z.string(),
      risk: z.string(),
      capabilities: texts,
      available: z.boolean(),
      whyNot: z.string().optional(),
    }),
  ),
  getModel: z.looseObject({ name: z.string().optional(), address: z.string().optional(), offline: z.boolean() }),
  listAudit: z.looseObject({
    entries: z.array(
      z.looseObject({
        at: count,
        action: z.string(),
        by: z.looseObject({ via: z.string(), name: z.string().optional(), tenant: z.string().optional(), client: z.string().optional() }),
        runId: z.string().optional(),
        threadId: z.string().optional(),
        schedule: z.string().optional(),
        outcome: z.string(),
      }),
    ),
  }),
  listWorkers: z.looseObject({
    workers: z.array(
      z.looseObject({
        id: z.string(),
        role: z.enum(['worker', 'server']),
        state: z.enum(['active', 'draining', 'lost']),
        version: z.string().optional(),
        workflows: texts,
        host: z.string(),
        pid: z.string(),
        since: count,
        seenAt: count,
        slots: count,
        used: count,
        runs: texts,
      }),
    ),
  }),
  getOpenApi: z.looseObject({}),
};

type AnswerMismatch = { [TName in Answering]: SchemaMismatch<Calls[TName]['answer'], z.input<(typeof schemas)[TName]>, TName> }[Answering];

/** Schema of each route's JSON response. The routes missing here do not return JSON. */
export const answers: Readonly<Record<Answering, z.ZodType>> = schemas satisfies Readonly<Record<AnswerMismatch, never>>;
