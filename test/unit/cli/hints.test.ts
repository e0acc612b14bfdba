import { globSync, readFileSync } from 'node:fs';
import { errorCodes } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { hintOf } from '../../../src/cli/error-hints.ts';

/** The hints of the sources, with the code that stands next to each. */
const written = [...globSync('src/**/*.ts'), ...globSync('machines/**/*.ts')].flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/code: '([A-Z_]+)'(?:(?!code: ')[\s\S]){0,400}?hint:\s*(['"`])(.*?)\2,?\s/g)].map(
    ([, code = '', , hint = '']) => ({
      code,
      hint: hint.replace(/\$\{[^}]*\}/g, '3').replace(/\\'/g, "'"),
    }),
  ),
);
/** An option, a call or an object of the API: nobody can type that. */
const ofTheApi = /\b(?!npx)[a-z]+[A-Z]\w*|\bcreateRuntime\b|\w\(\)|\{ ?\w+:|\bforce: |\b(?:runtime|limits|data)\.\w/;

describe('hintOf', () => {
  it("names no option of the API, whatever the library's hint", () => {
    expect(written.length).toBeGreaterThan(80);
    const programs = written.filter(({ hint }) => ofTheApi.test(hint));
    expect(programs.length).toBeGreaterThan(10); // or the pattern would find nothing
    // a command names the folder that it is reached from, which may be called anything
    const shown = (error: { readonly code: string; readonly hint: string }): string => hintOf(error).replaceAll(process.cwd(), '');
    expect(written.map(shown).filter((hint) => ofTheApi.test(hint))).toEqual([]);
    for (const code of errorCodes) expect(shown({ code, hint: 'Call runtime.get(id) with { force: true }.' })).not.toMatch(ofTheApi);
  });

  it('keeps a hint that a user can follow', () => {
    expect(hintOf({ code: 'TOOL_UNKNOWN', hint: 'It has calculator, summarize.' })).toBe('It has calculator, summarize.');
    expect(hintOf({ code: 'ADAPTER_MISSING', hint: 'Run: npm install faiss-node' })).toBe('Run: npm install faiss-node');
  });

  it('names the command, the run and the database', () => {
    const hint = hintOf({ code: 'RUN_BUSY', hint: 'Pass force: true.' }, { runId: 'r_1', dbFlag: "--db 'my runs.db'" });
    expect(hint).toMatch(/ resume r_1 --force --db 'my runs\.db'$/);
    const owner = hintOf({ code: 'THREAD_BUSY', hint: '', data: { runId: 'r_2' } }, { runId: 'r_1' });
    expect(owner).toMatch(/ resume r_2\).* cancel r_2\)/);
  });
});
