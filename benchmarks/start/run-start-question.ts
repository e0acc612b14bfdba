import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = fileURLToPath(new URL('../../dist/src/cli/bin.js', import.meta.url));
const imports = (name: string): readonly string[] => ['--input-type=module', '-e', `import ${JSON.stringify(name)};`];

const nothing = 'node -e 0';
/** Node's arguments; all of them of the built package. */
const programs: Readonly<Record<string, readonly string[]>> = {
  [nothing]: ['-e', '0'],
  'import nothing': imports('data:text/javascript,'),
  "import 'xstate'": imports('xstate'),
  "import 'agent-machines'": imports('agent-machines'),
  'agent-machines --help': [bin, '--help'],
};

interface StartRow {
  readonly program: string;
  readonly ms: Summary;
  /** More than an empty program, which was started in the same round. */
  readonly msMore: Summary;
}

/** What a process takes that imports the kernel, or that says how it is called. */
export async function runStartQuestion({ quick }: BenchOptions): Promise<void> {
  if (!existsSync(bin)) throw new Error('dist is missing. Run: npm run build');
  const startedAt = new Date();
  const rounds = quick ? 5 : 31;
  const loads: number[] = [];
  const samples = Object.keys(programs).map((program) => ({ program, ms: [] as number[] }));
  for (const { program } of samples) startedIn(program); // the caches of the file system, and Node's own of the command line
  for (let round = 0; round < rounds; round++) {
    for (const { program, ms } of shuffled(samples)) {
      loads.push(loadavg()[0] ?? 0);
      ms.push(startedIn(program));
    }
  }
  const bases = samples.find(({ program }) => program === nothing)?.ms ?? [];
  const rows = samples.map(({ program, ms }): StartRow => {
    return { program, ms: summary(ms), msMore: summary(ms.map((value, round) => value - (bases[round] ?? Number.NaN))) };
  });
  printTable(
    'A fresh process, milliseconds',
    ['', 'median', 'min', 'max', 'more than an empty one'],
    rows.map(({ program, ms, msMore }) => [program, ...[ms.median, ms.min, ms.max, msMore.median].map((value) => value.toFixed(1))]),
  );
  const loadAverage = summary(loads);
  console.log(`\n${rounds} fresh processes for each figure, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = { processes: `${rounds} rounds; in each, every program once, in random order, after one round that does not count` };
  const head = { machine: machineInfo({}), method, loadAverage };
  writeResults('start', startedAt, { ...head, starts: rows, samples });
}

/** In milliseconds, from before it is started until it has ended. */
function startedIn(program: string): number {
  const before = performance.now();
  const { status } = spawnSync(process.execPath, [...(programs[program] ?? [])], { cwd: root, stdio: 'ignore' });
  const ms = performance.now() - before;
  if (status !== 0) throw new Error(`${program} ended with ${status}.`);
  return ms;
}
