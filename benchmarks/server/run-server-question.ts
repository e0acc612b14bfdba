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
const peers = ['@langchain/langgraph-api', '@langchain/langgraph', '@langchain/core'];
const peer = 'LangGraph.js, in-memory server';

interface Measured {
  readonly round: number;
  readonly variant: ServerVariantName;
  readonly loadAverage: number;
  readonly sample: ServerSample;
}

interface ServerRow {
  readonly variant: ServerVariantName;
  readonly alone: Readonly<Record<keyof Delays, Summary>>;
  readonly crowded: Readonly<Record<keyof Delays, Summary>>;
  readonly mib: Readonly<Record<'start' | 'idle' | 'end', Summary>>;
  /** LangGraph's first event with threads and stalled clients, over it; within a round. */
  readonly peerFirstEventToIt: Summary;
}

/** What clients of a server wait for while many others stream. */
export async function runServerQuestion({ quick }: BenchOptions): Promise<void> {
  install();
  const startedAt = new Date();
  const rounds = quick ? 1 : 3;
  const load = quick ? { streams: 50, idleThreads: 500, stalledClients: 20 } : { streams: 200, idleThreads: 10_000, stalledClients: 100 };
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
  const loadAverage = summary(samples.map((one) => one.loadAverage));
  console.log(`\n${rounds} fresh servers for each figure, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = {
    processes: `${rounds} rounds; in each, every server once, in random order, in a process of its own, its clients in another`,
    nodeFlags: { clients: nodeFlags, servers: [] },
    idleThreads: 'ours: a run each, which has ended; LangGraph: POST /threads, without a run',
  };
  const head = { machine: machineInfo(versions()), method, load, loadAverage };
  writeResults('server', startedAt, { ...head, servers: rows, samples });
}

function toRow(variant: ServerVariantName, samples: readonly Measured[]): ServerRow {
  const own = samplesOf(variant, samples);
  const delays = (of: 'alone' | 'crowded'): ServerRow['alone'] => {
    const all = (name: keyof Delays): Summary => summary(own.map((one) => one[of][name]));
    return {
      firstEventP50: all('firstEventP50'),
      firstEventP99: all('firstEventP99'),
      tokenP50: all('tokenP50'),
      tokenP99: all('tokenP99'),
    };
  };
  const first = (name: ServerVariantName): readonly number[] => samplesOf(name, samples).map(({ crowded }) => crowded.firstEventP50);
  return {
    variant,
    alone: delays('alone'),
    crowded: delays('crowded'),
    mib: {
      start: summary(own.map(({ startMiB }) => startMiB)),
      idle: summary(own.map(({ idleMiB }) => idleMiB)),
      end: summary(own.map(({ endMiB }) => endMiB)),
    },
    peerFirstEventToIt: summary(ratios(first(peer), first(variant))),
  };
}

const samplesOf = (variant: ServerVariantName, samples: readonly Measured[]): readonly ServerSample[] =>
  samples
    .filter((one) => one.variant === variant)
    .sort((a, b) => a.round - b.round)
    .map(({ sample }) => sample);

function print(rows: readonly ServerRow[], { streams, idleThreads, stalledClients }: Omit<ServerTask, 'variant'>): void {
  const table = (title: string, of: 'alone' | 'crowded'): void =>
    printTable(
      title,
      ['', 'first event p50', 'p99', 'token p50', 'p99', 'MiB'],
      rows.map((row) => [
        row.variant,
        ...Object.values(row[of]).map(({ median }) => median.toFixed(2)),
        row.mib[of === 'alone' ? 'start' : 'end'].median.toFixed(0),
      ]),
    );
  table(`${streams} streams at the same time, milliseconds`, 'alone');
  table(`The same beside ${idleThreads} idle threads and ${stalledClients} clients that read nothing`, 'crowded');
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
