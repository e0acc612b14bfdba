import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRuntime, type Run, toGraph } from 'agent-machines';
import { edgeCoverage } from 'agent-machines/testing';
import fc from 'fast-check';
import { publishing } from '../src/publishing.ts';

const answer = fc.oneof(
  fc.constant({ type: 'APPROVE' }),
  fc.string({ minLength: 1 }).map((remark) => ({ type: 'REVISE', remark })),
);

test('what a human approved is published, once, and nothing else is; every edge is taken', async () => {
  const idle = { write: async () => '', publish: async () => '' };
  const coverage = edgeCoverage(toGraph(publishing(idle).machine));
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 5 }), fc.constantFrom('nothing', 'write', 'publish'), async (answers, failing) => {
      const published: string[] = [];
      const workflow = publishing({
        write: async (topic, remarks) => {
          if (failing === 'write') throw new Error('no model');
          return `${topic} ${remarks.length}`;
        },
        publish: async (text) => {
          if (failing === 'publish') throw new Error('no network');
          published.push(text);
          return 'here';
        },
      });
      const runtime = createRuntime();
      let run: Run<unknown> = runtime.start(workflow, { topic: 'otters' });
      let result = await run.result;
      for (const event of answers) {
        if (result.status !== 'waiting' || !result.interrupt) break;
        run = await runtime.send(run.id, event, { interruptId: result.interrupt.id });
        result = await run.result;
      }
      const remarks = answers.findIndex(({ type }) => type === 'APPROVE');
      assert.deepEqual(published, remarks >= 0 && failing === 'nothing' ? [`otters ${remarks}`] : []);
      coverage.add((await runtime.history(run.id)).flatMap(({ events }) => events));
    }),
  );
  assert.deepEqual(coverage.missing(), []);
});
