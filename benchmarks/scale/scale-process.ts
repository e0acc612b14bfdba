// A process that works for a while: `scale-process.ts TASK`. Says when it is ready, begins when it is told to, and prints what it has done.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mean } from '../engine/statistics.ts';
import { longRun, shortRun } from './counting-workflow.ts';
import { type HomePlace, openHome, type ScaleHome } from './scale-home.ts';

export interface ScaleTask extends HomePlace {
  /** Runs at once, bare commits at once, or one after the other: long runs, short runs and bare commits in turns. */
  readonly work: 'runs' | 'commits' | 'steps';
  readonly seconds: number;
}

/** What was done at once. */
export interface DoneSample {
  readonly done: number;
  readonly ms: number;
  /** Of this process. */
  readonly cpuMs: number;
}

/** What was done one after the other, in microseconds. */
export interface StepsSample {
  readonly usPerLongRun: number;
  readonly usPerShortRun: number;
  readonly usPerCommit?: number;
  /** Of a file: all that this process has written in a step. */
  readonly bytesPerStep?: number;
}

const warmUps = 12;
const commitsAtATime = 10;

async function measureDone({ run, commit }: ScaleHome, { work, atOnce, seconds }: ScaleTask): Promise<DoneSample> {
  const before = performance.now();
  const cpuBefore = process.cpuUsage();
  const end = before + 1000 * seconds;
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      if (work === 'runs') await run(shortRun);
      else await commit?.(commitsAtATime);
      done += work === 'runs' ? 1 : commitsAtATime;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { done, ms: performance.now() - before, cpuMs: (user + system) / 1000 };
}

async function measureSteps({ run, commit }: ScaleHome, { home, seconds }: ScaleTask): Promise<StepsSample> {
  const times = { long: [] as number[], short: [] as number[], commit: [] as number[] };
  const bytes = { long: [] as number[], short: [] as number[] };
  const end = performance.now() + 1000 * seconds;
  const shortRuns = Math.round(longRun / shortRun);
  while (performance.now() < end || times.long.length < 5) {
    const written = [bytesWritten()];
    times.long.push(await timed(() => run(longRun)));
    written.push(bytesWritten());
    times.short.push((await timed(() => repeated(shortRuns, () => run(shortRun)))) / shortRuns);
    written.push(bytesWritten());
    if (commit) times.commit.push((await timed(() => commit(longRun))) / longRun);
    const [first = 0, second = 0, third = 0] = written;
    bytes.long.push(second - first);
    bytes.short.push((third - second) / shortRuns);
  }
  return {
    usPerLongRun: mean(times.long),
    usPerShortRun: mean(times.short),
    ...(commit ? { usPerCommit: mean(times.commit) } : {}),
    ...(home === 'sqlite' && bytesWritten() > 0 ? { bytesPerStep: (mean(bytes.long) - mean(bytes.short)) / (longRun - shortRun) } : {}),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return 1000 * (performance.now() - before);
}

async function repeated(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

/** What Linux knows that this process has written, wherever to; 0 elsewhere. */
function bytesWritten(): number {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

const task = JSON.parse(process.argv[2] ?? '') as ScaleTask;
const home = await openHome(task);
await Promise.all(Array.from({ length: task.atOnce }, () => repeated(warmUps, () => home.run(shortRun))));
await Promise.all(Array.from({ length: task.atOnce }, () => home.commit?.(commitsAtATime)));
console.log('ready');
await once(process.stdin, 'data');
console.log(JSON.stringify(task.work === 'steps' ? await measureSteps(home, task) : await measureDone(home, task)));
await home.close();
process.exit();
