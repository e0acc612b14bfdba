// useChat in a React page in Debian's Chromium.
import { fileURLToPath } from 'node:url';
import { createRuntime, type Runtime } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { aiSdkRoutes } from 'agent-machines/server';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callsOf } from '../fixtures/recorded-runs.ts';
import { serveRoutes } from '../fixtures/serve-routes.ts';
import { echo, held } from '../fixtures/text-tools.ts';
import { type Browser, openBrowser } from './browser/open-browser.ts';
import { installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
let browser: Browser;
let script: string;
beforeAll(async () => {
  installFolder('protocols');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('protocols/chat-page.jsx', import.meta.url))],
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

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The page of a chat with a workflow, and what it has complained of. */
async function openChat(workflow: { readonly id: string }, goneMs?: number) {
  const runtime: Runtime = createRuntime();
  const routes = aiSdkRoutes(
    { runtime, workflows: [{ id: workflow.id, workflow: workflow as never }] },
    goneMs === undefined ? {} : { goneMs },
  );
  const html =
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>';
  const server = await serveRoutes({
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/api/')) return routes.fetch(request);
      const isScript = pathname === '/page.js';
      return new Response(isScript ? script : html, { headers: { 'content-type': isScript ? 'text/javascript' : 'text/html' } });
    },
  });
  const page = await (await browser.newContext()).newPage();
  closing.push(
    () => page.close(),
    () => server.close(),
    () => runtime.close(),
  );
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${server.url}/${workflow.id}/t1`);
  const shows = (selector: string, text: string): Promise<unknown> =>
    page.waitForFunction(([where = '', what = '']) => document.querySelector(where)?.textContent?.includes(what), [selector, text]);
  const send = async (text: string): Promise<void> => {
    await page.locator('#text').fill(text);
    await page.locator('#send').click();
  };
  return { page, runtime, complaints, shows, send };
}

const slowScript = () => [
  { reply: { toolCalls: [{ name: 'slow', arguments: { text: 'x' } }] }, reasoning: 'Let me look.' },
  { reply: '다 했습니다.', tokens: ['다 ', '했습', '니다.'] },
];

describe('useChat', () => {
  it('shows a waiting call, and continues after its approval', async () => {
    const pay = echo('pay', { risk: 'high', needsApproval: true } as never);
    const model = scriptedModel([{ reply: callsOf(['pay', '10']) }, { reply: 'Paid.' }]);
    const { page, complaints, shows, send } = await openChat(toolAgent({ model, tools: [pay] }));
    await send('pay');
    await page.locator('.approve').click();
    await shows('.assistant .text', 'Paid.');
    expect(await page.locator('.card').count()).toBe(1);
    expect(await page.locator('.card').getAttribute('data-state')).toBe('output-available');
    expect([pay.asked, complaints]).toEqual([['10'], []]);
  });

  it('rejoins a run after a reload in its middle', async () => {
    const slow = held('slow');
    const { page, complaints, shows, send } = await openChat(toolAgent({ model: scriptedModel(slowScript()), tools: [slow] }), 600_000);
    await send('go');
    await shows('.card', 'slow');
    await page.reload();
    await shows('.card', 'slow');
    await shows('.assistant em', 'Let me look.');
    slow.calls[0]?.resolve('at last');
    await shows('.assistant .text', '다 했습니다.');
    await shows('.card', 'at last');
    expect([slow.calls.length, complaints]).toEqual([1, []]);
  });

  it('stops the run when its user stops it', async () => {
    const slow = held('slow');
    const { page, runtime, complaints, shows, send } = await openChat(toolAgent({ model: scriptedModel(slowScript()), tools: [slow] }), 0);
    await send('go');
    await shows('.card', 'slow');
    await page.locator('#stop').click();
    await vi.waitFor(async () => expect((await runtime.list())[0]?.status).toBe('cancelled'));
    await shows('#status', 'ready');
    expect(complaints).toEqual([]);
  });
});
