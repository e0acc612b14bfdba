// Our server in a process of its own: `our-server.ts memory|sqlite MODEL_URL`. Says its address.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRuntime, defineMachine, defineWorkflow, final, memoryStore, node, schemaState } from 'agent-machines';
import { askModel } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { agUiRoutes, aiSdkRoutes, createServer, openaiRoutes } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { z } from 'zod';
import { benchToken } from './server-variant.ts';

const [kind = 'memory', baseURL = ''] = process.argv.slice(2);
const model = openaiModel({ model: 'talk', baseURL, apiKey: 'none' });
const state = schemaState(z.object({ input: z.string(), said: z.string().default('') }));
const workflow = defineWorkflow({
  machine: defineMachine(state, {
    id: 'talk',
    initial: 'talk',
    output: () => 'said',
    states: { talk: node('talk', { done: 'said', error: 'failed' }), said: final(), failed: final('failure') },
  }),
  nodes: {
    talk: async ({ input }, io) => {
      const messages = [{ role: 'user', content: input }] as const;
      return { said: (await askModel(model, { task: 'talk', messages }, { io, stream: true })).text };
    },
  },
});

const idleWorkflow = defineWorkflow({
  machine: defineMachine(state, {
    id: 'idle',
    initial: 'say',
    output: () => 'said',
    states: { say: node('say', { done: 'said', error: 'failed' }), said: final(), failed: final('failure') },
  }),
  nodes: { say: async () => ({ said: 'said' }) },
});

const folder = mkdtempSync(join(tmpdir(), 'agent-machines-server-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit(0));
const path = join(folder, 'runs.db');
const store = kind === 'sqlite' ? sqliteStore({ path }) : memoryStore();
const runtime = createRuntime({ store, workflows: [workflow] });
const any = { perMinute: 1e9, burst: 1e9 };
const limits = {
  reads: any,
  writes: any,
  starts: any,
  runningRuns: 10_000,
  threads: 100_000,
  streams: { perTenant: 1_000, perProcess: 1_000, ofProtocols: 1_000 },
};
const { url } = await listen({
  host: '127.0.0.1',
  server: (hosts) =>
    createServer({
      hosts,
      tokens: benchToken,
      store,
      runtime,
      workflows: [workflow],
      mounts: [(space) => aiSdkRoutes(space), (space) => agUiRoutes(space), (space) => openaiRoutes(space)],
      limits,
    }),
});
console.log(`listening ${url}`);

createInterface({ input: process.stdin }).on('line', async (line) => {
  const count = Number(/^idle (\d+)$/.exec(line)?.[1] ?? 0);
  // the same file, but not every commit waits for the disk
  const filled = kind === 'sqlite' ? sqliteStore({ path, durability: 'normal' }) : store;
  const filling = createRuntime({ store: filled, workflows: [idleWorkflow] });
  for (let number = 0; number < count; number++) await filling.start(idleWorkflow, { input: 'x' }, { threadId: `t${number}` }).result;
  await filling.close();
  if (filled !== store) await filled.close?.();
  console.log('done');
});
