import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lockOf = (home: URL): URL => new URL('package-lock.json', home);
/** A copy of the lock file that was installed to its end. */
const markOf = (home: URL): URL => new URL('node_modules/.installed', home);

/** Installs what the lock file of a folder asks for, once. Install scripts do not run. */
export function installLockedFolder(home: URL): void {
  if (isInstalled(home)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(home),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  writeFileSync(markOf(home), readFileSync(lockOf(home)));
}

/** What was installed is what the lock file asks for. */
export const isInstalled = (home: URL): boolean =>
  existsSync(markOf(home)) && readFileSync(markOf(home), 'utf8') === readFileSync(lockOf(home), 'utf8');
