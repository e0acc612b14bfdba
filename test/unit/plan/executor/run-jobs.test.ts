import { noTaint } from 'agent-machines';
import { toolSignature } from 'agent-machines/tools';
import { expect, it } from 'vitest';
import { toEnvironment } from '../../../../src/plan/executor/journal-call.ts';
import { runJobs } from '../../../../src/plan/executor/run-jobs.ts';
import { echo } from '../../../fixtures/text-tools.ts';

type Job = Parameters<typeof runJobs>[0][number];

it('does not scan all jobs behind a held one each time one may start', async () => {
  const tools = [echo('get'), echo('add', { effect: 'idempotent', needsApproval: true })];
  let looks = 0;
  const jobs = Array.from({ length: 200 }, (_, id): Job => {
    const tool = tools[id % 2] ?? echo();
    const args = { text: 'a' };
    return {
      id,
      key: `call_${id}`,
      get effect() {
        looks++;
        return tool.effect ?? 'pure';
      },
      needs: [],
      prepare: () => ({ tool, args, signature: toolSignature({ name: tool.name, args }) }),
    };
  });
  const rules = { execution: 'auto', until: 'end', history: [], succeeded: [], taint: noTaint } as const;
  const { records, held, remaining } = await runJobs(jobs, rules, toEnvironment({ tools }));
  expect([records.size, held.size, remaining.length]).toEqual([1, 100, 199]);
  expect(looks).toBeLessThan(10 * jobs.length ** 2);
});
