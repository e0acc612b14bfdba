// The inspector's page in Debian's Chromium, against a database that is written meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { toInspectorMessage } from 'agent-machines/inspect';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createInspectorServer, type InspectorServer } from '../../src/studio/inspector/node/inspector-server.ts';
import { playForAWhile } from '../fixtures/foreign-app.ts';
import { type Browser, openBrowser } from './browser/open-browser.ts';
import { importStately } from './stately/stately-inspector.ts';

vi.setConfig({ testTimeout: 60_000 });

const workflow = planExecute();
const folder = mkdtempSync(join(tmpdir(), 'agent-machines-page-'));
const store = sqliteStore({ path: join(folder, 'agents.db') });
const runtime = createRuntime({ store, workflows: [workflow] });
let browser: Browser;
let server: InspectorServer;
let runId: string;

beforeAll(async () => {
  const run = runtime.start(workflow, { input: '3 * 4 <img src=x onerror="document.title=document.domain">' });
  await run.result;
  runId = run.id;
  server = await createInspectorServer({ db: join(folder, 'agents.db'), pauseMs: 20, workflowOf: async () => workflow });
  browser = await openBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await runtime.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page at an address, and what it has complained of. */
async function openPage(place: string, options: Parameters<Browser['newContext']>[0] = { locale: 'en-US' }) {
  const page = await (await browser.newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(server.url + place);
  await page.waitForFunction(() => document.querySelectorAll('.steps button').length > 5);
  return { page, complaints };
}

type Page = Awaited<ReturnType<typeof openPage>>['page'];

/** What is chosen in the list of steps. */
const chosen = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector('.steps [aria-current] .name')?.textContent ?? undefined);
/** How much of the drawing is lit. */
const lit = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('#machine [stroke="#2563eb"]').length);

describe('the page of the inspector', () => {
  it.each(['en-US', 'ko-KR'])('fits on a narrow screen: %s', async (locale) => {
    const { page } = await openPage(`#run=${runId}`, { locale, viewport: { width: 390, height: 844 } });
    const { wide, room, tallest } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      room: document.documentElement.clientWidth,
      tallest: Math.max(...[...document.querySelectorAll('header button')].map((button) => button.getBoundingClientRect().height)),
    }));
    expect([wide, tallest < 48]).toEqual([room, true]); // a label stands in one line
  });

  it('draws the machine with the path of the run, and steps through it by keys', async () => {
    const { page, complaints } = await openPage(`#run=${runId}`);
    expect(await page.locator('#title').textContent()).toBe('plan_execute 2');
    expect(await chosen(page)).toBe('done');
    const whole = await lit(page);
    await page.keyboard.press('Home');
    expect(await chosen(page)).toBe('plan_execute');
    expect(await lit(page)).toBeLessThan(whole);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await chosen(page)).toBe('planner → executor');
    expect(await page.locator('#details').textContent()).toContain('calculator');
    await page.keyboard.press('End');
    expect(await lit(page)).toBe(whole);
    expect(complaints).toEqual([]);
  });

  it('follows the newest run when a run begins', async () => {
    const { page } = await openPage('#live');
    const run = runtime.start(workflow, { input: '5 * 6' });
    await run.result;
    await page.waitForFunction((id) => document.querySelector('.runs [aria-current]')?.textContent?.includes(id), run.id);
    await page.waitForFunction(() => document.querySelectorAll('.steps button').length > 5);
    expect(await chosen(page)).toBe('done');
  });

  it("shows a user's input as text", async () => {
    const { page } = await openPage(`#run=${runId}`);
    await page.keyboard.press('Home');
    expect(await page.locator('#details').textContent()).toContain('<img src=x');
    expect(await page.locator('img, #machine script').count()).toBe(0);
    expect(await page.evaluate(() => document.title)).toBe('plan_execute · done');
  });

  it('follows the language and color scheme of its reader, and switches to English', async () => {
    const { page } = await openPage(`#run=${runId}`, { locale: 'ko-KR', colorScheme: 'dark' });
    const look = () =>
      page.evaluate(() => ({
        lang: document.documentElement.lang,
        heading: document.querySelector('#runs h2')?.textContent,
        paper: getComputedStyle(document.body).backgroundColor,
        drawing: document.querySelector('#machine svg > rect')?.getAttribute('fill'),
      }));
    expect(await look()).toEqual({ lang: 'ko', heading: '실행', paper: 'rgb(15, 20, 27)', drawing: '#0f141b' });
    await page.locator('#language').click();
    await page.locator('#theme').click();
    expect(await look()).toEqual({ lang: 'en', heading: 'Runs', paper: 'rgb(255, 255, 255)', drawing: '#ffffff' });
  });

  it('names every control, describes every drawing, and scrolls by keyboard', async () => {
    const { page } = await openPage(`#run=${runId}`);
    const found = await page.evaluate(() => {
      const nameOf = (one: Element): string => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? '';
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      return {
        unnamed: [...document.querySelectorAll('button, input, [role=region], nav, summary')].filter((one) => nameOf(one) === '').length,
        drawing: document.querySelector('#machine svg')?.getAttribute('role'),
        words: document.querySelector('#machine svg > desc')?.textContent?.includes('The path of the run is intent_classifier'),
        unreachable: [...document.querySelectorAll('*')].filter(
          (one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && !one.matches('[tabindex]'),
        ).length,
        headings: [...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => tagName),
        twice: ids.length - new Set(ids).size,
      };
    });
    expect(found).toEqual({ unnamed: 0, drawing: 'img', words: true, unreachable: 0, headings: ['H1', 'H2', 'H2', 'H3'], twice: 0 });
  });
});

describe('an app of XState', () => {
  /** Sends what the app does to the inspector, once it listens. */
  const feeds: Readonly<Record<string, () => Promise<void>>> = {
    toInspectorMessage: async () => {
      const socket = new WebSocket(server.webSocketUrl);
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      await playForAWhile((event) => {
        const message = toInspectorMessage(event);
        if (message !== undefined) socket.send(message);
      });
    },
    '@statelyai/inspect': async () => {
      const { createWebSocketInspector } = await importStately();
      const { inspect } = createWebSocketInspector({ url: server.webSocketUrl });
      await playForAWhile((event) => inspect.next(event));
    },
  };

  it.each(Object.keys(feeds))('is shown from its root, with the edges, history and source of its machine: %s', async (name) => {
    const own = await createInspectorServer({});
    const before = server;
    server = own;
    try {
      await feeds[name]?.();
      const { page, complaints } = await openPage('');
      await page.waitForFunction(() => document.querySelectorAll('.steps button').length > 12);
      expect(await page.locator('#title').textContent()).toContain('player');
      expect(await page.locator('.runs .name').allTextContents()).toEqual([
        'player',
        '↳ 0.player.on.deck.loading',
        '↳ track 0',
        '↳ 0.player.on.deck.playing',
        '↳ 0.player.on.deck.playing',
        '↳ 0.player.on.deck.loading',
      ]);
      const steps = await page.locator('.steps button').allTextContents();
      expect(steps.find((text) => text.startsWith('ON →'))).toContain('ON, always');
      await page
        .locator('.steps button')
        .nth(steps.findIndex((text) => text.startsWith('xstate.done.actor')))
        .click();
      const texts = await page.locator('#machine text[fill="#2563eb"]').allTextContents();
      expect(texts).toEqual(['3 always [else]', 'always']);
      expect(await page.locator('#machine svg').textContent()).toContain('H*');
      expect(await page.locator('#details').textContent()).toContain('createMachine({');
      expect(complaints).toEqual([]);
    } finally {
      server = before;
      await own.close();
    }
  });
});
