import { loadavg } from 'node:os';
import { nodeFlags, runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { ratios, type Summary, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { BuildSample, ContractsSample, ContractsTask, QuerySample } from './measure-contracts.ts';

/** Maximum build time as a multiple of plain BM25, build time of 200 contracts, and times of a question to one contract. */
const gates = { ratio: 2, contractsMs: 10_000, p50Ms: 2, p95Ms: 20 } as const;

const script = new URL('measure-contracts.ts', import.meta.url);

interface BuildRow extends BuildSample {
  readonly plain: Summary;
  readonly ours: Summary;
  readonly ratio: Summary;
}

/** Measures what an index of contracts costs beside plain BM25. Fails if a gate is missed. */
export async function runContractsQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const task: ContractsTask = quick ? { articles: 600, contracts: 40, rounds: 3 } : { articles: 3_000, contracts: 200, rounds: 9 };
  const loadBefore = loadavg()[0] ?? 0;
  const sample = (await runFreshProcess(script, task)) as ContractsSample;
  const loadAfter = loadavg()[0] ?? 0;
  const builds = { generated: toRow(sample.generated), mixed: toRow(sample.mixed) };
  printTable(
    'Build, processor time of all documents',
    ['', 'documents', 'articles', 'plain BM25, ms', 'ours, ms', 'ours ÷ plain'],
    Object.entries(builds).map(([name, { documents, articles, plain, ours, ratio }]) => [
      name,
      String(documents),
      articles.toLocaleString('en'),
      plain.median.toFixed(0),
      ours.median.toFixed(0),
      ratio.median.toFixed(2),
    ]),
  );
  const questions = { 'plain BM25': sample.plain, find: sample.find, search: sample.search, 'search of all mixed': sample.searchAll };
  printTable(
    'One question, processor time',
    ['', 'questions', 'p50 ms', 'p95 ms'],
    Object.entries(questions).map(([name, { questions, p50Ms, p95Ms }]) => [name, String(questions), p50Ms.toFixed(2), p95Ms.toFixed(2)]),
  );
  const missed = missedGates(builds, sample);
  for (const gate of missed) console.error(`Missed: ${gate}`);
  if (missed.length > 0) process.exitCode = 1;
  if (quick) return;
  const method = {
    processes: `one; ${task.rounds} rounds after two that do not count; in each, both sides once, in random order, after a garbage collection`,
    nodeFlags,
    time: 'processor time of the process, all of its threads',
    build: 'plain: an index per document. Ours: one index of articles over all documents, and a finder for each; parsing left out',
    questions: 'all of the evaluations of retrieval and silence, each to its own contract; no contract was asked before',
  };
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const head = { seconds, machine: machineInfo({}), method, loadAverage: { before: loadBefore, after: loadAfter } };
  writeResults('contracts', startedAt, { ...head, gates, missed, builds, questions });
}

function toRow(sample: BuildSample): BuildRow {
  const { plainMs, oursMs } = sample;
  return { ...sample, plain: summary(plainMs), ours: summary(oursMs), ratio: summary(ratios(oursMs, plainMs)) };
}

function missedGates(builds: Readonly<Record<'generated' | 'mixed', BuildRow>>, { find, search }: ContractsSample): readonly string[] {
  const slow = (name: string, { p50Ms, p95Ms }: QuerySample): readonly string[] => [
    ...(p50Ms > gates.p50Ms ? [`${name} takes ${p50Ms.toFixed(2)} ms p50, more than ${gates.p50Ms}`] : []),
    ...(p95Ms > gates.p95Ms ? [`${name} takes ${p95Ms.toFixed(2)} ms p95, more than ${gates.p95Ms}`] : []),
  ];
  const heavy = Object.entries(builds)
    .filter(([, { ratio }]) => ratio.median > gates.ratio)
    .map(([name, { ratio }]) => `${name} takes ${ratio.median.toFixed(2)} times plain BM25, more than ${gates.ratio}`);
  const { median } = builds.mixed.ours;
  return [
    ...heavy,
    ...(median > gates.contractsMs
      ? [`${builds.mixed.documents} contracts take ${median.toFixed(0)} ms, more than ${gates.contractsMs}`]
      : []),
    ...slow('find', find),
    ...slow('search', search),
  ];
}
