// Windows of a long conversation.

import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { final, logWorkflow, node } from '../../fixtures/log-workflow.ts';
import { type Served, serve } from '../../fixtures/served.ts';

/** Uses a tool and a model, and ends. */
const talking = logWorkflow({
  id: 'talking',
  initial: 'work',
  states: { work: node('work', 'done'), done: final, failed: final },
  nodes: {
    work: async ({ log }, io) => {
      const said = log.at(-1) ?? '';
      io.emit({ type: 'tool-start', callId: 'c', tool: 'look', args: {} });
      io.emit({ type: 'model-end', task: 't', model: 'm', usage: { inputTokens: 7, outputTokens: 3 }, durationMs: 1, cached: false });
      return { log: [said.startsWith('long') ? 'x'.repeat(100_000) : `heard ${said}`] };
    },
  },
});
const threadId = 't';

async function open(store: RunStore): Promise<Served> {
  const runtime = createRuntime({ store, workflows: [talking] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return serve({ store, runtime, workflows: [talking] });
}

async function talk({ runtime }: Served, texts: readonly string[]): Promise<void> {
  for (const text of texts)
    await runtime.start(talking, { log: [text] }, { threadId, runId: text.slice(0, 12).trim().replaceAll(' ', '_') }).result;
}

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `turn ${index + 1}`);
const fileOf = (): string => join(folderForTest('turns'), 'runs.db');

describe.each([
  ['memory', () => memoryStore()],
  ['a file', () => sqliteStore({ path: fileOf() })],
])('turns of a conversation in %s', (_name, store) => {
  it('are read from the newest, and on to both sides', async () => {
    const served = await open(store());
    await talk(served, numbers(25));
    const read = async (query: string) => {
      const { status, body } = await served.ask('GET', `/api/threads/${threadId}/turns?${query}`);
      expect(status).toBe(200);
      const places = body.turns.map((turn: { readonly number: number }) => turn.number);
      return [places, body.before, body.after];
    };
    const down = (from: number, to: number): readonly number[] => Array.from({ length: from - to + 1 }, (_, index) => from - index);
    expect(await read('limit=10')).toEqual([down(25, 16), 'turn_16', undefined]);
    expect(await read('limit=10&before=turn_16')).toEqual([down(15, 6), 'turn_6', 'turn_15']);
    expect(await read('limit=10&before=turn_6')).toEqual([down(5, 1), undefined, 'turn_5']);
    expect(await read('limit=10&after=turn_5')).toEqual([down(15, 6), 'turn_6', 'turn_15']);
    expect(await read('limit=10&around=turn_12')).toEqual([down(17, 8), 'turn_8', 'turn_17']);
    expect(await read('limit=10&around=turn_25')).toEqual([down(25, 16), 'turn_16', undefined]);
    expect(await read('limit=10&around=turn_2')).toEqual([down(10, 1), undefined, 'turn_10']);
    expect(await read('limit=100')).toEqual([down(25, 1), undefined, undefined]);
    expect(await read('')).toEqual([down(25, 1), undefined, undefined]);
    expect(await read('before=turn_1')).toEqual([[], undefined, undefined]);
    for (const side of ['before', 'after', 'around']) expect(await read(`${side}=another`)).toEqual([[], undefined, undefined]);
    expect(await read('limit=1&around=turn_9')).toEqual([[9], 'turn_9', 'turn_9']);
    expect(await read('limit=3&around=turn_1')).toEqual([[3, 2, 1], undefined, 'turn_3']);
  });

  it('say what was asked, what came out, and the steps between', async () => {
    const served = await open(store());
    await talk(served, ['first', 'second']);
    await served.store.nameThread(threadId, 'A talk');
    await served.ask('POST', '/api/runs/second/rating', { value: 'up' });
    const { body } = await served.ask('GET', `/api/threads/${threadId}/turns?limit=1`);
    expect(body.thread).toEqual({ id: threadId, workflow: 'talking', title: 'A talk', turns: 2 });
    const { steps, ...turn } = body.turns[0];
    const { body: details } = await served.ask('GET', '/api/runs/second');
    expect(turn).toEqual({ ...details, rating: 'up', number: 2 });
    expect(steps).toEqual([
      { key: 'work#1', status: 'done', durationMs: expect.any(Number), calls: { look: 1 }, inputTokens: 7, outputTokens: 3 },
    ]);
  });

  it('cut long texts, say so, and stop before half a megabyte', async () => {
    const served = await open(store());
    await talk(served, ['long one', ...numbers(3)]);
    const response = await served.ask('GET', `/api/threads/${threadId}/turns`);
    const long = response.body.turns.at(-1);
    expect(long).toMatchObject({ id: 'long_one', number: 1, cut: true });
    expect(JSON.stringify(long).length).toBeLessThan(21_000);
    expect(response.body.turns[0]).not.toHaveProperty('cut');
  });

  it('lose none on a walk from either end when half a megabyte is less than the limit', async () => {
    const served = await open(store());
    await talk(
      served,
      numbers(70).map((text) => `${text} ${'y'.repeat(9_000)}`),
    );
    const walk = async (side: 'before' | 'after', from: string): Promise<readonly number[]> => {
      const seen: number[] = [];
      for (let cursor: string | undefined = from; cursor !== undefined; ) {
        const { body } = await served.ask('GET', `/api/threads/${threadId}/turns?limit=100&${side}=${cursor}`);
        const page = body.turns.map(({ number }: { readonly number: number }) => number);
        expect(JSON.stringify(body).length).toBeLessThan(600_000);
        seen.push(...(side === 'after' ? page.toReversed() : page));
        cursor = body[side];
      }
      return seen;
    };
    const all = (await served.runtime.list({ threadId, limit: 100 })).map(({ id }) => id);
    expect(await walk('before', all[0] ?? '')).toEqual(Array.from({ length: 69 }, (_, index) => 69 - index));
    expect(await walk('after', all.at(-1) ?? '')).toEqual(Array.from({ length: 69 }, (_, index) => index + 2));
    const { body } = await served.ask('GET', `/api/threads/${threadId}/turns?limit=100&around=${all[20]}`);
    expect(body.turns.map(({ id }: { readonly id: string }) => id)).toContain(all[20]);
  });

  it('keep the id and the status of a turn whose input has thousands of members', async () => {
    const served = await open(store());
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`member_${index}`, 'x'.repeat(20)]));
    await served.runtime.start(talking, { log: ['a'], many } as never, { threadId, runId: 'a'.repeat(61) }).result;
    const { body } = await served.ask('GET', `/api/threads/${threadId}/turns`);
    expect(body.turns[0]).toMatchObject({ id: 'a'.repeat(61), status: 'done', number: 1, cut: true });
  });

  it('refuse two places at once, a wrong limit and an unknown conversation', async () => {
    const served = await open(store());
    await talk(served, ['first']);
    const codeOf = async (path: string) => {
      const { status, body } = await served.ask('GET', path);
      return [status, body.error?.code ?? body.code];
    };
    expect(await codeOf(`/api/threads/${threadId}/turns?before=first&after=first`)).toEqual([400, 'REQUEST_INVALID']);
    expect(await codeOf(`/api/threads/${threadId}/turns?limit=0`)).toEqual([400, 'REQUEST_INVALID']);
    expect(await codeOf(`/api/threads/${threadId}/turns?limit=101`)).toEqual([400, 'REQUEST_INVALID']);
    expect(await codeOf('/api/threads/nobody/turns')).toEqual([404, 'THREAD_UNKNOWN']);
  });
});

