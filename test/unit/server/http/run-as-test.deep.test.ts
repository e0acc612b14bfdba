// "Copy as test": what the server writes is run by vitest, in a process of its own.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyWorkflow, createRuntime, memoryStore } from 'agent-machines';
import { type AgentClient, createClient } from 'agent-machines/client';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { createServer, type ServedWorkflow } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { asking, token } from '../../../fixtures/served.ts';

vi.setConfig({ testTimeout: 120_000 });
const root = fileURLToPath(new URL('../../../../', import.meta.url));

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

/** What vitest reports of files, as far as it is read here. */
interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

interface Tested {
  /** Whether all tests of a file are green. */
  green(file: string): boolean;
  /** Why the first of its tests is not. */
  why(file: string): string;
}

/** Runs vitest on tests, beside the files that they need: once, for starting it takes longer than they do. */
function runTests(files: Readonly<Record<string, string>>): Promise<Tested> {
  const folder = mkdtempSync(join(root, 'node_modules/.cache/copied-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const conditions = "['@agent-machines/source', 'node', 'import', 'default']";
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } }, test: { isolate: false, maxWorkers: 1 } };`,
  );
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_OPTIONS: '--conditions=@agent-machines/source' };
  const report = join(folder, 'report.json');
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [vitest, 'run', '--root', folder, '--config', join(folder, 'vitest.config.ts'), '--reporter=json', '--outputFile', report],
      { cwd: folder, env },
      (failure, out, err) => {
        if (!existsSync(report)) return reject(new Error(`${out}${err}`, { cause: failure }));
        const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonReport;
        const of = (file: string) =>
          testResults.find(({ name }) => name === join(realpathSync(folder), file)) ?? { message: '', assertionResults: [] };
        resolve({
          green: (file) => of(file).assertionResults.length === 1 && of(file).assertionResults.every(({ status }) => status === 'passed'),
          why: (file) =>
            `${of(file).message}${of(file)
              .assertionResults.flatMap(({ failureMessages }) => failureMessages)
              .join('\n')}`,
        });
      },
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

it('is green and runs the nodes again on the recorded data', async () => {
  const client = await open(planning);
  const id = await ended(client, 'sums', { input: '123 * 456을 계산해줘' });
  const text = await client.getTest({ params: { id } });
  expect(text).toContain('Its nodes run again');
  expect(text).toContain('56088');
  const other = text.replaceAll('56088', '56089').replace('"56089"', '"56088"');
  const { green, why } = await runTests({ 'run.test.ts': text, 'other.test.ts': other });
  expect([green('run.test.ts'), why('run.test.ts')]).toEqual([true, '']);
  expect([green('other.test.ts'), why('other.test.ts')]).toEqual([false, expect.stringContaining('AssertionError')]);
});

/** The workflow of the run, in a file; `more` goes into its states. */
const workflowFile = (next: string, more = ''): string =>
  readFileSync(new URL('../../../fixtures/log-workflow.ts', import.meta.url), 'utf8') +
  `
export const workflow = logWorkflow({
  id: 'asking',
  initial: 'work',
  states: { work: node('work', '${next}'), ${more} ask: waiting({ SAY: 'done' }), done: final, failed: failure },
  nodes: { work: async () => ({ log: ['worked'] }) },
});
`;

it('is green for the machine of the run and red for a changed one', async () => {
  const client = await open(served(asking));
  const id = await ended(client, 'asking', { log: ['a'] }, 't');
  const waiting = await client.getTest({ params: { id } });
  expect(waiting).toContain('"status": "open"');
  const { interrupts } = await client.getRun({ params: { id } });
  await client.send({ params: { id }, body: { interruptId: interrupts[0]?.id ?? '', event: { type: 'SAY', text: 'yes' } } });
  for await (const _ of client.events(id, { follow: true }));
  const text = await client.getTest({ params: { id } });
  expect(text).toContain('"finalState": "done"');
  const second = await ended(client, 'asking', { log: ['b'] }, 't');
  const inThread = await client.getTest({ params: { id: second } });
  const right = ['run.test.ts', 'waiting.test.ts', 'thread.test.ts'];
  const { green, why } = await runTests({
    'workflow.ts': workflowFile('ask'),
    'run.test.ts': text,
    'waiting.test.ts': waiting,
    'thread.test.ts': inThread,
    'wrong/workflow.ts': workflowFile('again', "again: node('work', 'ask'),"),
    'wrong/run.test.ts': text,
  });
  expect(right.map((file) => [green(file), why(file)])).toEqual(right.map(() => [true, '']));
  expect(green('wrong/run.test.ts')).toBe(false);
  expect(why('wrong/run.test.ts')).toContain('It waits for again#1, but the recording continues with "ask#1"');
});

it('is valid code for odd data', async () => {
  const client = await open(served(asking));
  const files: Record<string, string> = {};
  for (const [index, odd] of ['__proto__', "'`\\u2028</script>", '\u2028\u0000'].entries()) {
    const id = await ended(client, 'asking', { log: [odd] });
    files[`odd-${index}.test.ts`] = await client.getTest({ params: { id } });
  }
  const { green, why } = await runTests({ 'workflow.ts': workflowFile('ask'), ...files });
  const names = Object.keys(files);
  expect(names.map((file) => [green(file), why(file)])).toEqual(names.map(() => [true, '']));
});
