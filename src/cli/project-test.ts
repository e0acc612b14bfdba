import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, extname, join } from 'node:path';
import { isObject } from '../core/util/is-object.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { type MutantTask, taskVariable } from './mutant-hook.ts';
import { UsageError } from './usage-error.ts';

/** One run of a project's test. */
export interface TestRun {
  /** `late`: stopped at the time limit. */
  readonly end: 'passed' | 'failed' | 'late';
  /** Last part of both outputs. */
  readonly output: string;
  /** Ids of the workflows that the test defined; with a mutant, its id if the mutant was used. */
  readonly workflows: ReadonlySet<string>;
}

export interface ProjectTest {
  /** Folder of the project. */
  readonly folder: string;
  /** Shell command. */
  readonly command: string;
}

export interface TestRunOptions {
  /** Path of a file for this run, which does not exist yet. */
  readonly scratch: string;
  /** Time limit in milliseconds. Default: none. */
  readonly limitMs?: number;
  /** Stops the test. */
  readonly signal: AbortSignal;
}

/** Number of characters of a test's output that are kept. */
const keptOutput = 4_000;
const isWindows = process.platform === 'win32';

/**
 * Finds the test of the project that a file belongs to.
 *
 * @param command Shell command to use instead of the script `test`.
 * @throws {UsageError} if there is no package.json above the file, or no script `test` in it.
 */
export function projectTestOf(path: string, command?: string): ProjectTest {
  const folder = projectOf(dirname(path));
  if (folder === undefined) throw new UsageError(`There is no package.json above ${path}. Run npm init in the folder of the project.`);
  const { scripts }: { readonly scripts?: unknown } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const script = command ?? (isObject(scripts) ? scripts.test : undefined);
  if (typeof script === 'string' && script.trim() !== '') return { folder, command: script };
  throw new UsageError(`${join(folder, 'package.json')} has no script "test". Add one, or pass --test COMMAND.`);
}

function projectOf(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(folder) === folder ? undefined : projectOf(dirname(folder));
}

/** Runs a project's test with a mutant in place of its workflow, or without one. */
export async function runProjectTest(
  { folder, command }: ProjectTest,
  task: Pick<MutantTask, 'main' | 'mutant'>,
  { scratch, limitMs, signal }: TestRunOptions,
): Promise<TestRun> {
  signal.throwIfAborted();
  const seen = `${scratch}.seen`;
  writeFileSync(scratch, JSON.stringify({ ...task, seen } satisfies MutantTask));
  writeFileSync(seen, '');
  // a group of its own, so that all processes of the test can be stopped
  const child = spawn(command, { cwd: folder, shell: true, detached: !isWindows, env: environment(folder, scratch) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-keptOutput);
    });
  }
  let isLate = false;
  const kill = (): void => {
    if (child.pid === undefined) return;
    if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' });
    else process.kill(-child.pid, 'SIGKILL');
  };
  const cancel =
    limitMs === undefined
      ? () => {}
      : systemClock.schedule(limitMs, () => {
          isLate = true;
          kill();
        });
  signal.addEventListener('abort', kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    signal.throwIfAborted();
    const workflows = new Set(
      readFileSync(seen, 'utf8')
        .split('\n')
        .filter((id) => id !== ''),
    );
    return { end: isLate ? 'late' : code === 0 ? 'passed' : 'failed', output, workflows };
  } finally {
    cancel();
    signal.removeEventListener('abort', kill);
  }
}

/** Environment of an npm script, with the hook in each Node process. */
function environment(folder: string, task: string): NodeJS.ProcessEnv {
  const { PATH = '', NODE_OPTIONS = '', NODE_TEST_CONTEXT: _outer, ...others } = process.env;
  const hook = new URL(`./mutant-hook${extname(import.meta.url)}`, import.meta.url);
  const conditions = process.execArgv.filter((flag) => flag.startsWith('--conditions='));
  return {
    ...others,
    PATH: [join(folder, 'node_modules', '.bin'), dirname(process.execPath), PATH].join(delimiter),
    NODE_OPTIONS: [NODE_OPTIONS, ...conditions, `--import=${hook.href}`].join(' ').trim(),
    [taskVariable]: task,
  };
}
