// LangGraph's client and its React hook, unmodified: over a socket, and in a page in Debian's Chromium.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { createServer, langGraphRoutes } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callsOf } from '../fixtures/recorded-runs.ts';
import { echo, held } from '../fixtures/text-tools.ts';
import { type Browser, openBrowser } from './browser/open-browser.ts';
import { importLangGraph, type LangGraphClient, type StreamPart } from './langgraph/import-client.ts';

vi.setConfig({ testTimeout: 60_000 });
let Client: Awaited<ReturnType<typeof importLangGraph>>['Client'];
beforeAll(async () => {
  ({ Client } = await importLangGraph());
}, 300_000);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const any = { perMinute: 1e6, burst: 1e6 };
const human = (content: string) => ({ messages: [{ type: 'human', content }] });
const all = ['values', 'updates', 'messages-tuple', 'custom'] as const;

/** A server with a workflow, and a client with the token in `x-api-key`. */
async function open(workflow: { readonly id: string }, page?: (path: string) => Response | undefined) {
  const store = memoryStore();
  const workflows = [workflow as never];
  const runtime = createRuntime({ store, workflows });
  const { url, close } = await listen({
    server: (hosts) =>
      createServer({
        store,
        runtime,
        workflows,
        hosts,
        tokens: 'token',
        limits: { reads: any, writes: any, starts: any, runningRuns: 100, streams: { perTenant: 100, perProcess: 200, ofProtocols: 100 } },
        mounts: [(space) => langGraphRoutes(space)],
        ...(page ? { page } : {}),
      }),
  });
  closing.push(() => runtime.close(), close);
  const client = new Client({ apiUrl: `${url}/api/langgraph`, apiKey: 'token', callerOptions: { maxRetries: 0, maxConcurrency: 100 } });
  return { client, runtime, url };
}

async function partsOf(stream: AsyncIterable<StreamPart>): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const pay = (): ReturnType<typeof echo> => echo('pay', { effect: 'once', needsApproval: true } as never);
const paying = (tool = pay()) =>
  toolAgent({ model: scriptedModel([{ reply: callsOf(['pay', '10']) }, { reply: 'Paid.' }]), tools: [tool] });
const speaking = (...texts: readonly string[]) => toolAgent({ model: scriptedModel(texts.map((reply) => ({ reply }))) });
const slowly = (slow: ReturnType<typeof held>) =>
  toolAgent({ model: scriptedModel([{ reply: callsOf(['slow', 'x']) }, { reply: 'At last.' }]), tools: [slow] });

