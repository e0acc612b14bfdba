import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, it, vi } from 'vitest';
import { openBrowser, type Page } from './browser/open-browser.ts';
import { openLedger } from './stores/ledger.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const notes = 'Otters hold hands while they sleep. They keep a stone under the arm. The river was cold in March.';

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['docs/examples/browser/page.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['@agent-machines/source', 'module'],
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

const textOf = (page: Page, selector: string): Promise<string | null> => page.locator(selector).textContent();

it('docs/examples/browser asks before it reads a file, survives a reload and a closed tab, and answers', async () => {
  await using site = await openLedger();
  site.files.set('', { type: 'text/html', body: readFileSync('docs/examples/browser/index.html') });
  site.files.set('page.js', { type: 'text/javascript', body: await bundlePage() });
  await using browser = await openBrowser();
  const context = await browser.newContext();
  const errors: string[] = [];
  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(site.url);
    return page;
  };

  const first = await open();
  await first.locator('#files').setInputFiles([{ name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from(notes) }]);
  await first.locator('#kept li').waitFor();
  await first.locator('#question').fill('Summarize notes.md');
  await first.locator('#ask button').click();
  await first.locator('#approve').waitFor();
  const asked = await textOf(first, '#asked');
  expect(asked).toBe('May read_file be called with {"path":"notes.md"}?');

  await first.reload();
  await first.locator('#approve').waitFor();
  expect(await textOf(first, '#asked')).toBe(asked);
  expect(await textOf(first, '#steps')).toBe('intent_classifier#1planner#1executor#1');

  await first.close();
  const second = await open();
  await second.locator('#approve').click();
  await second.locator('#answer:not(:empty)').waitFor();
  expect(await textOf(second, '#answer')).toContain('Otters hold hands');

  await second.reload();
  await second.locator('#answer:not(:empty)').waitFor();
  expect(await textOf(second, '#steps')).toBe('intent_classifier#1planner#1executor#1executor#2final_answer#1');
  expect(errors).toEqual([]);
});
