import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { afterAll, describe } from 'vitest';
import { engineContract } from '../fixtures/engine-contract.ts';
import { engineWorkflows } from '../fixtures/engine-workflows.ts';
import { runtimeEngine } from '../fixtures/runtime-engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each<[name: string, store: RunStore]>([
  ['memory', memoryStore()],
  ['a SQLite file', sqliteStore({ path: join(folder, 'runs.db') })],
])('the runtime on %s', (name, store) => {
  const effects = join(folder, `${name.length}.txt`);
  writeFileSync(effects, '');
  const engine = runtimeEngine(() => store, engineWorkflows(effects), effects);
  afterAll(() => engine[Symbol.asyncDispose]());
  engineContract(async () => engine);
});
