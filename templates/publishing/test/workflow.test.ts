import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HumanEvent } from 'agent-machines';
import { crashResume } from 'agent-machines/testing';
import { propertyTestWorkflow } from 'agent-machines/testing/fast-check';
import fc from 'fast-check';
import { invariants, publishing } from '../src/promises.ts';

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
  const { crashes } = await crashResume(
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
});
