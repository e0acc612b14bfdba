import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { EvalReport } from 'agent-machines/evals';
import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import { cassettePath } from './cassette-file.ts';
import type { EvalFlags } from './eval.ts';
import type { LoadedEval } from './eval-file.ts';
import { UsageError } from './usage-error.ts';

/**
 * Returns the report to compare with: of a file that `--json` has written, or of the code at a git ref, on which the eval of the current
 * tree runs.
 *
 * @throws {UsageError} for neither, and when the eval does not run there.
 */
export async function baselineOf(against: string, loaded: LoadedEval, flags: EvalFlags, signal: AbortSignal): Promise<EvalReport> {
  if (/\.json$/.test(against) && existsSync(against)) return reportOf(await readFile(against, 'utf8'), against);
  const repository = await realpath((await git(dirname(loaded.path), ['rev-parse', '--show-toplevel'])).trim());
  const commit = (
    await git(repository, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${against}^{commit}`]).catch(() => '')
  ).trim();
  if (commit === '')
    throw new UsageError(`--against ${against} is neither a JSON file of an earlier run nor a commit, branch or tag of git.`);
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'agent-machines-eval-'));
  const tree = join(folder, 'tree');
  try {
    await git(repository, ['worktree', 'add', '--detach', '--quiet', tree, commit]);
    const place = await prepare(repository, tree, loaded);
    return await runThere(place, tree, flags, { repository, against, signal });
  } finally {
    await git(repository, ['worktree', 'remove', '--force', tree]).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
}

function reportOf(text: string, source: string): EvalReport {
  const value = parseJson(text);
  if (isReport(value)) return value;
  const { reports } = isObject(value) ? value : {};
  const last: unknown = Array.isArray(reports) ? reports.at(-1) : undefined;
  if (isReport(last)) return last;
  throw new UsageError(`${source} has no report of an eval. Write one with: agent-machines eval FILE --json > before.json`);
}

const isReport = (value: unknown): value is EvalReport =>
  isObject(value) && Array.isArray(value.rows) && Array.isArray(value.graders) && typeof value.eval === 'string';

/** Copies the eval, its cases and its replies to the older tree, and lends it the installed packages. Returns the path of the eval there. */
async function prepare(repository: string, tree: string, { path, casesFile }: LoadedEval): Promise<string> {
  const evalPath = await realpath(path);
  const there = (file: string): string => join(tree, relative(repository, file));
  await mkdir(dirname(there(evalPath)), { recursive: true });
  for (const file of [evalPath, ...(casesFile === undefined ? [] : [await realpath(casesFile)])]) {
    if (relative(repository, file).startsWith('..')) throw new UsageError(`${file} is outside the repository ${repository}.`);
    await copyFile(file, there(file));
  }
  await mergeCassettes(cassettePath(evalPath, undefined), cassettePath(there(evalPath), undefined));
  const folders = relative(repository, dirname(evalPath)).split(sep);
  for (let depth = 0; depth <= folders.length; depth++) {
    const modules = join(repository, ...folders.slice(0, depth), 'node_modules');
    const link = there(modules);
    if (existsSync(modules) && !existsSync(link)) await symlink(modules, link, 'junction');
  }
  return there(evalPath);
}

/** The older code asks what its own cassette holds; a case that is new has its replies in the current one. */
async function mergeCassettes(current: string, older: string): Promise<void> {
  if (!existsSync(current)) return;
  const { adoptSlice, printTape, readTape, sliceOfTape } = await import('../testing/evals/tape.ts');
  const tape = readTape(await readFile(current, 'utf8'), current);
  if (existsSync(older)) {
    const before = readTape(await readFile(older, 'utf8'), older);
    for (const [name, entries] of before.cases) {
      for (const repeat of new Set(entries.map((entry) => entry.repeat))) {
        const slice = sliceOfTape(before, name, repeat);
        const known = new Set(entries.map(({ task, request }) => `${task} ${request}`));
        const added = (tape.cases.get(name) ?? []).filter(
          (entry) => entry.repeat === repeat && !known.has(`${entry.task} ${entry.request}`),
        );
        slice.cases.set(name, [...(slice.cases.get(name) ?? []), ...added]);
        adoptSlice(tape, slice, name, repeat);
      }
    }
  }
  await writeFile(older, printTape(tape));
}

interface Place {
  readonly repository: string;
  readonly against: string;
  readonly signal: AbortSignal;
}

async function runThere(file: string, tree: string, flags: EvalFlags, { repository, against, signal }: Place): Promise<EvalReport> {
  const inside = relative(repository, await realpath(process.cwd()));
  const cwd = inside.startsWith('..') || isAbsolute(inside) ? tree : join(tree, inside);
  await mkdir(cwd, { recursive: true });
  const { only, concurrency, record, auto, model, baseUrl } = flags;
  const passed = [
    ...(record || auto ? ['--auto'] : []),
    ...(only === undefined ? [] : ['--only', only]),
    ...(model === undefined ? [] : ['--model', model]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ];
  const args = [...process.execArgv, process.argv[1] ?? '', 'eval', file, '--json', '--concurrency', String(concurrency), ...passed];
  const { stdout, stderr } = await output(process.execPath, args, cwd, signal);
  const value = parseJson(stdout);
  if (isReport(value)) return value;
  const message = isObject(value) && typeof value.message === 'string' ? value.message : stderr.trim();
  throw new UsageError(`The eval does not run on ${against}: ${message}`);
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await output('git', args, cwd);
  if (code === 0) return stdout;
  throw new UsageError(`git ${args[0]} failed: ${stderr.trim()}`);
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

function output(program: string, args: readonly string[], cwd: string, signal?: AbortSignal): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...(signal ? { signal } : {}) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (cause) => reject(new UsageError(`${program} cannot be started: ${cause.message}`)));
    child.on('close', (code) => resolve({ stdout, stderr, code }));
  });
}
