// What a code means, without a network: `explain`, and the line under each error that leads to it.
import { errorCodes } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { readExplanations } from '../../src/cli/explain.ts';
import { command, folder } from './command.ts';

describe('explain', { timeout: 60_000 }, () => {
  it('knows every error code', () => {
    const known = new Set(readExplanations().map(({ code }) => code));
    expect(errorCodes.filter((code) => !known.has(code))).toEqual([]);
  });

  it.each([
    [
      'RUN_FENCED',
      /^RUN_FENCED\n {2}this process has lost the run to another one\n {2}→ stop working on it\n {2}reference\/errors#RUN_FENCED of the documentation\n$/,
    ],
    ['file_too_large', /^FILE_TOO_LARGE\n {2}the file is missing, not a regular file, too large, or not text, as the code says\n/],
    ['UNREACHABLE_STATE', /reference\/lint#UNREACHABLE_STATE/],
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
    ['오류', 'There is no code "오류". All codes: reference/errors and reference/lint'],
    ['__proto__', 'There is no code'],
  ])('reports that %s is unknown', async (typed, text) => {
    expect(await command(folder(), ['explain', typed])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  });

  it('is named under each error, with the codes in it', async () => {
    const { stderr } = await command(folder(), ['show', 'r_none']);
    expect(stderr).toMatch(/RUN_UNKNOWN: [\s\S]*\n {2}More: .* explain RUN_UNKNOWN\n$/);
  });
});
