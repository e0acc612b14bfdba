import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nodeFlags, runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { ratios, type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { Delays, ServerSample, ServerTask } from './measure-server.ts';
import { type ServerVariantName, serverVariantNames } from './server-variant.ts';

const folder = new URL('../langgraph-server/', import.meta.url);
const peers = ['@langchain/langgraph-api', '@langchain/langgraph', '@langchain/core', '@langchain/openai'];
const peer = 'LangGraph.js, in-memory server';
const floor = 'bare proxy';
/** What is asked: work for a token, over that of a bare proxy; delay of a token on a quiet machine; memory of idle threads. */
const gates = { work: 1.8, tokenP99: 20, idleMiB: 50 } as const;
/** Load average up to which delays are those of the server, and not of the machine. */
const quietLoad = 1;
const phases = ['alone', 'long', 'crowded'] as const;
type Phase = (typeof phases)[number];

interface Measured {
  readonly round: number;
  readonly variant: ServerVariantName;
  readonly loadAverage: number;
  readonly sample: ServerSample;
}

interface ServerRow extends Readonly<Record<Phase, Readonly<Record<keyof Delays, Summary>>>> {
  readonly variant: ServerVariantName;
  readonly mib: Readonly<Record<'start' | 'idle' | 'end', Summary>>;
  /** Processor time for a token of a long answer, over the bare proxy's; within a round. */
  readonly work: Summary;
  /** LangGraph's first event with threads and stalled clients, over it; within a round. */
  readonly peerFirstEventToIt: Summary;
}

/** What clients of a server wait for while many others stream, and what a token costs the server. Fails if a gate is missed. */
export async function runServerQuestion({ quick }: BenchOptions): Promise<void> {
  install();
  const startedAt = new Date();
  const rounds = quick ? 1 : 3;
  const load = quick
    ? { streams: 50, idleThreads: 500, stalledClients: 20, longTokens: 100 }
    : { streams: 200, idleThreads: 10_000, stalledClients: 100, longTokens: 200 };
  const samples: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const variant of shuffled(serverVariantNames)) {
      const loadAverage = loadavg()[0] ?? 0;
      const task: ServerTask = { variant, ...load };
      const sample = (await runFreshProcess(new URL('measure-server.ts', import.meta.url), task)) as ServerSample;
      samples.push({ round, variant, loadAverage, sample });
    }
    report(samples, { startedAt, load, quick }); // a round takes minutes: what there is stays
  }
}

interface Told {
  readonly startedAt: Date;
  readonly load: Omit<ServerTask, 'variant'>;
  readonly quick: boolean;
}

