import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bundleWorker, serveWorker } from './workerd/serve-worker.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'worker-example-'));
  await bundleWorker({ entry: 'docs/examples/workers/worker.ts', className: 'Conversation', binding: 'CONVERSATIONS', folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Reply {
  readonly runId: string;
  readonly result: { readonly interrupt: { readonly id: string } };
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const response = await fetch(url, body ? { method: 'POST', body: JSON.stringify(body) } : {});
  return (await response.json()) as T;
}

it('docs/examples/workers asks, is killed, and resumes with the answer, in one of many conversations', async () => {
  await using first = await serveWorker({ folder });
  const asked = await ask<Reply>(`${first.url}/ada/start`, { input: '12 * 34' });
  expect(asked.result).toMatchObject({
    status: 'waiting',
    interrupt: { accepts: ['APPROVE', 'EDIT', 'REJECT', 'DECIDE'], question: { tool: 'calculator', arguments: { expression: '12 * 34' } } },
  });
  await first.kill();
  await using second = await serveWorker({ folder });
  const { runId, result } = asked;
  const answer = { runId, interruptId: result.interrupt.id, event: { type: 'APPROVE' } };
  const answered = await ask<object>(`${second.url}/ada/answer`, answer);
  expect(answered).toMatchObject({ runId, result: { status: 'done', output: { answer: expect.stringContaining('408') } } });
  expect(await ask(`${second.url}/ada/answer`, answer)).toEqual(answered);
  expect(await ask(`${second.url}/ada/history`)).toMatchObject({
    state: { messages: [{ content: '12 * 34' }, { content: expect.stringContaining('408') }] },
    turns: [{ id: runId, status: 'done' }],
  });
  expect(await ask(`${second.url}/bob/history`)).toMatchObject({ code: 'THREAD_UNKNOWN' });
  const wrong = { ...answer, event: { type: 'REJECT', reason: 'no' } };
  expect(await ask(`${second.url}/ada/answer`, wrong)).toMatchObject({ code: 'INTERRUPT_ANSWERED' });
});

it('docs/examples/workers streams a run, which continues with the answer', async () => {
  await using worker = await serveWorker({ folder });
  const stream = await fetch(`${worker.url}/eve/stream`, { method: 'POST', body: JSON.stringify({ input: '12 * 34' }) });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const events = (await stream.text()).split('\n\n').flatMap((part) => (part === '' ? [] : [/^event: (.+)\ndata: (.+)$/.exec(part)]));
  expect(events[0]?.[1]).toBe('run-start');
  const asked = events.find((event) => event?.[1] === 'interrupt');
  const { interrupt } = JSON.parse(asked?.[2] ?? '') as { readonly interrupt: { readonly id: string } };
  const answer = { runId: stream.headers.get('x-run-id'), interruptId: interrupt.id, event: { type: 'APPROVE' } };
  expect(await ask(`${worker.url}/eve/answer`, answer)).toMatchObject({ result: { status: 'done' } });
});
