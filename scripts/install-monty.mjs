// Installs the Python interpreter of the tests, in a folder of its own: npm leaves the packages of platforms that its registry lacks out
// of a lock file, so it cannot be in ours. Vitest calls it before the tests that need it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = new URL('../test/fixtures/monty/', import.meta.url);
const windows = process.platform === 'win32';
const versionIn = (file, find) => find(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));

async function isThere() {
  try {
    const wanted = versionIn('package.json', ({ dependencies }) => dependencies['@pydantic/monty']);
    const found = versionIn('node_modules/@pydantic/monty/package.json', ({ version }) => version);
    await import(pathToFileURL(createRequire(folder).resolve('@pydantic/monty')).href); // half an installation cannot be loaded
    return found === wanted;
  } catch {
    return false;
  }
}

export async function setup() {
  if (await isThere()) return;
  const options = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...options], { cwd: fileURLToPath(folder), stdio: ['ignore', 'ignore', 'inherit'], shell: windows });
}
