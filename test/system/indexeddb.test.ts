import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from 'agent-machines';
import { runStoreContract } from 'agent-machines/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BrowserContext, openBrowser, openProfile, type Page } from './browser/open-browser.ts';
import type { StorePage } from './stores/indexeddb-page.ts';
import { type Ledger, openLedger } from './stores/ledger.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

declare const page: StorePage; // within the browser

let script = '';
let folder = '';
let profiles = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'indexeddb-'));
  const { outputFiles } = await build({
    entryPoints: ['test/system/stores/indexeddb-page.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser', // a `node:` import would fail here
    conditions: ['@agent-machines/source', 'module'],
    logLevel: 'warning',
  });
  script = outputFiles[0]?.text ?? '';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openSite(): Promise<Ledger> {
  const ledger = await openLedger();
  ledger.files.set('', { type: 'text/html', body: '<!doctype html><script type="module" src="page.js"></script>' });
  ledger.files.set('page.js', { type: 'text/javascript', body: script });
  return ledger;
}

async function openTab(context: BrowserContext, { url }: Ledger): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(url);
  await tab.waitForFunction(() => 'page' in globalThis);
  return tab;
}

/** The browser lets go of a closed tab's locks some time after it says that the tab is closed. */
async function whenNoneHolds(tab: Page): Promise<void> {
  await tab.evaluate(async () => {
    const { held = [] } = await navigator.locks.query();
    for (const { name = '' } of held) await navigator.locks.request(name, () => {});
  });
}

const openNewProfile = (): Promise<BrowserContext> => openProfile(join(folder, String(profiles++)));

describe('indexedDbStore in Chromium', () => {
  it('passes the contract of stores', async () => {
    await using site = await openSite();
    await using browser = await openBrowser();
    const tab = await openTab(await browser.newContext(), site);
    const cases = runStoreContract(async () => memoryStore()).length;
    expect(await tab.evaluate(() => page.contract())).toEqual({ cases, failed: [] });
  });

  it.each([1, 2] as const)('reads a database of version %i', async (version) => {
    await using site = await openSite();
    const context = await openNewProfile();
    const tab = await openTab(context, site);
    const thread = { id: 't', workflow: 'example', revision: 1, state: { turns: 1 } };
    expect(await tab.evaluate((from) => page.readOld(from), version)).toEqual({ thread, ratings: 0 });
    await context.close();
  });

  it('resumes a run after its tab closed at any point, and repeats no step', async () => {
    await using browser = await openBrowser();
    let closed = 0;
    for (;;) {
      await using site = await openSite();
      const context = await browser.newContext();
      const first = await openTab(context, site);
      const isClosed = await new Promise<boolean>((resolve) => {
        site.killAt(closed + 1, () => void first.close().then(() => resolve(true)));
        void first
          .evaluate(() => page.begin())
          .then(() => first.evaluate(() => page.run))
          .then(
            () => resolve(false),
            () => {},
          );
      });
      if (!isClosed) break;
      closed++;
      const second = await openTab(context, site);
      await whenNoneHolds(second);
      await second.evaluate(() => page.begin());
      const result = await second.evaluate(() => page.run);
      expect(result, site.told.join()).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(site.paid, site.told.join()).toEqual(['rent', 'tax', 'post']);
      await context.close();
    }
    expect(closed).toBeGreaterThan(10);
  });

  it('resumes after the whole browser ended', async () => {
    await using site = await openSite();
    const before = await openNewProfile();
    const tab = await openTab(before, site);
    const told = new Promise<void>((resolve) => site.killAt(5, resolve));
    await tab.evaluate(() => page.begin());
    await told;
    await before.close();
    const after = await openProfile(join(folder, String(profiles - 1)));
    const again = await openTab(after, site);
    await again.evaluate(() => page.begin());
    expect(await again.evaluate(() => page.run)).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
    expect(site.paid).toEqual(['rent', 'tax', 'post']);
    await after.close();
  });

  it('reserves a run for the tab that drives it, until that tab closes', async () => {
    await using site = await openSite();
    await using browser = await openBrowser();
    const context = await browser.newContext();
    const first = await openTab(context, site);
    const second = await openTab(context, site);
    const told = new Promise<void>((resolve) => site.killAt(3, resolve));
    await first.evaluate(() => page.begin());
    await told;
    expect(await second.evaluate(() => page.acquire('o_2'))).toBe('RUN_BUSY');
    await first.close();
    await whenNoneHolds(second);
    expect(await second.evaluate(() => page.acquire('o_2'))).toBe('epoch 2');
  });
});
