// One suite, from the packed package, in every runtime that is promised; prints a table and fails when anything in it fails.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { installedProgram } from '../system/install-folder.ts';
import { type Project, packProject } from './pack.ts';
import { runChromium } from './run-chromium.ts';
import { runWorkerd } from './run-workerd.ts';
import type { Report } from './suite.ts';

interface Runtime {
  readonly name: string;
  /** It must make no code from strings: or a check of that would check nothing. */
  readonly forbidsCode?: true;
  run(project: Project): Promise<Report>;
}

const prints =
  (file: string, ...args: readonly string[]) =>
  async ({ folder, program }: Project): Promise<Report> => {
    const { stdout } = await promisify(execFile)(file, [...args, program], { cwd: folder, maxBuffer: 10_000_000 });
    return JSON.parse(stdout) as Report;
  };

const runtimes: readonly Runtime[] = [
  { name: 'Node 22', run: prints(installedProgram('node22')) },
  { name: 'Node 24', run: prints(installedProgram('node24')) },
  { name: 'Node 26', run: prints(installedProgram('node26')) },
  { name: 'Node 24, no code', forbidsCode: true, run: prints(installedProgram('node24'), '--disallow-code-generation-from-strings') },
  { name: 'Bun', run: prints(installedProgram('bun')) },
  {
    name: 'Deno, no permissions',
    run: prints(installedProgram('deno'), 'run', '--no-prompt', '--cached-only', '--node-modules-dir=manual'),
  },
  { name: 'workerd', forbidsCode: true, run: runWorkerd },
  { name: 'Chromium, CSP', forbidsCode: true, run: runChromium },
];

const asked = process.argv.slice(2);
const project = await packProject();
const failures: string[] = [];
const rows: (readonly [name: string, report: Report | undefined])[] = [];
try {
  for (const { name, forbidsCode, run } of runtimes) {
    if (asked.length > 0 && !asked.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue;
    try {
      const report = await run(project);
      rows.push([name, report]);
      for (const check of report.checks) if (check.failure !== undefined) failures.push(`${name}, ${check.name}: ${check.failure}`);
      if (forbidsCode && report.makesCode) failures.push(`${name} makes code from strings.`);
    } catch (error) {
      rows.push([name, undefined]);
      failures.push(`${name} has not reported: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  rmSync(project.folder, { recursive: true, force: true });
}

const names = rows.find(([, report]) => report)?.[1]?.checks.map(({ name }) => name) ?? [];
console.log(`| | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`);
for (const [name, report] of rows) {
  const marks = names.map((check) => (report?.checks.some((one) => one.name === check && one.failure === undefined) ? '✓' : '✗'));
  console.log(`| ${name} | ${marks.join(' | ')} |`);
}
for (const failure of failures) console.error(`✗ ${failure}`);
if (failures.length > 0) process.exitCode = 1;