describe('the client', () => {
  it('has the shapes of the answers of a LangGraph server', async () => {
    const shapes: Record<string, readonly string[]> = JSON.parse(
      readFileSync(new URL('langgraph/server-shapes.json', import.meta.url), 'utf8'),
    );
    const { client } = await open(paying());
    const has = (what: string, answer: object): void =>
      expect({ what, missing: shapes[what]?.filter((key) => !(key in answer)) }).toEqual({ what, missing: [] });
    const { thread_id: id } = await client.threads.create();
    const parts = await partsOf(client.runs.stream(id, 'tool_agent', { input: human('pay'), streamMode: [...all] }));
    expect([...new Set(parts.map(({ event }) => event))].sort()).toEqual([...new Set(shapes.events)].sort());
    const [assistant] = await client.assistants.search();
    const graph = await client.assistants.getGraph('tool_agent');
    const thread = await client.threads.get(id);
    const state = await client.threads.getState(id);
    has('assistant', assistant);
    has('graph', graph);
    has('graphEdge', graph.edges[0]);
    has('thread', thread);
    has('interrupt', (Object.values(thread.interrupts)[0] as readonly object[])[0] ?? {});
    has('state', state);
    has('task', state.tasks[0]);
    has('checkpoint', state.checkpoint);
    has('humanMessage', state.values.messages[0]);
    has('aiMessage', state.values.messages[1]);
    has('run', (await client.runs.list(id))[0]);
    has('interruptUpdate', parts.findLast(({ event }) => event === 'updates')?.data);
  });

  it('streams a run, answers its question and reads the history', async () => {
    const tool = pay();
    const { client } = await open(paying(tool));
    const { thread_id: id } = await client.threads.create({ graphId: 'tool_agent' });
    const created: string[] = [];
    const first = await partsOf(
      client.runs.stream(id, 'tool_agent', { input: human('pay'), streamMode: [...all], onRunCreated: (run) => created.push(run.run_id) }),
    );
    expect(first.at(-1)?.data.__interrupt__[0].value.action_requests).toEqual([{ name: 'pay', args: { text: '10' } }]);
    expect(created).toEqual([first[0]?.data.run_id]);
    const rest = await partsOf(
      client.runs.stream(id, 'tool_agent', { command: { resume: { decisions: [{ type: 'approve' }] } }, streamMode: [...all] }),
    );
    expect([rest.at(-1)?.data.output.answer, tool.asked]).toEqual(['Paid.', ['10']]);
    const [state] = await client.threads.getHistory(id);
    expect(state.values.messages.map(({ type }: { readonly type: string }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(await client.threads.search({ metadata: { graph_id: 'tool_agent' } })).toMatchObject([{ thread_id: id, status: 'idle' }]);
    await client.threads.delete(id);
    await expect(client.threads.get(id)).rejects.toThrow('THREAD_UNKNOWN');
  });

  it('reads the rest of a stream that is cut, and joins one in its middle', async () => {
    const slow = held('slow');
    const { client, url } = await open(slowly(slow));
    let cut = false;
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (cut || !String(input).endsWith('/runs/stream')) return response;
      cut = true;
      let left = 1;
      const body = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            if (left-- > 0 || slow.calls.length === 0) controller.enqueue(chunk);
            else controller.error(new TypeError('network error'));
          },
        }),
      );
      return new Response(body ?? null, response);
    };
    const fragile = new Client({ apiUrl: `${url}/api/langgraph`, apiKey: 'token', callerOptions: { fetch: cutting } });
    const parts = partsOf(fragile.runs.stream('t1', 'tool_agent', { input: human('go'), streamMode: [...all] }));
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    const [{ run_id: run }] = await client.runs.list('t1');
    const joined = partsOf(client.runs.joinStream('t1', run));
    slow.calls[0]?.resolve('ok');
    // what takes a text back has no id of its own, so that a cut before the new text repeats both
    const ids = (await parts).filter(({ data }) => data[0]?.type !== 'remove').map((part) => part.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await parts).at(-1)?.data.output.answer).toBe('At last.');
    expect((await joined).at(-1)?.data.output.answer).toBe('At last.');
    expect(await client.runs.join('t1', run)).toMatchObject({ output: { answer: 'At last.' } });
  });

  it('cancels a run during its stream, also by leaving it', async () => {
    const slow = held('slow');
    const { client, runtime } = await open(slowly(slow));
    const parts = partsOf(client.runs.stream('t1', 'tool_agent', { input: human('go') }));
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    const [{ run_id: run }] = await client.runs.list('t1');
    await client.runs.cancel('t1', run, true);
    expect((await parts).at(-1)?.event).toBe('values');
    expect(await client.runs.get('t1', run)).toMatchObject({ status: 'interrupted' });
    const second = held('slow');
    const other = await open(slowly(second));
    const leaving = new AbortController();
    const left = partsOf(
      other.client.runs.stream('t1', 'tool_agent', { input: human('go'), onDisconnect: 'cancel', signal: leaving.signal }),
    ).catch(() => {});
    await vi.waitFor(() => expect(second.calls).toHaveLength(1));
    leaving.abort();
    await left;
    await vi.waitFor(async () => expect((await other.runtime.list({ threadId: 't1' }))[0]?.status).toBe('cancelled'));
    expect((await runtime.list({ threadId: 't1' }))[0]?.status).toBe('cancelled');
  });

  it('starts 50 threads at once, and refuses a message of 1 MB by code', async () => {
    const { client } = await open(speaking(...Array.from({ length: 51 }, (_, index) => `Answer ${index}.`)));
    const ends = await Promise.all(
      Array.from({ length: 50 }, (_, index) => client.runs.wait(`t${index}`, 'tool_agent', { input: human(`q${index}`) })),
    );
    expect(ends.map(({ messages }, index) => [messages.length, messages[0].content === `q${index}`])).toEqual(ends.map(() => [2, true]));
    expect(await client.threads.search({ limit: 100 })).toHaveLength(50);
    await expect(client.runs.wait(null, 'tool_agent', { input: human('x'.repeat(1_000_000)) })).rejects.toThrow('REQUEST_INVALID');
    expect(await client.threads.search({ limit: 100 })).toHaveLength(50);
    const long = await client.runs.wait(null, 'tool_agent', { input: human('x'.repeat(250_000)) });
    expect(long.messages[0].content).toHaveLength(250_000);
  });

  it('gets an error by code for what is not supported', async () => {
    const { client } = await open(speaking('Hello.'));
    const refused: readonly (readonly [ask: () => Promise<unknown>, text: string])[] = [
      [() => client.store.putItem(['a'], 'k', { v: 1 }), 'Not supported here: PUT /store/items'],
      [() => partsOf(client.runs.stream('t1', 'tool_agent', { input: human('a'), streamMode: 'debug' })), 'stream_mode \\"debug\\"'],
      [() => client.runs.wait('t1', 'none', { input: human('a') }), 'WORKFLOW_UNKNOWN'],
      [() => client.runs.wait('t1', 'tool_agent', { command: { resume: true } }), 'INTERRUPT_UNKNOWN'],
      [() => client.threads.get('none'), 'THREAD_UNKNOWN'],
    ];
    for (const [ask, text] of refused) await expect(ask()).rejects.toThrow(text);
    await expect(client.runs.list('t1')).rejects.toThrow('THREAD_UNKNOWN');
  });
});

