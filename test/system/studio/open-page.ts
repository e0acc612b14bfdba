import type { Browser, BrowserContext, Page } from '../browser/open-browser.ts';

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A page of the studio, and what a user looks for in it. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser has complained of, and what was asked of others than the server. */
  readonly complaints: readonly string[];
  /** Waits until the first element has a text. */
  shows(selector: string, text: string): Promise<unknown>;
  /** Waits until there are so many, or none. */
  counts(selector: string, count: number): Promise<unknown>;
  click(selector: string): Promise<void>;
  /** Asks, in a new thread of a workflow where one is named. */
  ask(text: string, workflow?: string): Promise<void>;
  /** The server's answer to a GET. */
  get<T>(path: string): Promise<T>;
  /** Of the run that the page shows last. */
  runId(): Promise<string>;
}

/** Below the time of a test, in milliseconds: then it is known what was waited for. */
const longestWaitMs = 200_000;

/** Opens the address that the server has printed. */
export async function openPage(
  browser: Browser,
  address: string,
  options: ContextOptions & { readonly script?: string } = {},
): Promise<StudioPage> {
  const { script, ...more } = options;
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...more });
  if (script !== undefined) await context.addInitScript({ content: script });
  return openTab(context, address);
}

/** One more tab of the same browser. */
export async function openTab(context: BrowserContext, address: string): Promise<StudioPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(longestWaitMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector('.picks button, .one-turn') !== null);
  const studio: StudioPage = {
    page,
    context,
    complaints,
    shows: (selector, text) =>
      page.waitForFunction(([where = '', what = '']) => document.querySelector(where)?.textContent?.includes(what), [selector, text]),
    counts: (selector, count) =>
      page.waitForFunction(({ where, many }) => document.querySelectorAll(where).length === many, { where: selector, many: count }),
    click: (selector) => page.locator(selector).first().click(),
    async ask(text, workflow) {
      if (workflow !== undefined) {
        await page.locator('.side .head button').click();
        await page.locator(`.picks button:has-text("${workflow}")`).click();
      }
      await page.locator('#composer').fill(text);
      await page.locator('.comp .key').click();
    },
    get: (path) => page.evaluate(async (where) => (await fetch(where)).json(), path),
    runId: () => page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.one-turn')].at(-1)?.dataset.run ?? ''),
  };
  return studio;
}
