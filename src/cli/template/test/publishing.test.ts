import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HumanEvent } from 'agent-machines';
import { crashResume, until } from 'agent-machines/testing';
import { propertyTestWorkflow } from 'agent-machines/testing/fast-check';
import fc from 'fast-check';
import { publishing } from '../src/publishing.ts';

test('publishes only what a human approved, and takes every edge', async () => {
  const approved = until(
    'nothing is published unapproved',
    ({ isIn }) => !isIn('publish'),
    ({ took }) => took('review', 'APPROVE'),
  );
  const workflow = publishing({ write: async () => '', publish: async () => '' });
  const { missingEdges } = await propertyTestWorkflow(workflow, {
    input: fc.record({ topic: fc.string() }),
    invariants: [approved],
    numRuns: 300,
  });
  assert.deepEqual(missingEdges, []);
});

test('publishes an approved draft once, wherever the process dies', async () => {
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
