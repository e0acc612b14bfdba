// Whether what the documents show is typed as it is used: the compiler reads all of the package for it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { pages, programsOf } from './fixtures/pages.ts';

const execute = promisify(execFile);

it('compiles all programs of the documents', async () => {
  const folder = mkdtempSync('test/.docs-'); // inside the repository, so that the programs find the package by its own name
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const written = pages.flatMap((page) =>
    programsOf(page).map((code, index) => {
      const file = join(folder, `compile-${page.replaceAll(/\W/g, '-')}-${index}.ts`);
      writeFileSync(file, code);
      return file;
    }),
  );
  expect(written.length).toBeGreaterThan(8);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }));
  const { stdout } = await execute('node_modules/.bin/tsc', ['--noEmit', '--singleThreaded', '-p', folder]).catch(
    (error: { stdout: string }) => ({
      stdout: error.stdout,
    }),
  );
  expect(stdout).toBe('');
});
