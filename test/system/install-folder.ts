import { fileURLToPath } from 'node:url';
import { installLockedFolder, isInstalled as isLockedFolderInstalled } from '../../scripts/install-locked-folder.ts';

/** Folders beside this one with a lock file of their own: what only these tests need, and what is too large for the package's. */
export type LockedFolder =
  | 'a2a'
  | 'ai-sdk'
  | 'browser'
  | 'bun'
  | 'chroma'
  | 'deno'
  | 'encoder'
  | 'extractor'
  | 'langgraph'
  | 'mcp'
  | 'node'
  | 'open-api'
  | 'otlp'
  | 'postgres'
  | 'protocols'
  | 'restate'
  | 'stately'
  | 'studio'
  | 'telemetry'
  | 'typescript'
  | 'workerd';

const homeOf = (name: LockedFolder): URL => new URL(`${name}/`, import.meta.url);

/** Installs what the lock file of a folder asks for, once. */
export const installFolder = (name: LockedFolder): void => installLockedFolder(homeOf(name));

/** What was installed is what the lock file asks for. */
export const isInstalled = (name: LockedFolder): boolean => isLockedFolderInstalled(homeOf(name));

/** The address of a file that was installed. */
export const installedFile = (name: LockedFolder, path: string): URL => new URL(`node_modules/${path}`, homeOf(name));

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const glibc = process.platform === 'linux' ? '-glibc' : '';
const nodeOf = (major: number) => ['node', `node-${major}-${process.platform}-${arch}/bin/node`] as const;

/** In which folder each is, and how its package calls it for this machine. Install scripts, which do not run, would only link to it. */
const programs = {
  bun: ['bun', `@oven/bun-${process.platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`],
  deno: ['deno', `@deno/${process.platform}-${arch}${glibc}/deno`],
  node22: nodeOf(22),
  node24: nodeOf(24),
  node26: nodeOf(26),
  workerd: ['workerd', `@cloudflare/workerd-${process.platform}-${arch === 'arm64' ? arch : '64'}/bin/workerd`],
} as const;

/** Installs a runtime, and says where its program is. */
export function installedProgram(name: keyof typeof programs): string {
  const [folder, path] = programs[name];
  installFolder(folder);
  return fileURLToPath(installedFile(folder, path));
}
