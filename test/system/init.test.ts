// A newcomer's projects: made from the packed tarball, installed by npm, pnpm and Bun, with their tests, types, promises and mutants.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'agent-machines/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser, type Page } from './browser/open-browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-machines-project-'));
afterAll(() => rm(folder, { recursive: true, force: true }), 120_000);

const tools = join(folder, 'tools');
const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, TOKEN: _token, ...others } = process.env;
const env = { ...others, PATH: [join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter), NEXT_TELEMETRY_DISABLED: '1' };
const run = (cwd: string, [file = '', ...args]: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(file, args, { cwd, env: { ...env, ...more } });
const words = (line: string): readonly string[] => line.split(' ');

let tarball = '';
beforeAll(async () => {
  const { stdout } = await run(resolve('.'), ['npm', 'pack', '--json', '--pack-destination', folder]);
  const packed = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as readonly { readonly filename: string }[];
  tarball = join(folder, packed[0]?.filename ?? '');
  await run(folder, words('npm install --prefix tools pnpm@12 bun@1'));
}, 240_000);

/** Makes a project from the tarball, and installs it from there: `init` finds the tarball itself. */
async function made(name: string, template: string, install: string): Promise<string> {
  const init = ['npm', 'exec', '--yes', `--package=${tarball}`, '--', 'agent-machines', 'init', name, '--template', template];
  await run(folder, init);
  const project = join(folder, name);
  await run(project, words(install));
  return project;
}

/** Runs what every project has. */
async function expectGood(project: string, manager: string): Promise<void> {
  const script = (...args: readonly string[]) => run(project, [manager, 'run', ...args]);
  expect((await script('test')).stdout).toMatch(/pass [1-9]\d*\n.*fail 0/s);
  await script('check');
  expect((await script('verify')).stdout).not.toMatch(/^[✗·](?! {2}assumes)/m);
  expect((await script('mutate')).stdout).toMatch(/✓ \w+: the test kills [1-9]\d+ of \d+ mutants \((?:9[5-9]|100)\.\d %\)/);
}

describe.each(['npm', 'pnpm', 'bun'])('a project from init, installed by %s', (manager) => {
  it('passes its tests and checks, starts and resumes', { timeout: 300_000 }, async () => {
    const project = await made(`by-${manager}`, 'workflow', `${manager} install`);
    await expectGood(project, manager);
    expect((await run(project, [manager, 'run', 'start'])).stdout).toContain('write → review');
    const approve = [manager, 'run', 'start', ...(manager === 'npm' ? ['--'] : []), 'APPROVE'];
    expect((await run(project, approve)).stdout).toContain('publish → published');
  });
});

describe('a project from init', () => {
  it('uses a tarball of the clone that made it', { timeout: 300_000 }, async () => {
    await run(folder, ['node', resolve('dist/src/cli/bin.js'), 'init', 'cloned']);
    const project = join(folder, 'cloned');
    await run(project, words('npm install'));
    await expectGood(project, 'npm');
  });

  // its machine has 148 mutants, and each is tried in a process of its own
  it('of the template tool-agent asks before a refund, and fails without its model server', { timeout: 900_000 }, async () => {
    const project = await made('agent', 'tool-agent', 'npm install');
    await expectGood(project, 'npm');
    const start = (text: string, more: NodeJS.ProcessEnv = {}) => run(project, ['npm', 'start', '--', text], more);
    expect((await start('Where is order 7?')).stdout).toContain('on its way');
    const waits = await start('Refund order 8');
    expect(waits.stdout).toContain('tools → tool_review');
    expect(waits.stdout).not.toContain('refunded');
    expect((await start('APPROVE')).stdout).toContain('refunded: order 8');
    const dead = start('Where is order 7?', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    await expect(dead).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('failed: MODEL_UNAVAILABLE') });
  });

  it('of the template approval-page serves a page in which a human approves', { timeout: 300_000 }, async () => {
    const project = await made('page', 'approval-page', 'npm install');
    await expectGood(project, 'npm');
    const { origin } = new URL(await serving(project, ['node', 'src/main.ts'], /http:\S+/, { TOKEN: 'secret', PORT: '0' }));
    expect(await (await fetch(origin)).text()).toContain('src="/page.js"');
    expect(await (await fetch(`${origin}/page.js`)).text()).not.toContain('import type');
    await expectApproval(origin);
    await inPage(`${origin}/#token=secret`, async (page) => {
      await page.locator('#start button').click();
      await page.locator('#waiting p:text-is("About otters.")').waitFor();
      expect(await page.evaluate(() => location.href)).toBe(`${origin}/`); // without the token
      await page.locator('#waiting input').fill('They swim.');
      await page.locator('button:text-is("Revise")').click();
      await page.locator('#waiting p:text-is("About otters. They swim.")').waitFor();
      await page.locator('button:text-is("Approve")').click();
      await page.locator('#waiting li').waitFor({ state: 'detached' });
      expect(await page.locator('#message').textContent()).toBe('');
    });
  });

  it('of the template nextjs builds, and its route starts, streams and answers runs', { timeout: 300_000 }, async () => {
    const project = await made('next-app', 'nextjs', 'npm install');
    await expectGood(project, 'npm');
    await run(project, words('npm run build'));
    const next = ['node', 'node_modules/next/dist/bin/next', 'start'];
    const origin = await serving(project, next, /http:\/\/localhost:\d+/, { TOKEN: 'secret', PORT: '3947' });
    expect(await (await fetch(origin)).text()).toContain('<h1>Approvals</h1>');
    await expectApproval(origin);
    await inPage(origin, async (page) => {
      await page.locator('[name=token]').fill('secret');
      await page.locator('button:text-is("Sign in")').click();
      await page.locator('text=signed in').waitFor();
      await page.locator('button:text-is("Write")').click();
      await page.locator('text=About otters.').waitFor();
      await page.locator('[name=remark]').fill('They swim.');
      await page.locator('button:text-is("Revise")').click();
      await page.locator('text=About otters. They swim.').waitFor();
      await page.locator('button:text-is("Approve")').click();
      await page.locator('text=publish → published').waitFor();
    });
  });
});

