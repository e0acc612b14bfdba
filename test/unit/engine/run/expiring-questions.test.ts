import { createRuntime, memoryStore, type RunResult, type RunStore, type Workflow } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { openaiRoutes } from 'agent-machines/server';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { crashResume, fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { echo } from '../../../fixtures/text-tools.ts';

function paying(expiresInMs: number | undefined) {
  const pay = echo('pay', { effect: 'once', needsApproval: true });
  const model = offlineModel({
    'tool_agent.agent': ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'paid' : { toolCalls: [{ name: 'pay', arguments: { text: '10' } }] },
  });
  return { pay, workflow: toolAgent({ model, tools: [pay], expiresInMs }) as unknown as Workflow<never, never, unknown> };
}

function interruptOf(result: RunResult<unknown> | undefined) {
  if (result?.status !== 'waiting' || !result.interrupt) throw new Error(`it does not wait: ${JSON.stringify(result)}`);
  return result.interrupt;
}

const input = { input: 'pay' } as never;
const approve = { type: 'APPROVE' };

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: ':memory:' })],
] as const)('an expiring question in %s', (_name, open) => {
  async function asked(expiresInMs?: number) {
    const store: RunStore = open();
    const clock = fakeClock(1_000);
    const { pay, workflow } = paying(expiresInMs);
    const anew = () => createRuntime({ store, clock, workflows: [workflow] });
    const runtime = anew();
    onTestFinished(() => runtime.close());
    const run = runtime.start(workflow, input);
    return { pay, clock, runtime, anew, runId: run.id, first: interruptOf(await run.result) };
  }

  it('shows its expiry, and accepts an answer until then', async () => {
    const { pay, clock, runtime, runId, first } = await asked(60_000);
    expect(first.expiresAt).toBe(61_000);
    await clock.advance(59_999);
    expect(await (await runtime.send(runId, approve, { interruptId: first.id })).result).toMatchObject({ status: 'done' });
    expect(pay.asked).toEqual(['10']);
  });

  it('rejects a late answer without a call, and opens again under a new id', async () => {
    const { pay, clock, runtime, anew, runId, first } = await asked(60_000);
    await clock.advance(60_000);
    await expect(runtime.send(runId, approve, { interruptId: first.id })).rejects.toMatchObject({ code: 'INTERRUPT_EXPIRED' });
    const second = interruptOf(await (await runtime.resume(runId)).result);
    expect([second.id === first.id, second.expiresAt, second.question, pay.asked]).toEqual([false, 121_000, first.question, []]);
    await expect(runtime.send(runId, approve, { interruptId: first.id })).rejects.toMatchObject({
      code: 'INTERRUPT_EXPIRED',
      data: { open: [second.id] },
    });
    // another process comes to the same question
    const other = anew();
    onTestFinished(() => other.close());
    expect(interruptOf(await (await other.resume(runId)).result)).toEqual(second);
    await clock.advance(60_000);
    await expect(other.send(runId, approve, { interruptId: second.id })).rejects.toMatchObject({ code: 'INTERRUPT_EXPIRED' });
    const third = interruptOf(await (await other.resume(runId)).result);
    expect(await (await other.send(runId, approve, { interruptId: third.id })).result).toMatchObject({ status: 'done' });
    expect(pay.asked).toEqual(['10']);
    const ids = (await other.history(runId)).flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'interrupt' ? [event.interrupt.id] : [])),
    );
    expect(ids).toEqual([first.id, second.id, third.id]);
  });

  it('does not expire by default', async () => {
    const { pay, clock, runtime, runId, first } = await asked();
    expect(first.expiresAt).toBeUndefined();
    await clock.advance(1e10);
    expect(await (await runtime.send(runId, approve, { interruptId: first.id })).result).toMatchObject({ status: 'done' });
    expect(pay.asked).toEqual(['10']);
  });
});

it('ends in the same state after a crash before any write', async () => {
  const { result, crashes } = await crashResume(() => paying(60_000).workflow, input, { answer: () => approve });
  expect(result).toMatchObject({ status: 'done' });
  expect(crashes).toBeGreaterThan(5);
});

it('describes the expiry of a question in words', async () => {
  const { workflow } = paying(60_000);
  const runtime = createRuntime({ store: memoryStore(), clock: fakeClock(0), workflows: [workflow] });
  onTestFinished(() => runtime.close());
  const app = openaiRoutes({ runtime, workflows: [{ id: 'pay', workflow }] });
  const response = await app.request('/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'pay', input: 'pay' }),
  });
  expect(JSON.stringify(await response.json())).toContain('1970-01-01T00:01:00.000Z');
});

it.each([0, -1, 1.5, '60'])('rejects the expiry %j', (expiresInMs) => {
  expect(() => paying(expiresInMs as number)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
});
