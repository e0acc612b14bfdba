// A stranger's project: from the packed tarball, installed by npm and by pnpm, its own tests and types run there.
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'agent-machines-project-'));
afterAll(() => rm(folder, { recursive: true, force: true }), 120_000);
const run = (cwd: string, ...[file, ...args]: [string, ...string[]]) => promisify(execFile)(file, args, { cwd });

let tarball = '';
beforeAll(async () => {
  const { stdout } = await run(resolve('.'), 'npm', 'pack', '--json', '--pack-destination', folder);
  const packed = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as readonly { readonly filename: string }[];
  tarball = join(folder, packed[0]?.filename ?? '');
}, 120_000);

const managers = { npm: ['npm'], pnpm: ['npx', '--yes', 'pnpm@12'] } as const;

describe.each(Object.entries(managers))('a project from init, installed by %s', (name, [file, ...words]) => {
  it('passes its tests and its type check, starts and resumes', { timeout: 300_000 }, async () => {
    const project = join(folder, name);
    await run(folder, 'npm', 'exec', '--yes', `--package=${tarball}`, '--', 'agent-machines', 'init', project, '--package', tarball);
    await run(project, file, ...words, 'install');
    expect((await run(project, file, ...words, 'test')).stdout).toMatch(/pass 2\n.*fail 0/s);
    await run(project, file, ...words, 'run', 'check');
    expect((await run(project, file, ...words, 'start')).stdout).toContain('write → review');
    expect((await run(project, file, ...words, 'run', 'start', ...(name === 'npm' ? ['--'] : []), 'APPROVE')).stdout).toContain(
      'publish → published',
    );
  });
});
