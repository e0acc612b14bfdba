import { hasEnded, hasEndedForGood, type RunRecord } from '../../core/ports/run-store.ts';
import type { ObjectContext, UsedSdk } from './restate-sdk.ts';
import type { CommandOutcome, RunCommand } from './run-command.ts';
import type { ObjectNames } from './run-object.ts';
import type { RunObjectState, RunSnapshot, RunTape } from './run-tape.ts';
import type { LeftThread, ThreadAnswer, ThreadObjectState } from './thread-object.ts';

/** Calls from a run to its thread and to other runs. A run never waits for an object that may wait for it. */
export interface RelatedRuns {
  /** Acquires the thread of the run. With `cancel-and-replace`, the run that owns the thread is ended first. */
  acquireThread(context: ObjectContext, command: RunCommand, record: RunRecord | undefined): Promise<ThreadAnswer>;
  /** Releases the thread of a run that was suspended or never created, and notifies the next run. */
  releaseThread(context: ObjectContext, command: RunCommand, tape: RunTape): Promise<void>;
  /** Reads the source of a fork, and the earlier turns that it needs. */
  readSource(context: ObjectContext, runId: string): Promise<Pick<RunObjectState, 'others' | 'thread'>>;
  /** Sends a command to a run, after `delay` milliseconds. */
  sendCommand(context: ObjectContext, runId: string, command: RunCommand, delay?: number): void;
}

/** Calls to the objects of other runs and threads. */
interface Calls {
  ofRun<T>(context: ObjectContext, runId: string, method: string, parameter?: unknown): Promise<T>;
  ofThread<T>(context: ObjectContext, threadId: string, method: string, parameter?: unknown): Promise<T>;
  /** Calls a run without waiting for the result. */
  send(context: ObjectContext, runId: string, method: string, parameter: RunCommand, delay?: number): void;
}

/** Creates the calls for the objects with these names. */
export function relatedRuns<TService>(sdk: UsedSdk<TService>, names: ObjectNames): RelatedRuns {
  const calls = callsOf(sdk, names);
  return {
    async acquireThread(context, command, record) {
      if (command.type === 'start' && !record) return enter(calls, context, command);
      if (record?.threadId === undefined || command.type === 'cancel' || (command.type === 'start' && record.status !== 'running'))
        return {};
      return hasEndedForGood(record.status) ? {} : calls.ofThread(context, record.threadId, 'take', record);
    },
    async releaseThread(context, command, tape) {
      const record = tape.run?.record;
      const threadId = record ? record.threadId : command.type === 'start' ? command.options.threadId : undefined;
      if (threadId === undefined || record?.status === 'queued') return;
      const rest = record ? { isOver: hasEnded(record.status) } : { isOver: true, isUnmade: true };
      const left: LeftThread = { runId: context.key, thread: tape.thread, ...rest };
      const next = await calls.ofThread<string | null>(context, threadId, 'leave', left);
      if (next !== null) calls.send(context, next, 'go', { type: 'next' });
    },
    readSource: (context, runId) => readSource(calls, context, runId),
    sendCommand: (context, runId, command, delay) => calls.send(context, runId, 'go', command, delay),
  };
}

function callsOf<TService>({ serde }: UsedSdk<TService>, names: ObjectNames): Calls {
  const { json } = serde;
  const call = <T>(context: ObjectContext, service: string, key: string, method: string, parameter: unknown = null): Promise<T> =>
    context.genericCall<T>({ service, method, key, parameter, inputSerde: json, outputSerde: json });
  return {
    ofRun: (context, runId, method, parameter) => call(context, names.run, runId, method, parameter),
    ofThread: (context, threadId, method, parameter) => call(context, names.thread, threadId, method, parameter),
    send(context, key, method, parameter, delay) {
      context.genericSend({ service: names.run, method, key, parameter, inputSerde: json, ...(delay ? { delay } : {}) });
    },
  };
}

async function enter(calls: Calls, context: ObjectContext, start: RunCommand & { readonly type: 'start' }): Promise<ThreadAnswer> {
  const { threadId, ifBusy } = start.options;
  if (threadId === undefined) return {};
  const run = { id: context.key, workflow: start.workflow, threadId, ifBusy: ifBusy === 'queue' ? 'queue' : 'reject' };
  for (let ended: string | undefined; ; ) {
    const answer = await calls.ofThread<ThreadAnswer>(context, threadId, 'enter', run);
    if (ifBusy !== 'cancel-and-replace' || !('refused' in answer) || answer.refused.code !== 'THREAD_BUSY') return answer;
    const holder = answer.refused.data?.runId;
    if (typeof holder !== 'string' || holder === ended) return answer;
    await end(calls, context, holder);
    ended = holder;
  }
}

/** Ends a run, even while it is driven. A run that has ended or was never created needs no action. */
async function end(calls: Calls, context: ObjectContext, runId: string): Promise<void> {
  const cancel: RunCommand = { type: 'cancel', id: context.rand.uuidv4() };
  const outcome = calls.ofRun<CommandOutcome>(context, runId, 'go', cancel);
  calls.send(context, runId, 'hear', cancel);
  await outcome;
}

async function readSource(calls: Calls, context: ObjectContext, runId: string): Promise<Pick<RunObjectState, 'others' | 'thread'>> {
  const source = await read(calls, context, runId);
  if (!source) return {};
  const { threadId, threadRevision } = source.run.record;
  if (threadId === undefined || threadRevision === undefined) return { others: [source] };
  const { record, entered } = await calls.ofThread<ThreadObjectState>(context, threadId, 'read');
  const thread = { record };
  if (record?.revision === threadRevision) return { others: [source], thread };
  const others = [source]; // only the latest state of a thread is stored; an older one is rebuilt from the turns before it
  for (const id of entered) {
    if (id === runId) break;
    const other = await read(calls, context, id);
    if (other) others.push(other);
  }
  return { others, thread };
}

async function read(calls: Calls, context: ObjectContext, runId: string): Promise<RunSnapshot | null> {
  for (;;) {
    const found = await calls.ofRun<RunSnapshot | null>(context, runId, 'read');
    // the run may have written between the reads of its head and its entries
    if (!found || found.run.record.status === 'running' || found.run.record.seq === found.entries.length) return found;
  }
}
