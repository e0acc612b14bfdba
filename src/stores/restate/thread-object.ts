import { toErrorInfo } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { NewRun, RunRecord, ThreadRecord } from '../../core/ports/run-store.ts';
import { runGoesOn } from '../../engine/store/assert-removable.ts';
import { threadUnknown } from '../../engine/store/store-errors.ts';
import { joinThread, takeThread } from '../../engine/store/thread-rules.ts';
import type { ObjectContext, SharedContext, UsedSdk } from './restate-sdk.ts';
import type { Removal } from './run-command.ts';
import type { ObjectNames } from './run-object.ts';

/** Thread with its queue, in order, and all runs that ever entered it, oldest first. */
export interface ThreadObjectState {
  readonly record?: ThreadRecord;
  readonly queue: readonly string[];
  readonly entered: readonly string[];
  /** Run that currently drives the thread. */
  readonly driven?: string;
}

/** Answer of a thread to a run. `before` is the run that it has to wait for. */
export type ThreadAnswer = { readonly thread?: ThreadRecord; readonly before?: string } | { readonly refused: ErrorInfo };

/** State of a thread as a suspended or ended run reports it. */
export interface LeftThread {
  readonly runId: string;
  /** Thread after the run. */
  readonly thread?: ThreadRecord | undefined;
  readonly isOver: boolean;
  /** True if the run was never created, because its start was rejected. */
  readonly isUnmade?: boolean;
}

const load = async (context: SharedContext): Promise<ThreadObjectState> => {
  const record = await context.get<ThreadRecord>('thread');
  const driven = await context.get<string>('driven');
  const list = async (name: string): Promise<string[]> => (await context.get<string[]>(name)) ?? [];
  return {
    ...(record ? { record } : {}),
    ...(driven === null ? {} : { driven }),
    queue: await list('queue'),
    entered: await list('entered'),
  };
};

const answer = (work: () => ThreadAnswer): ThreadAnswer => {
  try {
    return work();
  } catch (cause) {
    return { refused: toErrorInfo(cause) };
  }
};

const withRecord = (record: ThreadRecord | undefined): { readonly thread?: ThreadRecord } => (record ? { thread: record } : {});

/** Object of threads: ownership and queue. Runs call their thread, never the reverse, which prevents deadlocks. */
export const threadObject = <TService>(sdk: UsedSdk<TService>, names: ObjectNames, options: object): TService =>
  sdk.object({
    name: names.thread,
    options,
    handlers: {
      /** Enters a new run. Repeated calls give the same answer. */
      enter: async (context: ObjectContext, run: NewRun): Promise<ThreadAnswer> => {
        const { record, queue, entered } = await load(context);
        if (record?.activeRun === run.id) return { thread: withoutOwner(record) };
        return answer(() => {
          const before = queue.includes(run.id) ? undefined : queue[0];
          const joined = joinThread(run, context.key, { record, firstQueued: before });
          if (!entered.includes(run.id)) context.set('entered', [...entered, run.id]);
          if (joined.activeRun === run.id) {
            context.set('thread', joined);
            context.set('driven', run.id);
            return withRecord(record);
          }
          if (!queue.includes(run.id)) context.set('queue', [...queue, run.id]);
          return { ...withRecord(record), before: record?.activeRun ?? queue[0] ?? '' };
        });
      },
      /** Gives the thread to an existing run. */
      take: async (context: ObjectContext, run: RunRecord): Promise<ThreadAnswer> => {
        const { record, queue } = await load(context);
        return answer(() => {
          const taken = takeThread(run, { record, firstQueued: queue[0] });
          if (!taken) return {};
          context.set('driven', run.id);
          if (taken !== record) context.set('thread', taken);
          if (queue.includes(run.id))
            saveQueue(
              context,
              queue.filter((id) => id !== run.id),
            );
          return { thread: taken };
        });
      },
      leave,
      name: async (context: ObjectContext, { title }: { readonly title?: string }): Promise<boolean> => {
        const { record } = await load(context);
        if (!record) return false;
        const { title: _, ...unnamed } = record;
        context.set('thread', { ...unnamed, ...(title === undefined ? {} : { title }) });
        return true;
      },
      remove: (context: ObjectContext): Promise<Removal> =>
        remove(context, (key, id) =>
          context.genericSend({ service: names.run, method: 'forget', key, parameter: id, inputSerde: sdk.serde.json }),
        ),
      read: sdk.handlers.object.shared(async (context: SharedContext): Promise<ThreadObjectState> => load(context)),
    },
  });

/** Releases the thread of a suspended or ended run. Returns the next run to own the thread, if any. */
async function leave(context: ObjectContext, { runId, thread, isOver, isUnmade }: LeftThread): Promise<string | null> {
  const { record, queue, entered, driven } = await load(context);
  if (driven === runId) context.clear('driven');
  if (isUnmade)
    context.set(
      'entered',
      entered.filter((id) => id !== runId),
    );
  const waiting = isOver ? queue.filter((id) => id !== runId) : queue;
  if (record?.activeRun !== runId) {
    if (waiting.length < queue.length) saveQueue(context, waiting);
    return null;
  }
  const { activeRun: _, ...left } = { ...(thread ?? record), ...titleOf(record) };
  const [next, ...others] = isOver ? waiting : [];
  if (isUnmade && entered.every((id) => id === runId)) {
    context.clearAll(); // the thread was created for this run only
    return null;
  }
  const owner = isOver ? next : runId;
  context.set('thread', { ...left, ...(owner === undefined ? {} : { activeRun: owner }) });
  if (next !== undefined) saveQueue(context, others);
  return next ?? null;
}

/** Removes the thread with all its runs, unless a run is driven or queued. */
async function remove(context: ObjectContext, forget: (runId: string, id: string) => void): Promise<Removal> {
  const { record, queue, entered, driven } = await load(context);
  const busy = driven ?? queue[0];
  if (busy !== undefined) return { refused: toErrorInfo(runGoesOn(busy)) };
  if (!record) return { refused: toErrorInfo(threadUnknown(context.key)) };
  context.clearAll();
  const id = context.rand.uuidv4();
  for (const runId of entered) forget(runId, id);
  return { removed: entered, id };
}

const saveQueue = (context: ObjectContext, queue: readonly string[]): void => {
  if (queue.length > 0) context.set('queue', queue);
  else context.clear('queue');
};

const withoutOwner = ({ activeRun: _, ...thread }: ThreadRecord): ThreadRecord => thread;

/** Keeps the stored title, because a user may have renamed the thread meanwhile. */
const titleOf = ({ title }: ThreadRecord): { readonly title?: string } => (title === undefined ? {} : { title });
