import { execFileSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Where and with what something was measured. */
export interface MachineInfo {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly os: string;
  readonly node: string;
  /** Of the folder for databases: a commit is cheap in memory. */
  readonly fileSystem: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly commit: string;
  /** Files of the working tree that differ from the commit. */
  readonly changedFiles: readonly string[];
}

const root = new URL('../../', import.meta.url);

/** @param packages versions by name, of what else was measured */
export function machineInfo(packages: Readonly<Record<string, string>>): MachineInfo {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()}`,
    node: process.version,
    fileSystem: fileSystemOf(tmpdir()),
    packages: {
      'agent-machines': versionIn('package.json'),
      xstate: versionIn('node_modules/xstate/package.json'),
      ...packages,
    },
    commit: git('rev-parse', 'HEAD'),
    changedFiles: git('--no-optional-locks', 'status', '--porcelain', '--', 'src', 'machines', 'benchmarks')
      .split('\n')
      .filter((line) => line !== ''),
  };
}

const fileSystemNames: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  2035054128: 'overlayfs',
};

function fileSystemOf(folder: string): string {
  const { type } = statfsSync(folder);
  return `${fileSystemNames[type] ?? `type ${type}`} (${folder})`;
}

export const versionIn = (file: string): string =>
  String((JSON.parse(readFileSync(new URL(file, root), 'utf8')) as { version?: unknown }).version);

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd();
  } catch {
    return ''; // a copy without its repository can be measured too
  }
}
