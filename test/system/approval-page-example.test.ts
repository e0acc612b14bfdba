// docs/examples/approval-page in a browser: two tabs ask one person, a link is good for one run, and a restart of the server changes nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, vi } from 'vitest';
import { folderForTest } from '../fixtures/folder-for-test.ts';
import { freePort } from '../fixtures/free-port.ts';
import { openBrowser, type Page } from './browser/open-browser.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

interface Started extends AsyncDisposable {
  /** The link that the server prints. */
  readonly link: string;
}

async function startServer(folder: string, topic: string, port: number): Promise<Started> {
  const args = ['--conditions=@agent-machines/source', resolve('docs/examples/approval-page/server.ts'), topic];
  const env = { ...process.env, DB: join(folder, 'blog.db'), PAGE_SECRET: 'a secret of this test', PORT: `${port}` };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    link: line.replace('Send this link: ', ''),
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close');
      child.kill();
      expect(await closed).toEqual([0, null]);
    },
  };
}

const textOf = (page: Page, selector: string): Promise<string | null> => page.locator(selector).textContent();

it('docs/examples/approval-page asks in two tabs, takes one answer, and tells the other tab', async () => {
  const folder = folderForTest('approval-page-');
  const port = await freePort();
  await using browser = await openBrowser();
  const context = await browser.newContext();
  let link = '';
  {
    await using server = await startServer(folder, 'Otters', port);
    ({ link } = server);
    const page = await context.newPage();
    await page.goto(link);
    await page.locator('#answer').waitFor();
    expect(await textOf(page, '#title')).toBe('Publish this text?');
    await page.locator('[name=remark]').fill('add a stone');
    await page.locator('[value=REVISE]').click();
    await page.waitForFunction((part) => document.getElementById('text')?.textContent?.includes(part), 'add a stone');
    await page.close();
  }
  await using server = await startServer(folder, 'Foxes', port);
  const first = await context.newPage();
  const second = await context.newPage();
  for (const page of [first, second]) {
    await page.goto(link);
    await page.locator('#answer').waitFor();
    expect(await textOf(page, '#text')).toBe('Otters hold hands while they sleep. (add a stone)');
  }
  await first.locator('[value=APPROVE]').click();
  await first.waitForFunction((title) => document.getElementById('title')?.textContent === title, 'This is done.');
  await second.locator('[name=remark]').fill('no');
  await second.locator('[value=REVISE]').click();
  await second.waitForFunction((note) => document.getElementById('note')?.textContent === note, 'It was already answered: APPROVE.');
  expect(await textOf(second, '#title')).toBe('This is done.');

  const ask = (token: string): Promise<Response> =>
    fetch(`http://localhost:${port}/run`, { headers: { authorization: `Bearer ${token}` } });
  const [runId = '', until = '', signature = ''] = link.replace(/.*#/, '').split('.');
  const [otherRun = ''] = server.link.replace(/.*#/, '').split('.');
  expect(await (await ask(`${runId}.${until}.${signature}`)).json()).toMatchObject({ status: 'done' });
  const forged = [`${otherRun}.${until}.${signature}`, `${runId}.${Number(until) + 1}.${signature}`, `${runId}.1.${signature}`, runId, ''];
  for (const token of forged) expect((await ask(token)).status).toBe(401);
});
