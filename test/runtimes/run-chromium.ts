import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBrowser } from '../system/browser/open-browser.ts';
import type { Project } from './pack.ts';
import type { Report } from './suite.ts';

const main = "import { report } from './bundle.js';\nconsole.log('report', JSON.stringify(await report()));\n";
const html =
  '<!doctype html><meta charset="utf-8"><title>suite</title><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>';
/** No `unsafe-eval`: code is not made from strings. */
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; img-src data:";

/** Has a page of Debian's Chromium say the suite's report, under a strict content security policy. */
export async function runChromium({ bundle }: Project): Promise<Report> {
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    '/': ['text/html', html],
    '/main.js': ['text/javascript', main],
    '/bundle.js': ['text/javascript', readFileSync(bundle, 'utf8')],
  };
  const server = createServer(({ url = '/' }, response) => {
    const [type, content] = files[url] ?? ['text/plain', ''];
    response.setHeader('Content-Type', `${type}; charset=utf-8`).setHeader('Content-Security-Policy', contentSecurityPolicy).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await openBrowser();
  try {
    const page = await (await browser.newContext()).newPage();
    const said = Promise.withResolvers<Report>();
    page.on('console', (message) => {
      const text = message.text();
      if (text.startsWith('report ')) said.resolve(JSON.parse(text.slice('report '.length)) as Report);
      else console.error(text);
    });
    page.on('pageerror', said.reject);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return await said.promise;
  } finally {
    await browser.close();
    server.close();
  }
}
