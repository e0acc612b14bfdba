// An approval in a page of your own: the link that a person gets is good for one run, and for a day.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createRuntime, defineMachine, defineWorkflow, type HumanEvent, schemaState, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { Hono } from 'hono';
import { z } from 'zod';

const state = schemaState(z.object({ topic: z.string(), text: z.string().default(''), remark: z.string().default('') }), {
  events: { APPROVE: null, REVISE: z.object({ remark: z.string().min(1) }) },
});
const blog = defineWorkflow({
  machine: defineMachine(state, {
    id: 'blog',
    initial: 'write',
    output: ({ text }) => text,
    states: {
      write: { node: 'write', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'publish', REVISE: 'write' } },
      publish: { node: 'publish', done: 'published', error: 'failed' },
      published: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    write: async ({ topic, remark }) => ({ text: `${topic} hold hands while they sleep.${remark && ` (${remark})`}` }),
    publish: async () => ({}),
  },
  questions: { review: ({ text }) => ({ title: 'Publish this text?', text }) },
});
const store = sqliteStore({ path: process.env.DB ?? 'blog.db' });
const runtime = createRuntime({ store, workflows: [blog] });
const runs = runtime.of(blog);
await runtime.recover(); // runs that a process has left at work

/** The token of a link: which run, until when, and a signature that only this server can make. */
const secret = process.env.PAGE_SECRET ?? crypto.randomUUID();
const sign = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
function tokenFor(runId: string, days = 1): string {
  const content = `${runId}.${Date.now() + days * 86_400_000}`;
  return `${content}.${sign(content)}`;
}
function runOf(token = ''): string | undefined {
  const [runId = '', until = '', signature = ''] = token.replace(/^Bearer /, '').split('.');
  const expected = Buffer.from(sign(`${runId}.${until}`));
  const given = Buffer.from(signature);
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
  return isOurs && Number(until) > Date.now() ? runId : undefined;
}

const app = new Hono<{ Variables: { runId: string } }>();
app.get('/', (c) => c.html(readFileSync(new URL('page.html', import.meta.url), 'utf8')));
app.use('/run/*', async (c, next) => {
  const runId = runOf(c.req.header('authorization'));
  if (runId === undefined) return c.json({ message: 'This link is wrong or too old.' }, 401);
  c.set('runId', runId);
  await next();
});
app.get('/run', async (c) => {
  const { status, result } = await runs.get(c.get('runId'));
  return c.json(result ?? { status });
});
app.post('/run/answer', async (c) => {
  const { interruptId, event } = await c.req.json<{ interruptId: string; event: HumanEvent }>();
  const run = await runtime.send(c.get('runId'), event, { interruptId });
  await run.result;
  return c.json({});
});
app.onError((error, c) => {
  if (!WorkflowError.isInstance(error)) return c.json({ message: 'The server has failed.' }, 500);
  const { code, message, data } = error;
  return c.json({ code, message, winner: data?.winner }, 409);
});

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 4700) }, ({ port }) => {
  const run = runs.start({ topic: process.argv[2] ?? 'Otters' });
  run.result.then(() => console.log(`Send this link: http://localhost:${port}/#${tokenFor(run.id)}`));
});
process.on('SIGTERM', async () => {
  server.close();
  await runtime.close();
  await store.close();
});
