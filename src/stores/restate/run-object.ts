import { toErrorInfo } from '../../core/errors/errors.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RunRecord } from '../../core/ports/run-store.ts';
import { idAmong } from '../../core/util/id-among.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { assertRemovable } from '../../engine/store/assert-removable.ts';
import { type CarryOutOptions, carryOut, type Drive } from './carry-out.ts';
import { relatedRuns } from './related-runs.ts';
import type { ObjectContext, RecordedPromise, SharedContext, UsedSdk } from './restate-sdk.ts';
import type { CommandOutcome, LiveCommand, Removal, RunCommand } from './run-command.ts';
import { type RunObjectState, type RunSnapshot, RunTape, type TapeStep } from './run-tape.ts';

/** Names of the objects in Restate. */
export interface ObjectNames {
  readonly run: string;
  readonly thread: string;
}

/** Stored head of a run. Its entries are stored separately, in `chunks` chunks. */
interface Head {
  readonly run: StoredRun;
  readonly chunks: number;
}

type TapeItem = { readonly step: TapeStep } | { readonly rest: CommandOutcome };

/** More chunks than `maxChunks` are joined on the next command, into chunks of up to `chunkLength` characters. */
const maxChunks = 32;
const chunkLength = 500_000;
/**
 * A command is sent to a driven run up to `maxTried` times, which takes about an hour. `maxTold` exceeds the number of commands in transit.
 */
const maxTried = 1_000;
const maxKnownCommands = 64;
const redeliveryPolicy = { firstDelayMs: 50, longestDelayMs: 5_000 };

/** Object of runs. One invocation at a time drives a run; Restate retries it if its worker dies. */
export function runObject<TService>(sdk: UsedSdk<TService>, names: ObjectNames, options: object, drive: CarryOutOptions): TService {
  const { acquireThread, releaseThread, readSource, sendCommand } = relatedRuns(sdk, names);

  /** Schedules a call to the run when its timer expires, once per time. */
  const setTimer = async (context: ObjectContext, record: RunRecord | undefined, before: number | null): Promise<void> => {
    const at = record?.status === 'waiting' ? record.wakeAt : undefined;
    if (at === undefined && before !== null) context.clear('wake');
    if (at === undefined || at === before) return;
    const delay = await context.run('delay', () => Math.max(1, at - Date.now()));
    sendCommand(context, context.key, { type: 'wake', at }, delay);
    context.set('wake', at);
  };

  const known = (drive.workflows ?? []).map(({ id }) => id);

  const go = async (context: ObjectContext, asked: RunCommand): Promise<CommandOutcome | null> => {
    // the thread is asked before the runtime, and stores the id of the workflow
    const command = asked.type === 'start' ? { ...asked, workflow: idAmong(asked.workflow, known) ?? asked.workflow } : asked;
    if ('id' in command) await recordCommand(context, command.id);
    const { head, ...kept } = await load(context);
    const chunks = head ? joinChunks(context, head, kept.entries) : 0;
    const record = kept.run?.record;
    const wake = await context.get<number>('wake');
    if (command.type === 'wake' && record?.wakeAt !== command.at) return null;
    const thread = await acquireThread(context, command, record);
    if ('refused' in thread) {
      return command.type === 'start' ? { result: { status: 'failed', error: thread.refused, resumable: true } } : thread;
    }
    const found = { record: thread.thread, firstQueued: thread.before };
    const seen = command.type === 'fork' ? await readSource(context, command.of) : {};
    const tape = new RunTape({ ...kept, thread: found, ...seen });
    const outcome = await drivenBy(context, sdk, tape, chunks, (wasBegun) => carryOut(tape, context.key, command, wasBegun, drive));
    await releaseThread(context, command, tape);
    await setTimer(context, tape.run?.record, wake);
    return outcome;
  };

  /** Sends a command to the run repeatedly, while no drive or another one listens, until the command gets its turn. */
  const hear = async (context: SharedContext, { tried = 0, ...command }: LiveCommand & { readonly tried?: number }): Promise<void> => {
    const inbox = await context.get<string>('inbox');
    // read after `inbox`, because the current listener may belong to a drive after the command
    if ((await knownCommands(context)).includes(command.id) || tried > maxTried) return;
    if (inbox !== null) context.resolveAwakeable(inbox, command);
    const parameter = { ...command, tried: tried + 1 };
    const delay = growingDelay(tried + 1, redeliveryPolicy);
    context.genericSend({ service: names.run, method: 'hear', key: context.key, parameter, inputSerde: sdk.serde.json, delay });
  };

  return sdk.object({
    name: names.run,
    options,
    handlers: {
      go,
      /** Delivers a queued command to the current drive, so that a cancel does not wait for the run that it ends. */
      hear: sdk.handlers.object.shared(hear),
      remove: async (context: ObjectContext): Promise<Removal> => {
        const { head } = await load(context);
        try {
          assertRemovable({ runId: context.key }, head ? [head.run.record] : []);
        } catch (cause) {
          return { refused: toErrorInfo(cause) };
        }
        await forget(context);
        return { removed: [context.key] };
      },
      /** Removes the run with its thread. The thread and the caller both send this; the id protects a later run with the same run id. */
      forget: async (context: ObjectContext, id: string): Promise<void> => {
        if ((await knownCommands(context)).includes(id)) return;
        await forget(context);
        await recordCommand(context, id);
      },
      read: sdk.handlers.object.shared(async (context: SharedContext): Promise<RunSnapshot | null> => {
        const { run, entries, structures } = await load(context);
        return run ? { run, entries, structure: structures[run.record.structure] ?? null } : null;
      }),
    },
  });
}

