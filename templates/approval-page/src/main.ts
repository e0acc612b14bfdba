import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createRuntime } from 'agent-machines';
import { createServer } from 'agent-machines/server';
import { listen, staticFiles } from 'agent-machines/server/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { publishing } from './workflow.ts';

const workflow = publishing({
  write: async (topic, remarks) => [`About ${topic}.`, ...remarks].join(' '),
  publish: async (text) => {
    console.log(`published: ${text}`);
    return 'https://example.com/otters';
  },
});
const workflows = [workflow];
const store = sqliteStore({ path: 'runs.db' });
const runtime = createRuntime({ store, workflows });
await runtime.recover(); // continues the runs of a process that has died

const folder = fileURLToPath(new URL('./page/', import.meta.url));
const files = staticFiles(folder.slice(0, -1), '');
const script = stripTypeScriptTypes(readFileSync(`${folder}page.ts`, 'utf8'));
const page = async (path: string) =>
  path === '/page.js' ? new Response(script, { headers: { 'content-type': 'text/javascript' } }) : files(path);

const token = process.env.TOKEN ?? crypto.randomUUID();
const listener = await listen({
  port: Number(process.env.PORT ?? 4680),
  server: (hosts) => createServer({ hosts, tokens: token, runtime, store, workflows, page }),
});
console.log(`${listener.url}/#token=${token}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await listener.close();
    await runtime.close();
    store.close();
  });
}
