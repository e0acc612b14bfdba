import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HumanEvent } from 'agent-machines';
import { accepts, crashResume, exploreMachine, toPromiseReport } from 'agent-machines/testing';
import { propertyTestWorkflow } from 'agent-machines/testing/fast-check';
import fc from 'fast-check';
import { exploreOptions, invariants, publishing } from '../src/promises.ts';

test('keeps its promises wherever a run can be, and takes every edge', () => {
  const explored = exploreMachine(publishing({ write: async () => '', publish: async () => '' }), exploreOptions);
  const { complete, edgesNeverTaken, stuck, failures } = explored;
  assert.deepEqual({ complete, edgesNeverTaken, stuck, failures }, { complete: true, edgesNeverTaken: [], stuck: [], failures: [] });
  const choice = accepts('a human may approve or revise', 'review', ['APPROVE', 'REVISE']);
  for (const { name, verdict } of toPromiseReport(explored, [...invariants, choice]).promises) assert.equal(verdict, 'holds', name);
});

test('keeps its promises in random runs, which take every edge', async () => {
  const { missingEdges } = await propertyTestWorkflow(publishing({ write: async () => '', publish: async () => '' }), {
    input: fc.record({ topic: fc.string() }),
    invariants,
    numRuns: 300,
  });
  assert.deepEqual(missingEdges, []);
});

test('publishes an approved text once, wherever the process dies', async () => {
  let published: string[] = [];
  const newWorkflow = () => {
    published = [];
    return publishing({
      write: async (topic, remarks) => `${topic} ${remarks.length}`,
      publish: async (text) => {
        published.push(text);
        return 'here';
      },
    });
  };
  const { crashes, result } = await crashResume(
    newWorkflow,
    { topic: 'otters' },
    {
      answer: (_question, index): HumanEvent => (index === 0 ? { type: 'REVISE', remark: 'shorter' } : { type: 'APPROVE' }),
      // a human checks whether it was published
      resolve: () => (published.length > 0 ? { as: 'done', output: 'here' } : { as: 'retry' }),
      onEnd: () => assert.deepEqual(published, ['otters 1']),
    },
  );
  assert.ok(crashes > 5);
  assert.deepEqual(result.status === 'done' && result.output, 'here');
});
