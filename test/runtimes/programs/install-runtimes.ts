import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('.', import.meta.url);
const lock = new URL('package-lock.json', folder);
/** A copy of the lock file that was installed to its end. */
const installed = new URL('node_modules/.installed', folder);

/** Where each program is once it is installed. */
export interface RuntimePrograms {
  readonly node22: string;
  readonly node24: string;
  readonly node26: string;
  readonly bun: string;
  readonly deno: string;
  readonly workerd: string;
  /** Debian's. */
  readonly chromium: string;
}

/** Installs the runtimes that the lock file names, once: about a gigabyte, and a minute. */
export function installRuntimes(): RuntimePrograms {
  if (!isInstalled()) {
    // without their scripts: those only copy the programs, and download what npm has left out
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: fileURLToPath(folder), stdio: 'inherit' });
    writeFileSync(installed, readFileSync(lock));
  }
  return programs;
}

const isInstalled = (): boolean => existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');

const isArm = process.arch === 'arm64';
const program = (x64: string, arm64: string): string => fileURLToPath(new URL(`node_modules/${isArm ? arm64 : x64}`, folder));
const node = (major: number): string => program(`node-${major}-linux-x64/bin/node`, `node-${major}-linux-arm64/bin/node`);

const programs: RuntimePrograms = {
  node22: node(22),
  node24: node(24),
  node26: node(26),
  bun: program('@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-aarch64/bin/bun'),
  deno: program('@deno/linux-x64-glibc/deno', '@deno/linux-arm64-glibc/deno'),
  workerd: program('@cloudflare/workerd-linux-64/bin/workerd', '@cloudflare/workerd-linux-arm64/bin/workerd'),
  chromium: '/usr/bin/chromium',
};
