import { loadavg } from 'node:os';
import { shapeNames } from './conversations.ts';
import { inFreshProcess } from './fresh-process.ts';
import { installLangGraph, langGraphVersions } from './langgraph-peer.ts';
import { machineInfo } from './machine-info.ts';
import { describeMethod, type Measured, printReport, toReport } from './report.ts';
import { shuffled, summary } from './statistics.ts';
import { keeperNames } from './stored-bytes.ts';
import type { Task } from './task.ts';
import { variantNames } from './variants.ts';
import { writeResults } from './write-results.ts';

export interface BenchOptions {
  /** Few processes and iterations, and no file: to see that it runs, not how fast. */
  readonly quick: boolean;
}

/** What a node costs above its work, what a conversation takes to store, and what a durable step costs. */
export async function runEngineQuestion({ quick }: BenchOptions): Promise<void> {
  installLangGraph();
  const machine = machineInfo(langGraphVersions());
  const startedAt = new Date();
  const rounds = quick ? 2 : 5;
  const sizeRounds = 2; // how much is stored is the same in every process: the second one shows it
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const task of shuffled(tasks(quick, round <= sizeRounds))) {
      const loadAverage = loadavg()[0] ?? 0;
      progress(`round ${round} of ${rounds}: ${nameOf(task)}`);
      measured.push({ round, loadAverage, task, sample: await inFreshProcess(task) } as Measured);
    }
  }
  progress('');
  const report = toReport(measured);
  printReport(report);
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const loadAverage = summary(measured.map((one) => one.loadAverage));
  console.log(
    `\n${rounds} fresh processes for each time, ${sizeRounds} for each size, ${seconds} s in all, load average ${loadAverage.min} to ${loadAverage.max}.`,
  );
  if (quick) return;
  const head = {
    seconds,
    machine,
    method: describeMethod(rounds, sizeRounds),
    loadAverage,
  };
  writeResults('engine', startedAt, { ...head, ...report });
}

const tasks = (quick: boolean, withSizes: boolean): readonly Task[] => [
  ...variantNames.map((variant) => ({ measure: 'runs', variant, quick }) as const),
  ...(withSizes
    ? keeperNames.flatMap((keeper) => shapeNames.map((shape) => ({ measure: 'stored-bytes', keeper, shape, quick }) as const))
    : []),
  { measure: 'durable-step', quick },
];

const nameOf = (task: Task): string => {
  if (task.measure === 'runs') return task.variant;
  return task.measure === 'stored-bytes' ? `bytes of ${task.keeper}, ${task.shape}` : 'durable step';
};

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
};

// bytes and times stay whole
