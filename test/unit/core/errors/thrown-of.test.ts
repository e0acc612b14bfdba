import { readdirSync, readFileSync } from 'node:fs';
import {
  createRuntime,
  memoryStore,
  type RunEvent,
  type RunResult,
  type RunStore,
  subWorkflow,
  thrownOf,
  toErrorInfo,
  withAttempts,
} from 'agent-machines';
import { createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { exportRun } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { failure, final, type LogHandler, type LogState, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

/** Named, so that its name is in the stack and in nothing else. */
function throwFromOwnFrame(): never {
  throw boom;
}
const boom = new TypeError('no seat left', { cause: new Error('the hall is closed') });
const ownFrame = 'thrown-of.test.ts';

const failing = (work: LogHandler) =>
  logWorkflow({ states: { a: node('a', 'done', 'failed'), done: final, failed: failure }, nodes: { a: work } });
const throwing = failing(async () => throwFromOwnFrame());

const handlers: readonly (readonly [string, LogHandler, string | undefined])[] = [
  ['a handler', async () => throwFromOwnFrame(), undefined],
  ['a step', async (_, io) => io.step('book', async () => throwFromOwnFrame()), 'book'],
  [
    'one of two simultaneous steps',
    async (_, io) => (await Promise.all([io.step('wait', async () => ({})), io.step('book', async () => throwFromOwnFrame())]))[0],
    'book',
  ],
  [
    'a step that is not awaited',
    async (_, io) => {
      void io.step('book', async () => throwFromOwnFrame());
      return {};
    },
    'book',
  ],
  [
    'the last of two attempts',
    withAttempts(async () => throwFromOwnFrame(), { retry: { attempts: 2, firstDelayMs: 1, retryable: () => true } }),
    undefined,
  ],
];

async function play(
  work: LogHandler,
  store: RunStore = memoryStore(),
): Promise<{ readonly id: string; readonly result: RunResult<unknown>; readonly events: readonly RunEvent[] }> {
  const run = createRuntime({ store }).start(failing(work), {});
  const events: RunEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return { id: run.id, result: await run.result, events };
}

const errorOf = (result: RunResult<unknown>) => {
  if (result.status === 'failed') return result.error;
  throw new Error(result.status);
};

describe('thrownOf', () => {
  it.each(handlers)('returns the error that %s has thrown, from the result and from the live event', async (_, work, step) => {
    const { result, events } = await play(work);
    const error = errorOf(result);
    expect(error).toMatchObject({
      code: 'NODE_FAILED',
      name: 'TypeError',
      message: 'no seat left',
      data: { node: 'a', ...(step ? { step } : {}) },
    });
    expect(thrownOf(error)).toBe(boom);
    const ends = events.flatMap((event) => (event.type === 'node-end' && event.error ? [event.error] : []));
    expect(ends.map(thrownOf)).toEqual([boom]);
  });

  it('returns the error of a workflow inside a node', async () => {
    const inner = subWorkflow<LogState, object, LogState, string>(throwing, {
      toInput: () => ({}),
      toPatch: ({ failure: failed }): { readonly log: readonly string[] } => ({ log: [failed ? String(thrownOf(failed) === boom) : ''] }),
    });
    const run = createRuntime().start(failing(inner), {});
    expect(await run.result).toMatchObject({ status: 'done', output: expect.stringContaining('true') });
  });

  it('returns the error of a run that the host ends', async () => {
    const lost = new RangeError('the disk is gone');
    const store = memoryStore();
    const run = createRuntime({
      store: { ...store, append: () => Promise.reject(lost), begin: () => Promise.reject(lost) } as RunStore,
    }).start(throwing, {});
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed' });
    expect(thrownOf(errorOf(result))).toBeDefined();
  });

  it('returns undefined for a copy and for a run that is read from a store', async () => {
    const store = memoryStore();
    const { id, result } = await play(async () => throwFromOwnFrame(), store);
    expect(thrownOf({ ...errorOf(result) })).toBeUndefined();
    const read = await (await createRuntime({ store, workflows: [throwing] }).resume(id)).result;
    expect(thrownOf(errorOf(structuredClone(read)))).toBeUndefined();
  });

  it('returns values that are not errors', () => {
    for (const thrown of ['text', 7, null, undefined]) expect(thrownOf(toErrorInfo(thrown))).toBe(thrown);
  });
});

describe('the stack of an error', () => {
  it('is in no store file, no answer of the API, no export and no JSON of a result', async () => {
    expect(boom.stack).toContain(ownFrame);
    const folder = folderForTest('thrown-');
    const store = sqliteStore({ path: `${folder}/runs.db` });
    const runtime = createRuntime({ store, workflows: [throwing] });
    const token = 'a-token-of-this-test-only';
    const server = await listen({
      port: 0,
      server: (hosts) => createServer({ tokens: token, hosts, runtime, store, workflows: [throwing] }),
    });
    onTestFinished(() => server.close());
    const run = runtime.start(throwing, {});
    const result = await run.result;
    expect(thrownOf(errorOf(result))).toBe(boom);
    const get = async (path: string): Promise<string> =>
      (await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } })).text();
    const forms = [
      JSON.stringify(result),
      JSON.stringify(await exportRun(store, run.id)),
      ...(await Promise.all(['', '/events', '/journal', '/state'].map((part) => get(`/api/runs/${run.id}${part}`)))),
      ...readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'latin1')),
    ];
    expect(forms.filter((form) => form.includes('NODE_FAILED')).length).toBeGreaterThan(4);
    for (const form of forms) {
      for (const secret of [ownFrame, 'throwFromOwnFrame', 'the hall is closed']) expect(form).not.toContain(secret);
    }
  });
});

describe('an error without a message', () => {
  const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:9'), new Error('connect ECONNREFUSED 127.0.0.1:9')]);
  const itself = new AggregateError([]);
  itself.errors.push(itself, itself);

  it.each<[string, unknown, string]>([
    ['the messages inside', refused, 'connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9'],
    ['its name', new RangeError(''), 'RangeError'],
    ['its name', new AggregateError([]), 'AggregateError'],
    ['its name, even if it holds itself', itself, 'AggregateError'],
  ])('says %s', (_, thrown, message) => {
    expect(toErrorInfo(thrown).message).toBe(message);
  });
});
