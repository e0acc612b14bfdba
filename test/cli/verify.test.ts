import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entries } from 'agent-machines/machines';
import { describe, expect, it } from 'vitest';
import { article } from '../fixtures/verified-workflow.ts';
import { command, commandAtTerminal, folder } from './command.ts';

const file = resolve('test/fixtures/verified-workflow.ts');

describe('agent-machines verify', () => {
  it("reports that every check of a file's workflow holds", async () => {
    const { code, stdout, stderr } = await command(folder(), ['verify', `${file}#article`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ +CHECK +article\n/);
    expect(stdout).toMatch(/✓ +lint +the machine is valid\n✓ +everywhere +14 places, 31 moves: all of them\n/);
    expect(stdout).toMatch(/✓ +edges +all 14 are taken\n/);
    expect(stdout).toMatch(/✓ +nothing is published before a human approved it +holds\n/);
    expect(stdout).toMatch(/· +assumes +"write" has only the given outcomes;/);
    expect(stdout).not.toMatch(/[✗?]/);
  });

  it('shows and draws a shortest path to a broken promise, and exits with 1', async () => {
    const home = folder();
    const { code, stdout, stderr } = await command(home, ['verify', `${file}#hasty`, '--svg', 'way.svg']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ +nothing is published before a human approved it +It does not hold in "publish"/);
    expect(stderr).toContain(
      [
        '   0 start in write',
        '   1 write: {"text":"a text"} --done--> check',
        '   2 check: {"isGood":true} --done [isGood]--> publish',
        '',
      ].join('\n'),
    );
    const svg = readFileSync(join(home, 'way.svg'), 'utf8');
    expect(svg).toMatch(/^<svg .*The path of the run is write \(done\), check \(isGood\)\./s);
    expect(svg).toContain('>nothing is published before a human approved</text>');
    expect(svg).toContain('>isGood: false → true</text>');
  });

  it('prints one JSON object with --json', async () => {
    const { code, stdout, stderr } = await command(folder(), ['verify', `${file}#hasty`, '--json']);
    const said = JSON.parse(stdout);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.any(String) });
    expect(said).toMatchObject({ workflow: article.id, ok: false, complete: true, cutOff: [] });
    expect(said.promises[0]).toMatchObject({
      verdict: 'broken',
      way: { start: { active: ['write'] }, steps: [{ by: 'write' }, { by: 'check' }] },
    });
    expect(said.findings).toContainEqual(
      expect.objectContaining({
        check: 'nothing is published before a human approved it',
        status: 'problem',
        path: [
          { from: 'write', on: 'done' },
          { from: 'check', on: 'done', guard: 'isGood' },
        ],
      }),
    );
  });

  it.each(entries.map(({ name }) => name))('proves the promises of %s', async (name) => {
    const { code, stdout } = await command(folder(), ['verify', name]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/✓ +every run (?:can )?ends? +holds/) });
    expect(stdout).not.toContain('✗');
  });

  it('checks each promise once', async () => {
    const { code, stdout } = await command(folder(), ['verify', resolve('test/fixtures/checked-once.ts')]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/✓ +it is checked once +holds/) });
  });

  it('fits the width of a terminal', async () => {
    const { stdout, stderr } = await commandAtTerminal(folder(), ['verify', `${file}#hasty`], 60);
    expect(Math.max(...[...stdout.split('\n'), ...stderr.split('\n')].map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('rejects what it cannot verify', async () => {
    const several = await command(folder(), ['verify', file]);
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('#article') });
    const none = await command(folder(), ['verify', 'nothing']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no workflow "nothing"') });
  });
});
