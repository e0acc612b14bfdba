import { createRuntime, memoryStore } from 'agent-machines';
import { restateRuns } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, says } from '../../../fixtures/log-workflow.ts';
import { undrivenCases } from '../../../fixtures/undriven-cases.ts';

describe('a run that is started with drive: false, in memory', () => undrivenCases(memoryStore));
describe('a run that is started with drive: false, in SQLite', () => undrivenCases(() => sqliteStore({ path: ':memory:' })));

it('rejects a value that is not a boolean, and is unsupported on Restate', async () => {
  const workflow = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('a') } });
  const drive: unknown = 'no';
  expect(() => createRuntime().start(workflow, {}, { drive: drive as boolean })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  );
  const started = restateRuns({ ingress: 'http://localhost:1' }).start('log', {}, { drive: false });
  await expect(started).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('Restate') });
});
