// Takes the pictures of the inspector and of the studio for the docs. It needs Debian's Chromium, and the browser's driver, which it
// installs, and the built package (`npm run build`).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { createInspectorServer } from '../src/studio/inspector/node/inspector-server.ts';
import { openBrowser } from '../test/system/browser/open-browser.ts';
import { serveBuilt } from '../test/system/serve-studio.ts';
import { openPage } from '../test/system/studio/open-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-machines-screenshots-'));
const db = join(folder, 'agents.db');
const store = sqliteStore({ path: db });
const workflow = planExecute();
const runtime = createRuntime({ store, workflows: [workflow] });
for (const input of ['123 * 456 계산해줘', '(17 + 4) * 12']) await runtime.start(workflow, { input }).result;
const server = await createInspectorServer({ db, workflowOf: async () => workflow });
await using browser = await openBrowser();

for (const [name, colorScheme, locale] of [
  ['inspector', 'light', 'en-US'],
  ['inspector-dark', 'dark', 'ko-KR'],
] as const) {
  const page = await (await browser.newContext({ colorScheme, locale, viewport: { width: 1280, height: 760 } })).newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => document.querySelectorAll('.steps button').length > 5);
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  await page.screenshot({ path: `docs/drawings/${name}.png` });
  console.log(`docs/drawings/${name}.png`);
}
await server.close();
await runtime.close();
await store.close();

const served = await serveBuilt(join(folder, 'studio.db'));
const viewport = { width: 1280, height: 800 };
const run = await openPage(browser, served.address, { colorScheme: 'dark', viewport });
await run.ask('지체상금률은?', 'contract-agent');
await run.shows('.chips', '②');
await run.page.waitForFunction(() => document.querySelectorAll('.jl li').length > 3); // the journal comes a moment later
await run.page.screenshot({ path: 'docs/drawings/studio-run.png' });
const review = await openPage(browser, served.address, { colorScheme: 'light', viewport });
await review.ask('Make a guide for writing weekly reports with AI', 'guide-agent');
await review.counts('[data-turn="plan"]', 1);
await review.page.waitForFunction(() => document.querySelectorAll('.jl li').length > 3);
await review.page.screenshot({ path: 'docs/drawings/studio-review.png' });
console.log('docs/drawings/studio-run.png\ndocs/drawings/studio-review.png');
await served.close();
rmSync(folder, { recursive: true, force: true });
