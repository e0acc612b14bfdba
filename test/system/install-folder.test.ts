import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openBrowser } from './browser/open-browser.ts';
import { installedProgram } from './install-folder.ts';

const lockedVersion = (name: string): string => {
  const { dependencies } = JSON.parse(readFileSync(new URL(`${name}/package.json`, import.meta.url), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return dependencies[name] ?? '';
};

it.each(['bun', 'deno', 'workerd'] as const)('installs %s in its locked version', { timeout: 300_000 }, (name) => {
  const said = execFileSync(installedProgram(name), ['--version'], { encoding: 'utf8' });
  // workerd says its date alone
  expect(said.replaceAll('-', '')).toContain(lockedVersion(name).replace(/^1\.(\d{8})\.\d+$/, '$1'));
});

it('opens the browser', { timeout: 300_000 }, async () => {
  await using browser = await openBrowser();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setContent('<h1>It works</h1>');
  expect(await page.locator('h1').textContent()).toBe('It works');
});