describe('turns in a file', () => {
  it('take as many statements in a long conversation as in a short one, by the index', async () => {
    const served = await open(sqliteStore({ path: fileOf() }));
    await talk(served, numbers(40));
    const count = async (): Promise<number> => {
      const spies = (['all', 'get'] as const).map((method) => vi.spyOn(StatementSync.prototype, method));
      await served.ask('GET', `/api/threads/${threadId}/turns?limit=30`);
      const calls = spies.map((spy) => spy.mock.calls.length);
      vi.restoreAllMocks();
      return calls.reduce((sum, each) => sum + each, 0);
    };
    await count(); // the server's own first reads
    const short = await count();
    await talk(
      served,
      numbers(120).map((text) => `later ${text}`),
    );
    expect(await count()).toBe(short);
    expect(short).toBeGreaterThan(30);
  });

  it('show the others when one journal is damaged', async () => {
    const path = fileOf();
    const served = await open(sqliteStore({ path }));
    await talk(served, numbers(3));
    const file = new DatabaseSync(path);
    file.exec(
      "UPDATE journal SET outcome = '{}' WHERE key = 'run' AND kind = 'start' AND id = (SELECT n * 1000000 + 1 FROM runs WHERE id = 'turn_2')",
    );
    file.close();
    const { status, body } = await served.ask('GET', `/api/threads/${threadId}/turns`);
    expect(status).toBe(200);
    expect(body.turns.map(({ id, error }: { id: string; error?: { code: string } }) => [id, error?.code])).toEqual([
      ['turn_3', undefined],
      ['turn_2', 'JOURNAL_CORRUPT'],
      ['turn_1', undefined],
    ]);
  });
});
