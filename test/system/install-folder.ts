import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folders beside this one with a lock file of their own: what only these tests need, and what is too large for the package's. */
export type LockedFolder = 'browser' | 'bun' | 'chroma' | 'deno' | 'extractor' | 'stately' | 'workerd';

const homeOf = (name: LockedFolder): URL => new URL(`${name}/`, import.meta.url);
const lockOf = (name: LockedFolder): URL => new URL('package-lock.json', homeOf(name));
/** A copy of the lock file that was installed to its end. */
const markOf = (name: LockedFolder): URL => new URL('node_modules/.installed', homeOf(name));

/** Installs what the lock file of a folder asks for, once. */
export function installFolder(name: LockedFolder): void {
  if (isInstalled(name)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(homeOf(name)), stdio: 'inherit' });
  writeFileSync(markOf(name), readFileSync(lockOf(name)));
}

/** What was installed is what the lock file asks for. */
export const isInstalled = (name: LockedFolder): boolean =>
  existsSync(markOf(name)) && readFileSync(markOf(name), 'utf8') === readFileSync(lockOf(name), 'utf8');

/** The address of a file that was installed. */
export const installedFile = (name: LockedFolder, path: string): URL => new URL(`node_modules/${path}`, homeOf(name));

const glibc = process.platform === 'linux' ? '-glibc' : '';
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';

/** The programs, as their packages name them for this machine. Their install scripts, which do not run, would only link to them. */
const programs = {
  bun: `@oven/bun-${process.platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`,
  deno: `@deno/${process.platform}-${arch}${glibc}/deno`,
  workerd: `@cloudflare/workerd-${process.platform}-${arch === 'arm64' ? arch : '64'}/bin/workerd`,
} as const;

/** Installs a runtime, and says where its program is. */
export function installedProgram(name: keyof typeof programs): string {
  installFolder(name);
  return fileURLToPath(installedFile(name, programs[name]));
}
