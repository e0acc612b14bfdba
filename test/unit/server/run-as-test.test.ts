// "Copy as test": what the server writes is run by vitest, in a process of its own.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyWorkflow, createRuntime, memoryStore } from 'agent-machines';
import { type AgentClient, createClient } from 'agent-machines/client';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { createServer, type ServedWorkflow } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { asking, token } from '../../fixtures/served.ts';

vi.setConfig({ testTimeout: 120_000 });
const root = fileURLToPath(new URL('../../../', import.meta.url));

async function open(workflow: ServedWorkflow): Promise<AgentClient> {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow.workflow] });
  const listener = await listen({ server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows: [workflow] }) });
  onTestFinished(async () => {
    await listener.close();
    await runtime.close();
  });
  return createClient({ baseUrl: listener.url, token });
}

async function ended(client: AgentClient, workflow: string, input: object, threadId?: string): Promise<string> {
  const { id } = await client.startRun({ body: { workflow, input: { ...input }, ...(threadId === undefined ? {} : { threadId }) } });
  for await (const _ of client.events(id));
  return id;
}

/** Runs vitest on a test, beside the files that it needs. @returns whether it is green, and what it says. */
function runTest(files: Readonly<Record<string, string>>): Promise<{ readonly green: boolean; readonly said: string }> {
  const folder = mkdtempSync(join(root, 'node_modules/.cache/copied-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const conditions = "['@agent-machines/source', 'node', 'import', 'default']";
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } } };`,
  );
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_OPTIONS: '--conditions=@agent-machines/source' };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--root', folder, '--config', join(folder, 'vitest.config.ts')],
      { cwd: folder, env },
      (failure, out, err) => resolve({ green: failure === null, said: `${out}${err}` }),
    );
  });
}

const served = (workflow: AnyWorkflow): ServedWorkflow => ({ id: workflow.id, title: '', description: '', examples: [], workflow });
const planning: ServedWorkflow = {
  ...served(planExecute()),
  id: 'sums', // under a name of its own
  source: {
    imports: ["import { planExecute } from 'agent-machines/machines/plan-execute';"],
    expression: 'planExecute()',
    make: () => planExecute(),
  },
};

it('is green, and runs the nodes again on what the run was given', async () => {
  const client = await open(planning);
  const id = await ended(client, 'sums', { input: '123 * 456을 계산해줘' });
  const text = await client.getTest({ params: { id } });
  expect(text).toContain('Its nodes run again');
  expect(text).toContain('56088');
  const { green, said } = await runTest({ 'run.test.ts': text });
  expect(said).toContain('1 passed');
  expect(green).toBe(true);
  const other = await runTest({ 'run.test.ts': text.replaceAll('56088', '56089').replace('"56089"', '"56088"') });
  expect(other.green).toBe(false);
});

/** The workflow of the run, in a file; `more` goes into its states. */
const workflowFile = (next: string, more = ''): string =>
  readFileSync(new URL('../../fixtures/log-workflow.ts', import.meta.url), 'utf8') +
  `
export const workflow = logWorkflow({
  id: 'asking',
  initial: 'work',
  states: { work: node('work', '${next}'), ${more} ask: waiting({ SAY: 'done' }), done: final, failed: failure },
  nodes: { work: async () => ({ log: ['worked'] }) },
});
`;

it('is green for the machine of the run, and red for a changed one', async () => {
  const client = await open(served(asking));
  const id = await ended(client, 'asking', { log: ['a'] }, 't');
  const waiting = await client.getTest({ params: { id } });
  expect(waiting).toContain('"status": "open"');
  const { interrupts } = await client.getRun({ params: { id } });
  await client.answerRun({ params: { id }, body: { interruptId: interrupts[0]?.id ?? '', event: { type: 'SAY', text: 'yes' } } });
  for await (const _ of client.events(id, { follow: true }));
  const text = await client.getTest({ params: { id } });
  expect(text).toContain('"finalState": "done"');
  const second = await ended(client, 'asking', { log: ['b'] }, 't');
  const inThread = await client.getTest({ params: { id: second } });
  const right = await runTest({
    'workflow.ts': workflowFile('ask'),
    'run.test.ts': text,
    'waiting.test.ts': waiting,
    'thread.test.ts': inThread,
  });
  expect(right.said).toContain('3 passed');
  const wrong = await runTest({ 'workflow.ts': workflowFile('again', "again: node('work', 'ask'),"), 'run.test.ts': text });
  expect(wrong.green).toBe(false);
  expect(wrong.said).toContain('It waits for again#1, but the recording goes on with "ask#1"');
});

it.each(['__proto__', "'`\\u2028</script>", '\u2028\u0000'])('is sound with %j in what was said', async (odd) => {
  const client = await open(served(asking));
  const id = await ended(client, 'asking', { log: [odd] });
  const text = await client.getTest({ params: { id } });
  expect((await runTest({ 'workflow.ts': workflowFile('ask'), 'run.test.ts': text })).said).toContain('1 passed');
});