/** Drives the run of a tape and stores its writes in Restate, until the run is suspended or ends. */
async function drivenBy<TService>(
  context: ObjectContext,
  { RestatePromise }: UsedSdk<TService>,
  tape: RunTape,
  keptChunks: number,
  begin: (wasBegun: boolean) => Drive,
): Promise<CommandOutcome> {
  let chunks = keptChunks;
  let steps = 0;
  let drive: Drive | undefined;
  const heard: LiveCommand[] = [];
  context.request().attemptCompletedSignal.addEventListener('abort', () => drive?.leave(), { once: true });
  // called only after all steps of earlier attempts were replayed
  const take = (): Promise<TapeItem> => {
    if (!drive) {
      drive = begin(steps > 0);
      for (const command of heard) drive.hear(command);
    }
    return tape.take(drive.outcome);
  };
  const next = (): RecordedPromise<{ taken: TapeItem } | { heard: LiveCommand }> =>
    context.run('keep', take).map((taken, failure) => ({ taken: unwrap(taken, failure) }));
  const listen = (): RecordedPromise<{ taken: TapeItem } | { heard: LiveCommand }> => {
    const { id, promise } = context.awakeable<LiveCommand>();
    context.set('inbox', id);
    return promise.map((command, failure) => ({ heard: unwrap(command, failure) }));
  };
  let inbox = listen();
  let step = next();
  for (;;) {
    const got = await RestatePromise.race([step, inbox]);
    if ('heard' in got) {
      heard.push(got.heard);
      drive?.hear(got.heard);
      await recordCommand(context, got.heard.id);
      inbox = listen();
      continue;
    }
    const { taken } = got;
    if ('rest' in taken) {
      context.clear('inbox');
      return taken.rest;
    }
    const { run, entries, structures } = taken.step;
    if (entries.length > 0) context.set(`entries ${++chunks}`, entries);
    for (const [hash, structure] of Object.entries(structures)) context.set(`structure ${hash}`, structure);
    if (run) context.set('head', { run, chunks } satisfies Head);
    tape.keep(taken.step);
    steps++;
    step = next();
  }
}

const knownCommands = async (context: SharedContext): Promise<readonly string[]> => (await context.get<string[]>('told')) ?? [];

/** Records a command that the run has heard or carried out. */
async function recordCommand(context: ObjectContext, id: string): Promise<void> {
  const told = await knownCommands(context);
  if (!told.includes(id)) context.set('told', [...told, id].slice(-maxKnownCommands));
}

/** Keeps the ids of heard commands, so that commands in transit do not reach a later run with the same id. */
async function forget(context: ObjectContext): Promise<void> {
  const told = await knownCommands(context);
  context.clearAll();
  if (told.length > 0) context.set('told', told);
}

function unwrap<T>(value: T | undefined, failure: Error | undefined): T {
  if (failure) throw failure;
  return value as T;
}

async function load(context: SharedContext): Promise<RunObjectState & { readonly head?: Head }> {
  const head = await context.get<Head>('head');
  if (!head) return { entries: [], structures: {} };
  const entries: JournalEntry[] = [];
  for (let chunk = 1; chunk <= head.chunks; chunk++) entries.push(...((await context.get<JournalEntry[]>(`entries ${chunk}`)) ?? []));
  const { structure } = head.run.record;
  const known = await context.get<JsonObject>(`structure ${structure}`);
  return { head, run: head.run, entries, structures: known ? { [structure]: known } : {} };
}

/** Joins many small chunks into a few large ones, because each takes a separate read. */
function joinChunks(context: ObjectContext, { run, chunks }: Head, entries: readonly JournalEntry[]): number {
  if (chunks <= maxChunks) return chunks;
  const joined: JournalEntry[][] = [];
  let length = chunkLength;
  for (const entry of entries) {
    const own = JSON.stringify(entry).length;
    if (length + own > chunkLength) {
      joined.push([]);
      length = 0;
    }
    joined.at(-1)?.push(entry);
    length += own;
  }
  if (2 * joined.length > chunks) return chunks;
  for (const [index, chunk] of joined.entries()) context.set(`entries ${index + 1}`, chunk);
  for (let chunk = joined.length + 1; chunk <= chunks; chunk++) context.clear(`entries ${chunk}`);
  context.set('head', { run, chunks: joined.length } satisfies Head);
  return joined.length;
}
