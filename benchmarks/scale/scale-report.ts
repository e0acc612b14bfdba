import { mean, type Summary, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import type { PostgresCosts } from './count-postgres.ts';
import { longRun, shortRun } from './counting-workflow.ts';
import { type HomeName, homeNames } from './scale-home.ts';
import type { DoneSample, ScaleTask, StepsSample } from './scale-process.ts';

/** What the processes of one line have measured in one round. */
export interface ScaleMeasured {
  readonly round: number;
  /** When it began, over the last minute. */
  readonly loadAverage: number;
  readonly home: HomeName;
  readonly work: ScaleTask['work'];
  readonly processes: number;
  readonly atOnce: number;
  readonly done?: readonly DoneSample[];
  readonly steps?: StepsSample | undefined;
  /** Of the server alone. */
  readonly serverCpuMs?: number;
  /** Of the process that drives, where that is another one than those that start runs. */
  readonly workerCpuMs?: number;
}

interface StepRow {
  readonly home: HomeName;
  readonly usPerStep: Summary;
  readonly usPerStartAndEnd: Summary;
  readonly usPerCommit?: Summary;
  /** A durable node of a long run, its part of start and end in it, by a bare commit. */
  readonly nodeToCommit?: Summary;
  readonly bytesPerStep?: Summary;
}

interface RateRow {
  readonly home: HomeName;
  readonly work: 'runs' | 'commits';
  readonly processes: number;
  readonly atOnce: number;
  readonly perSecond: Summary;
  /** To one process with as many at once, within a round. */
  readonly toOneProcess: Summary;
  /** The most of one process by the fewest of another. */
  readonly unfairness: Summary;
  /** Of all processes that drive, and of the server, in microseconds. */
  readonly cpuUsEach: Summary;
  readonly serverCpuUsEach?: Summary;
}

export interface ScaleReport {
  readonly shortRun: number;
  readonly longRun: number;
  readonly steps: readonly StepRow[];
  readonly rates: readonly RateRow[];
  readonly postgres?: PostgresCosts;
}

export function toScaleReport(samples: readonly ScaleMeasured[], postgres: PostgresCosts | undefined): ScaleReport {
  const homes = homeNames.filter((home) => samples.some((one) => one.home === home));
  return {
    shortRun,
    longRun,
    steps: homes.map((home) =>
      toStepRow(
        home,
        samples.flatMap((one) => (one.home === home && one.steps ? [one.steps] : [])),
      ),
    ),
    rates: homes.flatMap((home) => toRateRows(samples.filter((one) => one.home === home && one.work !== 'steps'))),
    ...(postgres ? { postgres } : {}),
  };
}

function toStepRow(home: HomeName, samples: readonly StepsSample[]): StepRow {
  const stepOf = ({ usPerLongRun, usPerShortRun }: StepsSample): number => (usPerLongRun - usPerShortRun) / (longRun - shortRun);
  const present = (valueIn: (sample: StepsSample) => number | undefined): Summary | undefined => {
    const values = samples.flatMap((sample) => valueIn(sample) ?? []);
    return values.length > 0 ? summary(values) : undefined;
  };
  const usPerCommit = present((sample) => sample.usPerCommit);
  const nodeToCommit = present(({ usPerLongRun, usPerCommit }) =>
    usPerCommit === undefined ? undefined : usPerLongRun / longRun / usPerCommit,
  );
  const bytesPerStep = present((sample) => sample.bytesPerStep);
  return {
    home,
    usPerStep: summary(samples.map(stepOf)),
    usPerStartAndEnd: summary(samples.map((sample) => sample.usPerShortRun - shortRun * stepOf(sample))),
    ...(usPerCommit ? { usPerCommit } : {}),
    ...(nodeToCommit ? { nodeToCommit } : {}),
    ...(bytesPerStep ? { bytesPerStep } : {}),
  };
}

function toRateRows(samples: readonly ScaleMeasured[]): readonly RateRow[] {
  const lines = Map.groupBy(samples, ({ work, processes, atOnce }) => `${work} ${atOnce} ${processes}`);
  return [...lines.keys()].sort().flatMap((key) => {
    const own = lines.get(key) ?? [];
    const [first] = own;
    if (!first || first.work === 'steps') return [];
    const { home, work, processes, atOnce } = first;
    const bases = lines.get(`${work} ${atOnce} 1`) ?? [];
    const ratios = own.map((one) => rateOf(one) / mean(bases.filter(({ round }) => round === one.round).map(rateOf)));
    const serverCpu = own.flatMap((one) => (one.serverCpuMs === undefined ? [] : [(1000 * one.serverCpuMs) / countOf(one)]));
    return [
      {
        home,
        work,
        processes,
        atOnce,
        perSecond: summary(own.map(rateOf)),
        toOneProcess: summary(ratios),
        unfairness: summary(own.map(unfairnessOf)),
        cpuUsEach: summary(own.map((one) => (1000 * sum([one.workerCpuMs ?? 0, ...doneOf(one).map(({ cpuMs }) => cpuMs)])) / countOf(one))),
        ...(serverCpu.length > 0 ? { serverCpuUsEach: summary(serverCpu) } : {}),
      },
    ];
  });
}

const doneOf = ({ done = [] }: ScaleMeasured): readonly DoneSample[] => done;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const countOf = (measured: ScaleMeasured): number => sum(doneOf(measured).map(({ done }) => done));
const rateOf = (measured: ScaleMeasured): number => sum(doneOf(measured).map(({ done, ms }) => (1000 * done) / ms));
const unfairnessOf = (measured: ScaleMeasured): number => {
  const counts = doneOf(measured).map(({ done }) => done);
  return Math.max(...counts) / Math.min(...counts);
};

export function printScale({ steps, rates, postgres }: ScaleReport): void {
  const told = (value: Summary | undefined, digits = 0): string => value?.median.toFixed(digits) ?? '';
  printTable(
    'One after the other in one process, microseconds',
    ['', 'a step', 'start and end', 'a bare commit', 'node ÷ commit', 'bytes a step'],
    steps.map((row) => [
      row.home,
      told(row.usPerStep),
      told(row.usPerStartAndEnd),
      told(row.usPerCommit),
      told(row.nodeToCommit, 2),
      told(row.bytesPerStep),
    ]),
  );
  printTable(
    `A second: runs of ${shortRun} nodes, and bare commits`,
    ['', 'processes', 'at once in each', 'a second', '÷ one process', 'most ÷ fewest', 'CPU µs each', "server's"],
    rates.map((row) => [
      `${row.home}, ${row.work}`,
      `${row.processes}`,
      `${row.atOnce}`,
      told(row.perSecond),
      told(row.toOneProcess, 2),
      told(row.unfairness, 2),
      told(row.cpuUsEach),
      told(row.serverCpuUsEach),
    ]),
  );
  if (!postgres) return;
  const { perShortRun, perStep } = postgres;
  const names = Object.keys(perStep) as (keyof typeof perStep)[];
  printTable(
    'PostgreSQL, counted',
    ['', ...names],
    Object.entries({ [`a run of ${shortRun} nodes`]: perShortRun, 'a step': perStep }).map(([name, counts]) => [
      name,
      ...names.map((count) => counts[count].toFixed(2)),
    ]),
  );
}
