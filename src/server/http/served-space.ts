import { fromErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { LongTermMemory } from '../../core/ports/long-term-memory.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { Awaitable, RemovedPlace, RunStore } from '../../core/ports/run-store.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { itemAmong } from '../../core/util/id-among.ts';
import { newId } from '../../core/util/ids.ts';
import { mapSource, type PushedIterable, readSource } from '../../core/util/source.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { Run } from '../../engine/drive/run.ts';
import type { Limits } from '../../engine/journal/limits.ts';
import { runtimeFor } from '../../engine/run/create-runtime.ts';
import type { ForkOptions, RunInfo, Runtime } from '../../engine/run/runtime.ts';
import { runUnknown } from '../../engine/store/store-errors.ts';
import type { ModelInfo, RemovedRuns } from '../api/calls.ts';
import { checkServedInput } from './check-served-input.ts';
import type { DocumentShelf } from './document-library.ts';
import type { EvalShelf } from './eval-shelf.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import { runIdOfKey } from './idempotency-key.ts';
import { removeRuns } from './remove-runs.ts';
import { requestActor } from './request-actor.ts';
import type { ServedWorkflow } from './served-workflow.ts';
import type { ServerLimits } from './server-limits.ts';
import { TenantLimits } from './tenant-limits.ts';
import { withSettings } from './with-settings.ts';

/** Resources of the server for one tenant. */
export interface ServerSpace {
  /** Starts and resumes the runs. The caller closes it. */
  readonly runtime: Runtime;
  /** The runtime's store. The caller closes it. */
  readonly store: RunStore;
  readonly workflows: readonly ServedWorkflow[];
  /** Workflow of a stored run, if it depends on more than the run's id and structure. Default: the matching one of `workflows`. */
  readonly workflowOf?: (run: RunInfo) => Awaitable<AnyWorkflow | undefined>;
  /** Documents of the clients. Default: uploads are not available. */
  readonly documents?: DocumentShelf;
  /** Reports of evals. Default: none are shown. */
  readonly evals?: EvalShelf;
  /** Memories about users. Default: none. */
  readonly memories?: () => Awaitable<LongTermMemory>;
  /** All tools, including unavailable ones. Default: none. */
  readonly tools?: () => Awaitable<readonly Tool[]>;
  /** The model in use. Default: the models that the workflows name. */
  readonly model?: () => Awaitable<ModelInfo>;
}

export interface StartRequest {
  readonly workflow: string;
  readonly input: Json;
  readonly threadId?: string | undefined;
  /** Run of the thread that this one begins after, see `StartOptions`. */
  readonly after?: string | null | undefined;
  readonly ifBusy?: 'reject' | 'queue' | 'cancel-and-replace' | undefined;
  readonly priority?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly settings?: JsonObject | undefined;
  /** A repeated key returns the same run. */
  readonly idempotencyKey?: string | undefined;
}

/** Facts about a start, for the decision whether its tools may send data out. */
export interface EgressRequest {
  readonly tenant: string;
  /** Name of the workflow in the run's record. */
  readonly workflow: string;
  readonly threadId?: string;
}

export type GrantEgress = (start: EgressRequest) => Awaitable<boolean>;

interface StartedRun {
  readonly runId: string;
  /** True when the run did not exist before. */
  readonly isNew: boolean;
}

/** One tenant's part of the server, for the routes and the protocols. */
export interface ServedSpace extends ServerSpace {
  readonly tenant: string;
  readonly clock: Clock;
  /**
   * The same space for the requests of one actor, see `Runtime.as`. Texts that the actor lacks are those of the request that is being
   * answered.
   */
  as(actor: Actor): ServedSpace;
  /** Limits on what the tenant may do at the same time. */
  readonly room: Pick<TenantLimits, 'starting' | 'adding'>;
  /** Finds a workflow by its id, with `-` or `_` between words: `plan-execute`, `plan_execute`. */
  workflow(id: string): ServedWorkflow | undefined;
  /**
   * Starts a run. The run is in the store when this settles.
   * @throws {WorkflowError} `WORKFLOW_UNKNOWN`, `THREAD_BUSY`, `TOO_MANY_RUNS`, `TOO_MANY_THREADS`; `RUN_EXISTS` for a key that another
   * start has used; and the errors of a start.
   */
  start(request: StartRequest): Promise<StartedRun>;
  /**
   * Forks a run. The fork is in the store when this settles.
   * @throws {WorkflowError} `TOO_MANY_RUNS`; `RUN_EXISTS` for a key that was used for something else; and the errors of a fork.
   */
  fork(runId: string, options: Omit<ForkOptions, 'runId'>, idempotencyKey?: string): Promise<StartedRun>;
  /**
   * Removes a run or a conversation for good, and the user memories that only these runs recorded.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`, `RUN_BUSY`, `RUN_IN_THREAD`.
   */
  remove(place: RemovedPlace): Promise<RemovedRuns>;
  /** Events of a run until it rests, whichever process drives it. @throws {WorkflowError} `RUN_UNKNOWN`. */
  events(runId: string, options?: FollowOptions): PushedIterable<RunEvent>;
}

export interface ServedSpaceOptions {
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** @default () => false */
  readonly grantEgress?: GrantEgress | undefined;
}

export const createServedSpace = (tenant: string, space: ServerSpace, options: ServedSpaceOptions): ServedSpace =>
  spaceIn(new TenantLimits(space, options.limits), tenant, space, options);

/** @param actor Recorded with each action. Absent: nothing is recorded. */
function spaceIn(room: TenantLimits, tenant: string, given: ServerSpace, options: ServedSpaceOptions, actor?: () => Actor): ServedSpace {
  const space = actor ? { ...given, runtime: runtimeFor(given.runtime, actor) } : given;
  const { clock, grantEgress = () => false } = options;
  const { workflows } = space;
  const workflow = (name: string): ServedWorkflow | undefined => itemAmong(name, workflows, ({ id }) => id);
  return {
    ...space,
    tenant,
    clock,
    room,
    workflow,
    as: (by) => spaceIn(room, tenant, given, options, () => ({ ...requestActor(), ...by })),
    async start(request) {
      const served = workflow(request.workflow);
      if (!served) throw workflowUnknown(request.workflow);
      const inThread = request.threadId === undefined ? {} : { threadId: request.threadId };
      const granted = await grantEgress({ tenant, workflow: served.workflow.id, ...inThread });
      return start(space, request, served, { room, grantEgress: granted === true });
    },
    async fork(runId, options, idempotencyKey) {
      const fork = await newRun(space, idempotencyKey);
      const begin = (): Promise<void> => space.runtime.fork(runId, { ...options, runId: fork.runId }).then(() => {});
      await (fork.isNew ? room.starting(fork.runId, undefined, begin) : begin());
      return fork;
    },
    remove: (place) => removeRuns({ ...space, clock, ...(actor ? { actor: actor() } : {}) }, place),
    events(runId, options = {}) {
      const { subscribe } = mapSource(followEvents({ ...space, clock }, runId, options), ({ event }) => [event]);
      return { subscribe, [Symbol.asyncIterator]: () => readSource({ subscribe }) };
    },
  };
}

interface Admission {
  readonly room: TenantLimits;
  readonly grantEgress: boolean;
}

async function start(
  space: ServerSpace,
  request: StartRequest,
  served: ServedWorkflow,
  { room, grantEgress }: Admission,
): Promise<StartedRun> {
  const { input, threadId, after, ifBusy, priority, limits, settings = {}, idempotencyKey } = request;
  const { runtime, store } = space;
  checkServedInput(served, input);
  const { workflow, metadata } = await withSettings(served, settings);
  const started = await newRun(space, idempotencyKey);
  const { runId, isNew } = started;
  const options = {
    runId,
    ...(threadId === undefined ? {} : { threadId }),
    ...(after === undefined ? {} : { after }),
    ...(ifBusy === undefined ? {} : { ifBusy }),
    ...(priority === undefined ? {} : { priority }),
    ...(limits === undefined ? {} : { limits }),
    ...(grantEgress ? { grantEgress } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const begin = (): Promise<void> => untilStored(runtime.start(workflow, input, options), store);
  await (isNew ? room.starting(runId, threadId, begin) : begin());
  return started;
}

/** Id for a run about to start. `isNew` is true when no run with its key exists. */
async function newRun({ store }: ServerSpace, idempotencyKey: string | undefined): Promise<StartedRun> {
  if (idempotencyKey === undefined) return { runId: newId('r'), isNew: true };
  const runId = await runIdOfKey(idempotencyKey);
  return { runId, isNew: (await store.read(runId)) === undefined };
}

/** Settles when a run is in the store. @throws {WorkflowError} the reason why it is not. */
async function untilStored(run: Run<unknown>, store: RunStore): Promise<void> {
  const events = run.events()[Symbol.asyncIterator]();
  const { done } = await events.next(); // the first event, or the end, comes only after the attempt to store the run
  await events.return?.();
  if (!done && (await store.read(run.id))) return;
  const result = await run.result;
  throw result.status === 'failed' ? fromErrorInfo(result.error) : runUnknown(run.id);
}

export const workflowUnknown = (id: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_UNKNOWN',
    message: `There is no workflow ${JSON.stringify(id.slice(0, 64))} here.`,
    hint: 'List them with GET /api/workflows.',
  });
