import {
  createRuntime,
  type HumanEvent,
  type JournalEntry,
  type Json,
  type JsonObject,
  memoryStore,
  type RunRecord,
  type RunStore,
  toErrorInfo,
} from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { corpusWorkflows } from './workflows.ts';

/** A run as a version of the package has left it: a file of the corpus. */
export interface CorpusRun {
  /** Version of the package. */
  readonly package: string;
  /** Name of its workflow in `workflows.ts`. */
  readonly workflow: string;
  /** Runs that come before it in its thread, and the run itself as the last one. */
  readonly runs: readonly { readonly record: RunRecord; readonly entries: readonly JournalEntry[]; readonly threadState?: Json }[];
  readonly structures: Readonly<Record<string, JsonObject>>;
  /** What a human says, in this order. */
  readonly answers: readonly HumanEvent[];
  /** How it has ended in the version that has written it. */
  readonly end: CorpusEnd;
}

/** How a run ends: in which state and with which output, or the code by which it is refused. */
export type CorpusEnd = { readonly finalState: string; readonly output: Json } | { readonly refused: string } | { readonly failed: string };

const owner = { owner: 'o_corpus', leaseMs: 1_000, monotonic: 0 };

/** A store that holds what a file of the corpus says. */
export async function storeOf({ runs, structures }: CorpusRun): Promise<RunStore> {
  const store = memoryStore();
  for (const [hash, structure] of Object.entries(structures)) await store.saveStructure(hash, structure);
  for (const { record, entries, threadState } of runs) {
    const { id, workflow, version, structure, threadId, status, activeMs, wakeAt, failure, startedAt } = record;
    const [first, ...rest] = entries;
    if (!first) throw new Error(`The run ${id} has no journal.`);
    const thread = threadId === undefined ? {} : { threadId };
    const { lease } = await store.create({ id, workflow, version, structure, ...thread, ifBusy: 'reject' }, [first, ...rest], {
      ...owner,
      now: startedAt,
    });
    if (status === 'running' || status === 'queued') continue;
    await store.settle(lease, {
      status,
      activeMs,
      ...(wakeAt === undefined ? {} : { wakeAt }),
      ...(failure === undefined ? {} : { failure }),
      ...(threadState === undefined ? {} : { threadState }),
    });
  }
  return store;
}

/** Brings the run to its end with the code as it is. */
export async function endOf(file: CorpusRun): Promise<CorpusEnd> {
  const store = await storeOf(file);
  const made = corpusWorkflows[file.workflow];
  const last = file.runs.at(-1)?.record;
  if (!made || !last) throw new Error(`There is no workflow "${file.workflow}".`);
  const clock = fakeClock(last.updatedAt + 1_000);
  const runtime = createRuntime({ store, clock, workflows: [made()] });
  const answers = [...file.answers];
  try {
    let result = await (await runtime.resume(last.id, { force: true })).result;
    for (;;) {
      if (result.status === 'in_doubt') {
        const [call] = result.calls;
        result = await (await runtime.resolve(last.id, call?.callId ?? '', { as: 'done', output: 'paid' })).result;
      } else if (result.status === 'waiting' && result.interrupt && answers.length > 0) {
        const { interrupts } = result;
        const event = answers.shift() ?? { type: '' };
        const { id = '' } = interrupts.find(({ accepts }) => accepts.includes(event.type)) ?? {};
        result = await (await runtime.send(last.id, event, { interruptId: id })).result;
      } else if (result.status === 'waiting' && result.wakeAt !== undefined) {
        await clock.advance(Math.max(0, result.wakeAt - clock.now()) + 1);
        result = await (await runtime.resume(last.id)).result;
      } else break;
    }
    if (result.status === 'done') return { finalState: result.finalState, output: result.output as Json };
    return { failed: result.status === 'failed' ? result.error.code : result.status };
  } catch (cause) {
    return { refused: toErrorInfo(cause).code };
  } finally {
    await runtime.close();
  }
}
