// What a code means, without a network: `explain`, and the line under each error that leads to it.
import { existsSync, readFileSync } from 'node:fs';
import { errorCodes } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { pageAddress, readExplanations } from '../../src/cli/explain.ts';
import { pages } from '../fixtures/pages.ts';
import { command, folder } from './command.ts';

describe('explain', { timeout: 60_000 }, () => {
  it('knows every error code', () => {
    const known = new Set(readExplanations().map(({ code }) => code));
    expect(errorCodes.filter((code) => !known.has(code))).toEqual([]);
  });

  it.each([
    [
      'RUN_FENCED',
      /^RUN_FENCED\n {2}this process has lost the run to another one, or another caller has changed it since it was listed\n {2}→ stop working on it\n {2}\S+\/docs\/reference\/errors\.md\n$/,
    ],
    ['file_too_large', /^FILE_TOO_LARGE\n {2}the file is missing, not a regular file, too large, or not text, as the code says\n/],
    ['UNREACHABLE_STATE', /docs\/reference\/lint\.md\n$/],
    ['NAME_RESERVED', /one of \. # \| \/ \*;/],
  ])('explains %s', async (code, text) => {
    expect(await command(folder(), ['explain', code])).toMatchObject({ code: 0, stdout: expect.stringMatching(text), stderr: '' });
  });

  it('explains several codes, and as JSON', async () => {
    const { stdout } = await command(folder(), ['explain', 'RUN_BUSY', 'RUN_ENDED', '--json']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).code),
    ).toEqual(['RUN_BUSY', 'RUN_ENDED']);
  });

  it.each([
    ['RUN_FENCD', 'Did you mean RUN_FENCED?'],
    ['NOPE', 'There is no code "NOPE". Did you mean NODE_FAILED, NODE_TIMEOUT, '],
    ['lease_fenced', 'Did you mean RUN_FENCED, '],
    ['오류', 'There is no code "오류". All codes: '],
    ['__proto__', 'There is no code'],
  ])('reports that %s is unknown', async (typed, text) => {
    expect(await command(folder(), ['explain', typed])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  });

  it.each(['', 'https://git.example/team/agents', 'git+https://git.example/team/agents.git'])(
    'names pages that exist, with the address "%s" in package.json',
    (repository) => {
      for (const page of ['errors', 'lint'] as const) {
        const address = pageAddress(page, repository);
        if (repository === '') expect(existsSync(address)).toBe(true);
        else expect(address).toBe(`https://git.example/team/agents/blob/main/docs/reference/${page}.md`);
        expect(existsSync(address.replace(/^https:.*\/blob\/main\//, ''))).toBe(true);
      }
    },
  );

  it('takes every address of the package from "config" in package.json', () => {
    const { config, ...rest } = packageFile;
    const { repository } = config;
    // npm rejects an empty one, and makes the home page and the page for bugs of it
    expect('repository' in rest ? rest.repository : '').toBe(repository);
    expect(Object.keys(rest).filter((key) => /^(homepage|bugs|funding)$/.test(key))).toEqual([]);
    const absolute = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/\]\((https?:[^)\s]+)\)/g)].map(([, to = '']) => to));
    const own = absolute.filter((to) => /agent-machines/.test(to));
    expect(own.filter((to) => repository === '' || !to.startsWith(repository.replace(/^git\+|\.git$/g, '')))).toEqual([]);
  });

  it('is named under each error, with the codes in it', async () => {
    const { stderr } = await command(folder(), ['show', 'r_none']);
    expect(stderr).toMatch(/RUN_UNKNOWN: [\s\S]*\n {2}More: .* explain RUN_UNKNOWN\n$/);
  });
});
