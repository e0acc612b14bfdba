// The documentation as a site, as it is built: every link and code has its place, in both languages, and nothing is loaded from elsewhere.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodes } from 'agent-machines';
import { beforeAll, describe, expect, it } from 'vitest';
import { doors } from '../../scripts/doors.ts';

const built = 'site/.built';
const filesWith = (ending: string): string[] =>
  readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
const read = (name: string): string => readFileSync(join(built, name), 'utf8');

beforeAll(() => {
  execFileSync(process.execPath, ['--conditions=@agent-machines/source', 'scripts/site.ts'], { stdio: 'inherit' });
}, 1_200_000);

describe('the site', () => {
  it('has each page in both languages, for the language switch', () => {
    const pages = filesWith('.html').filter((name) => name !== '404.html');
    const english = pages.filter((name) => !name.startsWith('ko/'));
    expect(english.length).toBeGreaterThan(40);
    expect(english.filter((name) => !pages.includes(`ko/${name}`))).toEqual([]);
    expect(pages.filter((name) => name.startsWith('ko/') && !pages.includes(name.slice(3)))).toEqual([]);
    expect(read('ko/start.html')).toContain('워크플로 쓰기');
  });

  it('has an address for every error code and every lint code', () => {
    const lint = [...readFileSync('src/engine/define/lint-issue.ts', 'utf8').matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(
      ([, code = '']) => code,
    );
    expect(lint.length).toBeGreaterThan(10);
    for (const language of ['', 'ko/']) {
      const errors = read(`${language}reference/errors.html`);
      expect(errorCodes.filter((code) => !errors.includes(`id="${code}"`))).toEqual([]);
      const page = read(`${language}reference/lint.html`);
      expect(lint.filter((code) => !page.includes(`id="${code}"`))).toEqual([]);
    }
  });

  it('describes every entry point', () => {
    const page = (door: string): string => `reference/api/${door === '.' ? 'agent-machines' : door.slice(2)}.html`;
    expect(
      Object.keys(doors)
        .map(page)
        .filter((name) => !existsSync(join(built, name))),
    ).toEqual([]);
    expect(read(page('./telemetry'))).toContain('tracedStore');
  });

  it('has a target for every link', () => {
    const ids = new Map<string, ReadonlySet<string>>();
    const idsOf = (name: string): ReadonlySet<string> => {
      const known = ids.get(name) ?? new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
      ids.set(name, known);
      return known;
    };
    const broken = filesWith('.html').flatMap((name) =>
      [...read(name).matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = '']) => {
        if (/^[a-z]+:/.test(href)) return [];
        const [path = '', anchor = ''] = href.replaceAll('&amp;', '&').split('#');
        const from = path === '' ? name : path.startsWith('/') ? path.slice(1) : join(dirname(name), path);
        const target = from === '' || from.endsWith('/') ? `${from}index.html` : from;
        if (!existsSync(join(built, decodeURIComponent(target)))) return [`${name}: ${href}`];
        const id = decodeURIComponent(anchor);
        return id === '' || !target.endsWith('.html') || idsOf(decodeURIComponent(target)).has(id) ? [] : [`${name}: ${href}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('loads nothing from another origin', () => {
    const loads = /<(?:script|link|img|source|iframe|video|audio|object|embed)\b[^>]*\b(?:src|srcset|href|data)="(?:https?:)?\/\/[^"]*"/g;
    const pages = filesWith('.html').flatMap((name) => [...read(name).matchAll(loads)].map(([tag]) => `${name}: ${tag}`));
    const styles = filesWith('.css').flatMap((name) =>
      [...read(name).matchAll(/(?:url\(|@import )['"]?(?:https?:)?\/\/[^)"']*/g)].map(([one]) => `${name}: ${one}`),
    );
    const asks =
      /(?:\bimport|\bfetch|importScripts|new (?:Worker|EventSource|WebSocket))\(\s*["'`](?:https?:|wss?:)?\/\/[^"'`]*|\bfrom\s*["'](?:https?:)?\/\/[^"']*/g;
    // pages are scripts, too: the programs that they show are no requests of theirs
    const scripts = filesWith('.js')
      .filter((name) => !/\.md\.[\w-]+(?:\.lean)?\.js$/.test(name) && !name.includes('@localSearchIndex'))
      .flatMap((name) => [...read(name).matchAll(asks)].map(([one]) => `${name}: ${one}`));
    expect([...pages, ...styles, ...scripts]).toEqual([]);
  });

  it('can be searched, in both languages', () => {
    const indexes = filesWith('.js').filter((name) => name.includes('localSearchIndex'));
    expect(indexes.length).toBe(2);
  });
});
