import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';

it.each([1, 2, 3, 4])(
  'agents resume in another process after a kill at %i written lines, and neither lose nor repeat a line',
  { timeout: 240_000 },
  async (lines) => {
    const folder = mkdtempSync(join(tmpdir(), 'killed-agents-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [path, file] = [join(folder, 'runs.db'), join(folder, 'written')];
    const first = startChild('agents-process.ts', [path, file]);
    onTestFinished(() => first.kill('SIGKILL'));
    for (let line = 0; line < lines; line++) expect(await first.line(line)).toMatch(/^wrote /);
    first.kill('SIGKILL');
    await first.ended;
    const second = startChild('agents-process.ts', [path, file, 'lead']);
    onTestFinished(() => second.kill('SIGKILL'));
    let last = await second.line(0);
    for (let line = 1; !last.startsWith('ended'); line++) last = await second.line(line);
    expect(last).toBe('ended done');
    expect(readFileSync(file, 'utf8').trim().split('\n').sort()).toEqual(['a1', 'a2', 'a3', 'd1', 'd2']);
  },
);