function report(samples: readonly Measured[], { startedAt, load, quick }: Told): void {
  const rounds = 1 + Math.max(...samples.map(({ round }) => round));
  const rows = serverVariantNames.map((variant) => toRow(variant, samples));
  print(rows, load);
  const missed = rows.flatMap((row) => missedBy(row, samples));
  for (const gate of missed) console.error(`Missed: ${gate}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
  const loadAverage = summary(samples.map((one) => one.loadAverage));
  console.log(`\n${rounds} fresh servers for each figure, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = {
    processes: `${rounds} rounds; in each, every server once, in random order, in a process of its own, its clients in another`,
    nodeFlags: { clients: nodeFlags, servers: [] },
    idleThreads: 'ours: a run each, which has ended; LangGraph: POST /threads, without a run',
  };
  const head = { machine: machineInfo(versions()), method, load, loadAverage, gates, missed };
  writeResults('server', startedAt, { ...head, servers: rows, samples });
}

function toRow(variant: ServerVariantName, samples: readonly Measured[]): ServerRow {
  const own = samplesOf(variant, samples);
  const delays = (of: Phase): ServerRow[Phase] => {
    const all = (name: keyof Delays): Summary => summary(own.map((one) => one[of][name]));
    return {
      firstEventP50: all('firstEventP50'),
      firstEventP99: all('firstEventP99'),
      tokenP50: all('tokenP50'),
      tokenP99: all('tokenP99'),
      cpuPerToken: all('cpuPerToken'),
    };
  };
  const first = (name: ServerVariantName): readonly number[] => samplesOf(name, samples).map(({ crowded }) => crowded.firstEventP50);
  return {
    variant,
    alone: delays('alone'),
    long: delays('long'),
    crowded: delays('crowded'),
    mib: {
      start: summary(own.map(({ startMiB }) => startMiB)),
      idle: summary(own.map(({ idleMiB }) => idleMiB)),
      end: summary(own.map(({ endMiB }) => endMiB)),
    },
    work: summary(
      ratios(
        own.map(({ long }) => long.cpuPerToken),
        samplesOf(floor, samples).map(({ long }) => long.cpuPerToken),
      ),
    ),
    peerFirstEventToIt: summary(ratios(first(peer), first(variant))),
  };
}

const samplesOf = (variant: ServerVariantName, samples: readonly Measured[]): readonly ServerSample[] =>
  samples
    .filter((one) => one.variant === variant)
    .sort((a, b) => a.round - b.round)
    .map(({ sample }) => sample);

function print(rows: readonly ServerRow[], { streams, idleThreads, stalledClients, longTokens }: Omit<ServerTask, 'variant'>): void {
  const table = (title: string, of: Phase): void =>
    printTable(
      title,
      ['', 'first event p50', 'p99', 'token p50', 'p99', 'µs per token', 'MiB'],
      rows.map((row) => [
        row.variant,
        ...Object.values(row[of]).map(({ median }) => median.toFixed(median < 100 ? 1 : 0)),
        row.mib[of === 'crowded' ? 'end' : 'start'].median.toFixed(0),
      ]),
    );
  table(`${streams} streams of 40 tokens at the same time, milliseconds`, 'alone');
  table(`The same with ${longTokens} tokens each`, 'long');
  table(`The first beside ${idleThreads} idle threads and ${stalledClients} clients that read nothing`, 'crowded');
  printTable(
    'Work for a token of a long answer, and memory of the idle threads',
    ['', 'times the bare proxy', 'MiB'],
    rows.map(({ variant, work, mib }) => [variant, work.median.toFixed(2), (mib.idle.median - mib.start.median).toFixed(0)]),
  );
}

function missedBy({ variant, work, alone, mib }: ServerRow, samples: readonly Measured[]): readonly string[] {
  if (variant === floor || variant === peer) return [];
  const idle = mib.idle.median - mib.start.median;
  const isQuiet = samples.every(({ loadAverage }) => loadAverage <= quietLoad);
  return [
    ...(work.median > gates.work
      ? [`${variant} takes ${work.median.toFixed(2)} times a bare proxy for a token, more than ${gates.work}`]
      : []),
    ...(isQuiet && alone.tokenP99.median > gates.tokenP99
      ? [`${variant} delays a token by ${alone.tokenP99.median.toFixed(0)} ms (p99), more than ${gates.tokenP99}`]
      : []),
    ...(idle > gates.idleMiB ? [`idle threads take ${idle.toFixed(0)} MiB of ${variant}, more than ${gates.idleMiB}`] : []),
  ];
}

/** Installs the server in its own folder, unless the versions of its lock file are there. */
function install(): void {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', folder), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const installed = versions();
  if (peers.every((name) => installed[name] === lock.packages[`node_modules/${name}`]?.version)) return;
  console.error('Installing LangGraph.js in benchmarks/langgraph-server …');
  execFileSync('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

function versions(): Readonly<Record<string, string>> {
  const versionOf = (name: string): string => {
    const file = new URL(`node_modules/${name}/package.json`, folder);
    return existsSync(file) ? String((JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }).version) : 'missing';
  };
  return Object.fromEntries(peers.map((name) => [name, versionOf(name)]));
}
