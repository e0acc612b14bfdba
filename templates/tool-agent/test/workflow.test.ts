import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRuntime, type HumanEvent } from 'agent-machines';
import { exploreMachine, toPromiseReport } from 'agent-machines/testing';
import fc from 'fast-check';
import { assistant, exploreOptions, invariants } from '../src/promises.ts';

const status = async (order: number) => `order ${order} is on its way`;

test('keeps its promises wherever a run can be, and takes every edge', () => {
  const workflow = assistant({ shop: { status, refund: async () => '' } });
  const explored = exploreMachine(workflow, { ...exploreOptions, maxStates: 1_000 });
  assert.ok(explored.complete);
  assert.deepEqual([explored.edgesNeverTaken, explored.stuck, explored.failures], [[], [], []]);
  for (const { name, verdict } of toPromiseReport(explored, invariants).promises) assert.equal(verdict, 'holds', name);
});

test('refunds exactly the orders that a human approves', async () => {
  const answers = fc.array(fc.record({ order: fc.integer({ min: 1, max: 99 }), approved: fc.boolean() }), { maxLength: 3 });
  const property = fc.asyncProperty(answers, async (orders) => {
    const refunded: number[] = [];
    const refund = async (order: number) => `receipt ${refunded.push(order)}`;
    const workflow = assistant({ shop: { status, refund } });
    const runtime = createRuntime({ workflows: [workflow] });
    for (const { order, approved } of orders) {
      const run = runtime.start(workflow, { input: `Refund order ${order}` });
      const asked = await run.result;
      assert.ok(asked.status === 'waiting' && asked.interrupt);
      const answer: HumanEvent = approved ? { type: 'APPROVE' } : { type: 'REJECT', reason: 'too late' };
      const answered = await runtime.send(run.id, answer, { interruptId: asked.interrupt.id });
      assert.equal((await answered.result).status, 'done');
    }
    assert.deepEqual(
      refunded,
      orders.filter(({ approved }) => approved).map(({ order }) => order),
    );
    await runtime.close();
  });
  await fc.assert(property, { numRuns: 30 });
});

test('answers a question about an order without an approval', async () => {
  const workflow = assistant({ shop: { status, refund: async () => assert.fail('nothing is refunded') } });
  const result = await createRuntime().start(workflow, { input: 'Where is order 7?' }).result;
  assert.ok(result.status === 'done');
  const { answer, output, outcome, steps, usage } = result.output;
  assert.match(answer, /order 7 is on its way/);
  assert.deepEqual(
    { output, outcome, steps, usage },
    { output: answer, outcome: 'answered', steps: 1, usage: { inputTokens: 0, outputTokens: 0 } },
  );
});
