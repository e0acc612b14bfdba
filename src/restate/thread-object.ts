import { toErrorInfo } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { NewRun, RunRecord, ThreadRecord } from '../ports/run-store.ts';
import { joinThread, takeThread } from '../stores/thread-rules.ts';
import type { ObjectContext, SharedContext, UsedSdk } from './restate-sdk.ts';

/** A thread, and the runs that wait for it, in their order. */
interface KeptThread {
  readonly record?: ThreadRecord;
  readonly queue: readonly string[];
}

/** What a run is told of its thread. `before` is the run that it waits for. */
export type ThreadAnswer = { readonly thread?: ThreadRecord; readonly before?: string } | { readonly refused: ErrorInfo };

/** What a run says of its thread when it rests. */
export interface LeftThread {
  readonly runId: string;
  /** As the run has left it. */
  readonly thread?: ThreadRecord | undefined;
  readonly isOver: boolean;
}

const load = async (context: SharedContext): Promise<KeptThread> => {
  const record = await context.get<ThreadRecord>('thread');
  return { ...(record ? { record } : {}), queue: (await context.get<string[]>('queue')) ?? [] };
};

const answer = (work: () => ThreadAnswer): ThreadAnswer => {
  try {
    return work();
  } catch (cause) {
    return { refused: toErrorInfo(cause) };
  }
};

const withRecord = (record: ThreadRecord | undefined): { readonly thread?: ThreadRecord } => (record ? { thread: record } : {});

/** Threads: who owns them, and who waits. A run asks its thread, never the other way, so that none waits for the other. */
export const threadObject = <TService>(sdk: UsedSdk<TService>, name: string, options: object): TService =>
  sdk.object({
    name,
    options,
    handlers: {
      /** A new run comes. Asked again, it is told the same. */
      enter: async (context: ObjectContext, run: NewRun): Promise<ThreadAnswer> => {
        const { record, queue } = await load(context);
        if (record?.activeRun === run.id) return { thread: withoutOwner(record) };
        return answer(() => {
          const before = queue.includes(run.id) ? undefined : queue[0];
          const joined = joinThread(run, context.key, { record, firstQueued: before });
          if (joined.activeRun === run.id) {
            context.set('thread', joined);
            return withRecord(record);
          }
          if (!queue.includes(run.id)) context.set('queue', [...queue, run.id]);
          return { ...withRecord(record), before: record?.activeRun ?? queue[0] ?? '' };
        });
      },
      /** A run that was there before goes on. */
      take: async (context: ObjectContext, run: RunRecord): Promise<ThreadAnswer> => {
        const { record, queue } = await load(context);
        return answer(() => {
          const taken = takeThread(run, { record, firstQueued: queue[0] });
          if (!taken) return {};
          if (taken !== record) context.set('thread', taken);
          if (queue.includes(run.id))
            keepQueue(
              context,
              queue.filter((id) => id !== run.id),
            );
          return { thread: taken };
        });
      },
      /** A run rests. Returns the one that owns the thread from now on. */
      leave: async (context: ObjectContext, { runId, thread, isOver }: LeftThread): Promise<string | null> => {
        const { record, queue } = await load(context);
        const waiting = isOver ? queue.filter((id) => id !== runId) : queue;
        if (record?.activeRun !== runId) {
          if (waiting.length < queue.length) keepQueue(context, waiting);
          return null;
        }
        const { activeRun: _, ...left } = { ...(thread ?? record), ...titleOf(record) };
        const [next, ...others] = isOver ? waiting : [];
        const owner = isOver ? next : runId;
        context.set('thread', { ...left, ...(owner === undefined ? {} : { activeRun: owner }) });
        if (next !== undefined) keepQueue(context, others);
        return next ?? null;
      },
      name: async (context: ObjectContext, { title }: { readonly title?: string }): Promise<boolean> => {
        const { record } = await load(context);
        if (!record) return false;
        const { title: _, ...unnamed } = record;
        context.set('thread', { ...unnamed, ...(title === undefined ? {} : { title }) });
        return true;
      },
      read: sdk.handlers.object.shared(async (context: SharedContext): Promise<KeptThread> => load(context)),
    },
  });

const keepQueue = (context: ObjectContext, queue: readonly string[]): void => {
  if (queue.length > 0) context.set('queue', queue);
  else context.clear('queue');
};

const withoutOwner = ({ activeRun: _, ...thread }: ThreadRecord): ThreadRecord => thread;

/** Its user may have named it meanwhile. */
const titleOf = ({ title }: ThreadRecord): { readonly title?: string } => (title === undefined ? {} : { title });
