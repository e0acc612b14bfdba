// `agent-machines doctor --against FILE`: which runs a module would strand, before it is put into service.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, vi } from 'vitest';
import { final, node, says, waiting } from '../fixtures/log-workflow.ts';
import { publish } from '../fixtures/publish-versions.ts';
import { folder, sourceCommand } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });
const root = fileURLToPath(new URL('../../', import.meta.url));

function appFolder(app: string): string {
  const cwd = folder();
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules/agent-machines'), 'dir');
  symlinkSync(join(root, 'node_modules/xstate'), join(cwd, 'node_modules/xstate'), 'dir');
  for (const name of ['log-workflow.ts', 'publish-versions.ts']) copyFileSync(join(root, 'test/fixtures', name), join(cwd, name));
  writeFileSync(
    join(cwd, 'app.ts'),
    `import { publish, renamed } from './publish-versions.ts';\nexport default { workflows: [${app}] };\n`,
  );
  return cwd;
}

/** Two runs that wait, one of them in a thread, one that has ended, and one of a workflow that nobody offers. */
async function fill(cwd: string) {
  const store = sqliteStore({ path: join(cwd, 'runs.db') });
  const runtime = createRuntime({ store });
  const first = publish('1');
  const alone = runtime.start(first, {});
  await alone.result;
  const inThread = runtime.start(first, {}, { threadId: 't_1' });
  await inThread.result;
  await runtime.start(
    publish('1', { id: 'over', states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('a') } }),
    {},
  ).result;
  const other = runtime.start(publish('1', { id: 'other', states: { ask: waiting({ GO: 'done' }), done: final }, nodes: {} }), {});
  await other.result;
  await runtime.close();
  await store.close();
  return { alone: alone.id, inThread: inThread.id, other: other.id };
}

const bytesOf = (cwd: string): string =>
  createHash('sha256')
    .update(readFileSync(join(cwd, 'runs.db')))
    .digest('hex');

const lookedAt = async (cwd: string, ...more: readonly string[]) =>
  sourceCommand(cwd, ['doctor', '--db', 'runs.db', '--against', 'app.ts', ...more]);

it('lists runs that would continue, be migrated or be stranded, and changes nothing', async () => {
  const cwd = appFolder("publish('1'), renamed('2')");
  const { alone, inThread, other } = await fill(cwd);
  const before = bytesOf(cwd);
  const { code, stdout } = await lookedAt(cwd);
  expect(stdout).toContain(`✓ run ${alone}: publish 1, waiting; would be migrated to 2`);
  expect(stdout).toContain(`✓ run ${inThread} of thread t_1: publish 1, waiting; would be migrated to 2`);
  expect(stdout).toContain(`✗ run ${other}: other 1, waiting; stranded: WORKFLOW_UNKNOWN`);
  expect(stdout).toContain('0 would continue, 2 would be migrated, 1 would be stranded');
  expect(code).toBe(1);
  expect(bytesOf(cwd)).toBe(before);
});

it.each([
  ["publish('1')", 'goes-on', undefined],
  ["publish('2')", 'stranded', 'JOURNAL_OF_OTHER_MACHINE'],
  ["renamed('2')", 'stranded', 'MIGRATION_REFUSED'],
  ["publish('2', { migrate: { from: '1' } })", 'migrates', undefined],
  ["publish('1'), publish('2', { migrate: { from: '1', position: () => ['nowhere'] } })", 'goes-on', 'MIGRATION_REFUSED'],
] as const)('gives %s the verdict for a run of version 1: %s', async (app, verdict, error) => {
  const cwd = appFolder(app);
  const { alone } = await fill(cwd);
  const { stdout } = await lookedAt(cwd, '--json');
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { runId: string; verdict: string; error?: { code: string } });
  const run = found.find(({ runId }) => runId === alone);
  expect([run?.verdict, run?.error?.code]).toEqual([verdict, error]);
});

it('exits with 0 when no run is stranded', async () => {
  const cwd = appFolder("publish('1'), publish('1', { id: 'other', states: { ask: waiting({ GO: 'done' }), done: final }, nodes: {} })");
  writeFileSync(join(cwd, 'app.ts'), `import { final, waiting } from './log-workflow.ts';\n${readFileSync(join(cwd, 'app.ts'), 'utf8')}`);
  await fill(cwd);
  expect(await lookedAt(cwd)).toMatchObject({ code: 0 });
});
