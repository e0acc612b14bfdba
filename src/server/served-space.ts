import type { ModelInfo } from '../api/calls.ts';
import { fromErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { LongTermMemory } from '../ports/long-term-memory.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { Awaitable, RunStore } from '../ports/run-store.ts';
import type { Tool } from '../ports/tool.ts';
import type { Limits } from '../runtime/limits.ts';
import type { Run } from '../runtime/run.ts';
import type { ForkOptions, RunInfo, Runtime } from '../runtime/runtime.ts';
import { runUnknown } from '../stores/store-errors.ts';
import { itemAmong } from '../util/id-among.ts';
import { newId } from '../util/ids.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import { checkServedInput } from './check-served-input.ts';
import type { DocumentShelf } from './document-shelf.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import type { ServedWorkflow } from './served-workflow.ts';
import type { ServerLimits } from './server-limits.ts';
import { TenantLimits } from './tenant-limits.ts';

/** What the server works with for one tenant. */
export interface ServerSpace {
  /** Starts and continues the runs. The caller closes it. */
  readonly runtime: Runtime;
  /** The runtime's store. The caller closes it. */
  readonly store: RunStore;
  readonly workflows: readonly ServedWorkflow[];
  /** The workflow of a stored run, where that depends on more than its id and structure. Default: the one of `workflows`. */
  readonly workflowOf?: (run: RunInfo) => Awaitable<AnyWorkflow | undefined>;
  /** Documents that clients have given. Default: none can be given. */
  readonly documents?: DocumentShelf;
  /** What is known of users. Default: nothing. */
  readonly memories?: () => Awaitable<LongTermMemory>;
  /** The tools, those that cannot be used included. Default: none. */
  readonly tools?: () => Awaitable<readonly Tool[]>;
  /** What answers. Default: what the workflows say. */
  readonly model?: () => Awaitable<ModelInfo>;
}

export interface StartAsked {
  readonly workflow: string;
  readonly input: Json;
  readonly threadId?: string | undefined;
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace' | undefined;
  readonly priority?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly settings?: JsonObject | undefined;
  /** The same key again is the same run. */
  readonly idempotencyKey?: string | undefined;
}

/** What a server knows of a start when it decides whether its tools may send data out. */
export interface EgressRequest {
  readonly tenant: string;
  /** As the run's record names it. */
  readonly workflow: string;
  readonly threadId?: string;
}

export type GrantEgress = (start: EgressRequest) => Awaitable<boolean>;

interface StartedRun {
  readonly runId: string;
  /** It was not there before. */
  readonly isNew: boolean;
}

/** One tenant's part of the server: what the routes and the protocols work with. */
export interface ServedSpace extends ServerSpace {
  readonly tenant: string;
  readonly clock: Clock;
  /** What the tenant may have at the same time. */
  readonly room: Pick<TenantLimits, 'starting' | 'adding'>;
  /** By its id, however its words are joined: `plan-execute`, `plan_execute`. */
  workflow(id: string): ServedWorkflow | undefined;
  /**
   * Starts a run; when this settles, it is in the store.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `THREAD_BUSY`, `TOO_MANY_RUNS`, `TOO_MANY_THREADS`, `RUN_EXISTS` for a key that was used for
   *   another start, and what a start throws.
   */
  start(asked: StartAsked): Promise<StartedRun>;
  /**
   * Makes a fork of a run; when this settles, it is in the store.
   * @throws {WorkflowError} `TOO_MANY_RUNS`, `RUN_EXISTS` for a key that was used for something else, and what a fork throws.
   */
  fork(runId: string, options: Omit<ForkOptions, 'runId'>, idempotencyKey?: string): Promise<StartedRun>;
  /** The events of a run until it rests, whoever drives it. @throws {WorkflowError} `RUN_UNKNOWN`. */
  events(runId: string, options?: FollowOptions): AsyncIterable<RunEvent>;
}

export interface ServedSpaceOptions {
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** @default () => false */
  readonly grantEgress?: GrantEgress | undefined;
}

export function createServedSpace(tenant: string, space: ServerSpace, options: ServedSpaceOptions): ServedSpace {
  const { clock, limits, grantEgress = () => false } = options;
  const { workflows } = space;
  const room = new TenantLimits(space, limits);
  const workflow = (asked: string): ServedWorkflow | undefined => itemAmong(asked, workflows, ({ id }) => id);
  return {
    ...space,
    tenant,
    clock,
    room,
    workflow,
    async start(asked) {
      const served = workflow(asked.workflow);
      if (!served) throw workflowUnknown(asked.workflow);
      const inThread = asked.threadId === undefined ? {} : { threadId: asked.threadId };
      const granted = await grantEgress({ tenant, workflow: served.workflow.id, ...inThread });
      return start(space, asked, served, { room, grantEgress: granted === true });
    },
    async fork(runId, options, idempotencyKey) {
      const fork = await named(space, idempotencyKey);
      const begin = (): Promise<void> => space.runtime.fork(runId, { ...options, runId: fork.runId }).then(() => {});
      await (fork.isNew ? room.starting(fork.runId, undefined, begin) : begin());
      return fork;
    },
    async *events(runId, options = {}) {
      for await (const { event } of followEvents({ ...space, clock }, runId, options)) yield event;
    },
  };
}

interface Admission {
  readonly room: TenantLimits;
  readonly grantEgress: boolean;
}

async function start(space: ServerSpace, asked: StartAsked, served: ServedWorkflow, { room, grantEgress }: Admission): Promise<StartedRun> {
  const { input, threadId, ifBusy, priority, limits, settings = {}, idempotencyKey } = asked;
  const { runtime, store } = space;
  if (!served.create && Object.keys(settings).length > 0) throw noSettings(served.id);
  checkServedInput(served, input);
  const { workflow, metadata } = (await served.create?.(settings)) ?? { workflow: served.workflow, metadata: undefined };
  const started = await named(space, idempotencyKey);
  const { runId, isNew } = started;
  const options = {
    runId,
    ...(threadId === undefined ? {} : { threadId }),
    ...(ifBusy === undefined ? {} : { ifBusy }),
    ...(priority === undefined ? {} : { priority }),
    ...(limits === undefined ? {} : { limits }),
    ...(grantEgress ? { grantEgress } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const begin = (): Promise<void> => stored(runtime.start(workflow, input, options), store);
  await (isNew ? room.starting(runId, threadId, begin) : begin());
  return started;
}

/** The id of a run that is about to be started, and whether there was none of its key before. */
async function named({ store }: ServerSpace, idempotencyKey: string | undefined): Promise<StartedRun> {
  if (idempotencyKey === undefined) return { runId: newId('r'), isNew: true };
  const runId = await runIdOf(idempotencyKey);
  return { runId, isNew: (await store.read(runId)) === undefined };
}

/** Settles when a run is in the store. @throws {WorkflowError} why it is not. */
async function stored(run: Run<unknown>, store: RunStore): Promise<void> {
  const events = run.events()[Symbol.asyncIterator]();
  const { done } = await events.next(); // it says nothing before the run was put into the store, or was not
  await events.return?.();
  if (!done && (await store.read(run.id))) return;
  const result = await run.result;
  throw result.status === 'failed' ? fromErrorInfo(result.error) : runUnknown(run.id);
}

/** Ids of runs are short, and what a client gives as a key may tell something. */
async function runIdOf(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)));
  return `r_${Array.from(digest.subarray(0, 20), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const workflowUnknown = (id: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `There is no workflow ${JSON.stringify(id.slice(0, 64))} here.`,
    hint: 'GET /api/workflows lists them.',
  });

const noSettings = (id: string): WorkflowError =>
  new WorkflowError({ code: 'OPTION_INVALID', message: `The workflow "${id}" takes no settings.`, hint: 'Leave settings out.' });