/** Opens a page in a browser, in which no script may fail. */
async function inPage(address: string, act: (page: Page) => Promise<void>): Promise<void> {
  await using browser = await openBrowser();
  const page = await (await browser.newContext()).newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.goto(address);
  await act(page);
  expect(errors).toEqual([]);
}

/** Starts a server for the rest of the test. @returns what its output matches. */
function serving(cwd: string, [file = '', ...args]: readonly string[], address: RegExp, more: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(file, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  return new Promise((found, failed) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [match] = address.exec(output) ?? [];
      if (match !== undefined) found(match);
    });
    child.once('close', () => failed(new Error(`The server has ended: ${output}`)));
  });
}

/** As the page does: a session for the token, a run, its steps, an answer. */
async function expectApproval(origin: string): Promise<void> {
  expect((await fetch(`${origin}/api/runs`)).status).toBe(401);
  const headers = { 'content-type': 'application/json' };
  const session = await fetch(`${origin}/api/session`, { method: 'POST', headers, body: JSON.stringify({ token: 'secret' }) });
  expect(session.headers.get('set-cookie')).toContain('HttpOnly');
  const client = createClient({ baseUrl: origin, token: 'secret' });
  const { id } = await client.startRun({ body: { workflow: 'publishing', input: { topic: 'tides' } } });
  const steps: string[] = [];
  for await (const event of client.events(id)) if (event.type === 'edge') steps.push(`${event.from} ${event.to}`);
  expect(steps).toEqual(['write review']);
  const { runs } = await client.listWaiting();
  const [asked] = runs[0]?.interrupts ?? [];
  expect(asked?.question).toBe('About tides.');
  await client.send({ params: { id }, body: { interruptId: asked?.id ?? '', event: { type: 'APPROVE' } } });
  for await (const event of client.events(id)) if (event.type === 'edge') steps.push(`${event.from} ${event.to}`);
  expect((await client.getRun({ params: { id } })).finalState).toBe('published');
}
