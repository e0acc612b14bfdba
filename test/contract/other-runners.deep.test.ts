// The contracts under a test runner that is not ours.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { memoryStore } from 'agent-machines';
import { memoryIndex } from 'agent-machines/search';
import { runStoreContract, vectorIndexContract } from 'agent-machines/testing';
import { expect, it } from 'vitest';

const execute = promisify(execFile);

/** What Node's runner says of the contracts in its last lines: `tests 93`, `fail 0` and so on. */
async function countsUnderNode(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, number>>> {
  const { NODE_TEST_CONTEXT: _, ...own } = process.env;
  const { stdout } = await execute(
    process.execPath,
    ['--conditions=@agent-machines/source', '--test', '--test-reporter=tap', 'test/fixtures/contracts-process.ts'],
    { env: { ...own, ...env } },
  ).catch((failed: { readonly stdout: string }) => failed);
  return Object.fromEntries([...stdout.matchAll(/^# (tests|pass|fail) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]));
}

const cases =
  runStoreContract(async () => memoryStore()).length +
  vectorIndexContract(async (_place, embedder) => memoryIndex({ embedder }), { persistent: false }).length;

it('each case of the contracts is a test of node --test, and passes there', async () => {
  expect(await countsUnderNode({})).toEqual({ tests: cases, pass: cases, fail: 0 });
});

it('a store that breaks the contract fails there', async () => {
  const { tests, fail = 0 } = await countsUnderNode({ BROKEN: 'yes' });
  expect(tests).toBe(cases);
  expect(fail).toBeGreaterThan(5);
});
