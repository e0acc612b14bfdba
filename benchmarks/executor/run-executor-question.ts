import { loadavg } from 'node:os';
import { nodeFlags, runFreshProcess } from '../engine/fresh-process.ts';
import { installLangGraph, langGraphVersions } from '../engine/langgraph-peer.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { median, ratios, type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import { type GraphName, graphNames, graphs, idealMs, serialMs } from './graphs.ts';
import type { PlanSample, PlanTask } from './measure-plan.ts';
import { type VariantName, variantNames } from './variants.ts';

interface PlanRow {
  readonly graph: GraphName;
  readonly variant: VariantName;
  /** Of the medians of fresh processes. */
  readonly ms: Summary;
  /** How many times as fast as one tool after the other. */
  readonly speedUp: number;
  /** Of the ideal: every tool takes exactly its time, and nothing else takes any. */
  readonly ofIdeal: number;
  /** Promises by hand to it, within a round: what slows the whole machine down is in both. */
  readonly byHandToIt: Summary;
}

interface Measured {
  readonly round: number;
  readonly loadAverage: number;
  readonly task: PlanTask;
  readonly sample: PlanSample;
}

const script = new URL('measure-plan.ts', import.meta.url);

/** How close plans of slow tools come to the time that their longest chain takes. */
export async function runExecutorQuestion({ quick }: BenchOptions): Promise<void> {
  installLangGraph();
  const startedAt = new Date();
  const [rounds, runs] = quick ? [1, 2] : [5, 5];
  const tasks = graphNames.flatMap((graph) => variantNames.map((variant): PlanTask => ({ graph, variant, runs })));
  const samples: Measured[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const task of shuffled(tasks.filter(isComparable))) {
      const loadAverage = loadavg()[0] ?? 0;
      samples.push({ round, loadAverage, task, sample: (await runFreshProcess(script, task)) as PlanSample });
    }
  }
  const rows = tasks.filter(isComparable).map(({ graph, variant }) => toRow(graph, variant, samples));
  printTable(
    'Plans of tools that take 100 ms, milliseconds',
    ['', 'one after the other', 'ideal', 'median', 'min', 'max', 'speed-up', 'of the ideal', 'by hand / it'],
    rows.map(({ graph, variant, ms, speedUp, ofIdeal, byHandToIt }) => [
      `${graph}: ${variant}`,
      String(serialMs(graphs[graph])),
      String(idealMs(graphs[graph])),
      ...[ms.median, ms.min, ms.max].map((value) => value.toFixed(1)),
      speedUp.toFixed(2),
      ofIdeal.toFixed(3),
      byHandToIt.median.toFixed(3),
    ]),
  );
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const loadAverage = summary(samples.map((one) => one.loadAverage));
  console.log(`\n${rounds} fresh processes for each figure, ${seconds} s in all, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = {
    processes: `${rounds} rounds; in each, every variant of every graph once, in random order, one process after the other`,
    nodeFlags,
    runs: `the median of ${runs}, after one that does not count`,
    ideal: 'the longest chain of the plan, once steps one after the other, with tools that take exactly the time they are told to',
    proof: 'after every run: each step was called once, after its inputs had ended, and no once step beside another',
  };
  const machine = machineInfo(langGraphVersions());
  const head = { seconds, machine, method, loadAverage };
  writeResults('executor', startedAt, { ...head, graphs, plans: rows, samples });
}

/** LangGraph.js has nothing like `once`. */
const isComparable = ({ graph, variant }: PlanTask): boolean => variant !== 'LangGraph.js' || !graphs[graph].some(({ once }) => once);

function toRow(graph: GraphName, variant: VariantName, samples: readonly Measured[]): PlanRow {
  const mediansOf = (name: VariantName): readonly number[] =>
    samples
      .filter(({ task }) => task.graph === graph && task.variant === name)
      .sort((a, b) => a.round - b.round)
      .map(({ sample }) => median(sample.ms));
  const medians = mediansOf(variant);
  const ms = summary(medians);
  return {
    graph,
    variant,
    ms,
    speedUp: serialMs(graphs[graph]) / ms.median,
    ofIdeal: idealMs(graphs[graph]) / ms.median,
    byHandToIt: summary(ratios(mediansOf('promises by hand'), medians)),
  };
}
