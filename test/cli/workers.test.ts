import { join } from 'node:path';
import { createWorker } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it } from 'vitest';
import { asking, serve } from '../fixtures/served.ts';
import { command, folder } from './command.ts';

it('lists the workers of a database, as a table and as JSON, and over HTTP', async () => {
  const cwd = folder();
  const list = async (...flags: readonly string[]): Promise<string> =>
    (await command(cwd, ['workers', '--db', 'runs.db', ...flags])).stdout;
  expect(await list()).toContain('No worker. Start one:');
  const store = sqliteStore({ path: join(cwd, 'runs.db') });
  const worker = createWorker({ store, workflows: [asking], version: '1.4.0', role: 'server', concurrency: 3 });
  await expect.poll(() => list('--json')).toContain('"role":"server"');
  expect(JSON.parse(await list('--json'))).toMatchObject({
    state: 'active',
    version: '1.4.0',
    workflows: ['asking 1'],
    slots: 3,
    used: 0,
    runs: [],
  });
  expect(await list()).toMatch(/WORKER +ROLE +STATE/);
  expect(await list()).toMatch(/w_\S+ +server +active +1\.4\.0/);
  const { ask } = serve({ store });
  expect((await ask('GET', '/api/workers')).body.workers).toMatchObject([{ role: 'server', state: 'active', pid: String(process.pid) }]);
  await worker.close();
  expect(await list('--json')).toBe('');
  await store.close();
});