describe('useStream', () => {
  let browser: Browser;
  let script: string;
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('langgraph/chat-page.jsx', import.meta.url))],
      bundle: true,
      write: false,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'error',
    });
    script = outputFiles[0]?.text ?? '';
    browser = await openBrowser();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
  });

  /** The page of a chat with a workflow, signed in by a session, and what it has complained of. */
  async function openChat(workflow: { readonly id: string }) {
    const html =
      '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>';
    const { runtime, url, client } = await open(workflow, (path) => {
      const isScript = path === '/page.js';
      return new Response(isScript ? script : html, {
        headers: { 'content-type': isScript ? 'text/javascript' : 'text/html', 'content-security-policy': "default-src 'self' data:" },
      });
    });
    const page = await (await browser.newContext()).newPage();
    closing.push(() => page.close());
    await page.goto(url);
    await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      await fetch('/api/session', { method: 'POST', headers, body: JSON.stringify({ token: 'token' }) });
    });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${url}/${workflow.id}`);
    const shows = (selector: string, text: string): Promise<unknown> =>
      page.waitForFunction(
        ([where = '', what = '']) => [...document.querySelectorAll(where)].some((one) => one.textContent?.includes(what)),
        [selector, text],
      );
    const send = async (text: string): Promise<void> => {
      await page.locator('#text').fill(text);
      await page.locator('#send').click();
    };
    return { page, runtime, complaints, shows, send, client: client as LangGraphClient };
  }

  it('shows a run, approves its call and continues the conversation', async () => {
    const tool = pay();
    const model = scriptedModel([{ reply: callsOf(['pay', '10']) }, { reply: 'Paid.', tokens: ['Pa', 'id.'] }, { reply: '안녕하세요.' }]);
    const { page, complaints, shows, send } = await openChat(toolAgent({ model, tools: [tool] }));
    await send('pay');
    await page.locator('.approve').click();
    await shows('.ai', 'Paid.');
    await shows('#status', 'ready');
    await send('안녕');
    await shows('.ai', '안녕하세요.');
    expect(await page.locator('.human').allTextContents()).toEqual(['pay', '안녕']);
    await page.reload();
    await shows('.ai', '안녕하세요.');
    await shows('.tool', 'pay 10');
    expect([tool.asked, complaints]).toEqual([['10'], []]);
  });

  it('rejoins a run after a reload in its middle', async () => {
    const slow = held('slow');
    const { page, complaints, shows, send } = await openChat(slowly(slow));
    await send('go');
    await shows('code', 'slow');
    await page.reload();
    await shows('code', 'slow');
    slow.calls[0]?.resolve('ok');
    await shows('.ai', 'At last.');
    await shows('#status', 'ready');
    expect([slow.calls.length, complaints]).toEqual([1, []]);
  });

  it('stops a run, and starts the next one', async () => {
    const slow = held('slow');
    const model = scriptedModel([{ reply: callsOf(['slow', 'x']) }, { reply: 'Next.' }]);
    const { page, runtime, shows, send, complaints } = await openChat(toolAgent({ model, tools: [slow] }));
    await send('go');
    await shows('code', 'slow');
    await page.locator('#stop').click();
    await vi.waitFor(async () => expect((await runtime.list({}))[0]?.status).toBe('cancelled'));
    await send('again');
    await shows('.ai', 'Next.');
    expect(complaints).toEqual([]);
  });
});
