import { type ShapeName, shapeNames, shapes } from './conversations.ts';
import type { DurableStepSample } from './durable-step.ts';
import { nodeFlags } from './fresh-process.ts';
import { ratios, type Summary, summary } from './statistics.ts';
import { type KeeperName, keeperNames } from './stored-bytes.ts';
import { printTable } from './table.ts';
import type { Sample, Task } from './task.ts';
import { type VariantName, variantNames } from './variants.ts';

/** What one process has measured. */
export type Measured = { readonly [K in Task['measure']]: MeasuredBy<K> }[Task['measure']];

interface MeasuredBy<TMeasure extends Task['measure']> {
  readonly round: number;
  /** When it began, over the last minute. */
  readonly loadAverage: number;
  readonly task: Extract<Task, { measure: TMeasure }>;
  readonly sample: Sample<TMeasure>;
}

export interface EngineReport {
  readonly runs: readonly RunsRow[];
  readonly storedBytes: readonly StoredBytesRow[];
  readonly durableStep: DurableStepReport;
  /** Everything, in the order in which it was measured. */
  readonly samples: readonly Measured[];
}

interface RunsRow {
  readonly variant: VariantName;
  readonly usPerRun: Summary;
  /** Of ratios within a round: it to the live actor, and LangGraph.js with MemorySaver to it. */
  readonly toLiveActor: Summary;
  readonly langGraphToIt: Summary;
}

interface StoredBytesRow {
  readonly keeper: KeeperName;
  readonly shape: ShapeName;
  readonly marks: readonly { readonly turns: number; readonly bytes: Summary; readonly timesPayload: Summary }[];
}

type DurableStepReport = { readonly [K in keyof DurableStepSample]: Summary };

export function toReport(samples: readonly Measured[]): EngineReport {
  const runs = samples.filter((measured): measured is MeasuredBy<'runs'> => measured.task.measure === 'runs').sort(byRound);
  const usPerRun = (name: VariantName): readonly number[] =>
    runs.filter(({ task }) => task.variant === name).map(({ sample }) => sample.usPerRun);
  const stored = samples.filter((measured): measured is MeasuredBy<'stored-bytes'> => measured.task.measure === 'stored-bytes');
  const durable = samples.filter((measured): measured is MeasuredBy<'durable-step'> => measured.task.measure === 'durable-step');
  const ofDurable = (key: keyof DurableStepSample): Summary => summary(durable.map(({ sample }) => sample[key]));
  return {
    runs: variantNames.map((variant) => ({
      variant,
      usPerRun: summary(usPerRun(variant)),
      toLiveActor: summary(ratios(usPerRun(variant), usPerRun('live XState actor'))),
      langGraphToIt: summary(ratios(usPerRun('LangGraph.js, MemorySaver'), usPerRun(variant))),
    })),
    storedBytes: keeperNames.flatMap((keeper) =>
      shapeNames.map((shape) => ({
        keeper,
        shape,
        marks: marksOf(
          stored.filter(({ task }) => task.keeper === keeper && task.shape === shape).map(({ sample }) => sample),
          shape,
        ),
      })),
    ),
    durableStep: {
      usPerNode: ofDurable('usPerNode'),
      usPerAppend: ofDurable('usPerAppend'),
      usPerRawCommit: ofDurable('usPerRawCommit'),
      nodeToRaw: ofDurable('nodeToRaw'),
      appendToRaw: ofDurable('appendToRaw'),
      nodeToRawOfMedianStretch: ofDurable('nodeToRawOfMedianStretch'),
      appendToRawOfMedianStretch: ofDurable('appendToRawOfMedianStretch'),
      rowBytes: ofDurable('rowBytes'),
      stretches: ofDurable('stretches'),
    },
    samples,
  };
}

const byRound = (a: { readonly round: number }, b: { readonly round: number }): number => a.round - b.round;

function marksOf(samples: readonly Sample<'stored-bytes'>[], shape: ShapeName): StoredBytesRow['marks'] {
  const { questionBytes, answerBytes } = shapes[shape];
  return Object.keys(samples[0] ?? {}).map((key) => {
    const turns = Number(key);
    const bytes = samples.map((sample) => sample[turns] ?? Number.NaN);
    const payload = turns * (questionBytes + answerBytes);
    return { turns, bytes: summary(bytes), timesPayload: summary(bytes.map((count) => count / payload)) };
  });
}

export function printReport({ runs, storedBytes, durableStep }: EngineReport): void {
  printTable(
    'One run of 6 nodes, microseconds',
    ['', 'median', 'min', 'max', 'it / live actor', 'LangGraph.js, MemorySaver / it'],
    runs.map(({ variant, usPerRun, toLiveActor, langGraphToIt }) => [
      variant,
      decimals(usPerRun.median, 1),
      decimals(usPerRun.min, 1),
      decimals(usPerRun.max, 1),
      decimals(toLiveActor.median, 2),
      decimals(langGraphToIt.median, 1),
    ]),
  );
  for (const shape of shapeNames) {
    const rows = storedBytes.filter((row) => row.shape === shape);
    const turns = rows[0]?.marks.map((mark) => mark.turns) ?? [];
    printTable(
      `Stored bytes as a multiple of the payload: ${shape}`,
      ['', ...turns.map((count) => `${count} turns`), `bytes after ${turns.at(-1)}`],
      rows.map(({ keeper, marks }) => [
        keeper,
        ...marks.map(({ timesPayload }) => decimals(timesPayload.median, 2)),
        (marks.at(-1)?.bytes.median ?? 0).toLocaleString('en'),
      ]),
    );
  }
  const { usPerNode, usPerAppend, usPerRawCommit, nodeToRaw, appendToRaw, rowBytes } = durableStep;
  const row = (name: string, us: Summary, ratio?: Summary): readonly string[] => [
    name,
    decimals(us.median, 1),
    decimals(us.min, 1),
    decimals(us.max, 1),
    ratio ? decimals(ratio.median, 2) : '',
  ];
  printTable(
    `Durable step on SQLite, synchronous=FULL, rows of ${rowBytes.median} bytes, microseconds`,
    ['', 'median', 'min', 'max', 'it / raw INSERT'],
    [
      row('a node of a run of 50', usPerNode, nodeToRaw),
      row('one append by itself', usPerAppend, appendToRaw),
      row('one raw INSERT', usPerRawCommit),
    ],
  );
}

const decimals = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const describeMethod = (rounds: number, sizeRounds: number): Readonly<Record<string, unknown>> => ({
  processes: `${rounds} rounds; in each, every variant once, in random order, one process after the other; sizes in the first ${sizeRounds}`,
  nodeFlags,
  runs: 'warm-up until four stretches of 100 ms differ by at most 5 %, 3 s at most; then at least 1 s and 2,000 runs, 2 s at most; a new store every 500 runs, except SQLite; the proof before, in between and after',
  ratios: 'within a round, of the durable step within a process; then the median',
  storedBytes: 'ours: the file after close; MemorySaver: serialised checkpoints, metadata and writes, without keys',
});
