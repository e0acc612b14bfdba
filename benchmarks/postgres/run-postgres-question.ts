import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createRuntime } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { newPool, type PostgresServer, postgresServer } from '../../test/system/postgres-server.ts';
import { counter, nodesPerRun } from '../engine/durable-step.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { mean, ratios, type Summary, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import { measureCancels } from './measure-cancels.ts';

const warmUps = 3;

/** What a durable node costs on PostgreSQL beside a bare commit, and what more processes bring. */
export async function runPostgresQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  await using server = await postgresServer();
  const steps = await measureSteps(await server.newDatabase(), quick ? 9 : 41);
  printTable(
    'A node on PostgreSQL, milliseconds',
    ['', 'median', 'min', 'max'],
    Object.entries(steps).map(([name, { median, min, max }]) => [name, ...[median, min, max].map((value) => value.toFixed(3))]),
  );
  const seconds = quick ? 3 : 10;
  const processes = [await measureProcesses(server, 1, seconds), await measureProcesses(server, 4, seconds)];
  printTable(
    `Runs of ${nodesPerRun} nodes per second`,
    ['processes', 'runs per second', 'the most of one by the fewest'],
    processes.map(({ count, runsPerSecond, unfairness }) => [`${count}`, runsPerSecond.toFixed(1), unfairness.toFixed(2)]),
  );
  const cancels = await measureCancels(server);
  printTable(
    'Many at one run, on four stores of four connections',
    ['', 'callers', 'milliseconds', 'at most'],
    cancels.map(({ name, callers, ms, mostMs }) => [name, `${callers}`, ms.toFixed(0), `${mostMs}`]),
  );
  for (const { name, ms, mostMs } of cancels.filter((row) => row.ms > row.mostMs)) {
    console.error(`${name} took ${ms.toFixed(0)} ms, more than ${mostMs} ms.`);
    process.exitCode = 1;
  }
  if (quick) return;
  const head = { machine: machineInfo({ postgres: '18.4.0', pg: '8.23.0' }) };
  writeResults('postgres', startedAt, { ...head, steps, processes, cancels });
}

/** In each stretch a run, and as many rows of the same size, each committed by itself on a connection of the same pool. */
async function measureSteps(connectionString: string, stretches: number): Promise<Readonly<Record<string, Summary>>> {
  const pool = await newPool({ connectionString, max: 3 });
  const store = postgresStore({ pool });
  const runtime = createRuntime({ store });
  const entries = await runtime.history((await counted(runtime)).id);
  const text = JSON.stringify(entries.at(nodesPerRun / 2));
  await pool.query('CREATE TABLE raw (id bigint PRIMARY KEY, entry text NOT NULL)');
  const client = await pool.connect();
  let rows = 0;
  const raw = async (): Promise<void> => {
    await client.query({ name: 'raw', text: 'INSERT INTO raw VALUES ($1, $2)', values: [rows++, text] });
  };
  const nodes: number[] = [];
  const commits: number[] = [];
  for (let stretch = -warmUps; stretch < stretches; stretch++) {
    const run = await timed(() => counted(runtime));
    const bare = await timed(async () => {
      for (let commit = 0; commit < nodesPerRun; commit++) await raw();
    });
    if (stretch < 0) continue;
    nodes.push(run / nodesPerRun);
    commits.push(bare / nodesPerRun);
  }
  client.release();
  await runtime.close();
  await store.close();
  await pool.end();
  const all = mean(nodes) / mean(commits);
  return {
    node: summary(nodes),
    'bare commit': summary(commits),
    'node by bare commit, stretch by stretch': summary(ratios(nodes, commits)),
    'node by bare commit, all of it': { median: all, min: all, max: all },
  };
}

async function counted(runtime: ReturnType<typeof createRuntime>): Promise<{ readonly id: string }> {
  const { id, result } = runtime.start(counter, null);
  if ((await result).status !== 'done') throw new Error('The run ended unexpectedly.');
  return { id };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

interface ProcessesRow {
  readonly count: number;
  readonly runsPerSecond: number;
  readonly unfairness: number;
}

async function measureProcesses(server: PostgresServer, count: number, seconds: number): Promise<ProcessesRow> {
  const address = await server.newDatabase();
  const children = Array.from({ length: count }, () => startCounting(address, seconds));
  await Promise.all(children.map((child) => lineOf(child)));
  const runs = await Promise.all(
    children.map((child) => {
      child.stdin.write('go\n');
      return lineOf(child).then(Number);
    }),
  );
  return { count, runsPerSecond: runs.reduce((sum, each) => sum + each, 0) / seconds, unfairness: Math.max(...runs) / Math.min(...runs) };
}

type Counting = ChildProcessByStdio<Writable, Readable, null>;

function startCounting(address: string, seconds: number): Counting {
  const program = fileURLToPath(new URL('count-process.ts', import.meta.url));
  return spawn(process.execPath, ['--conditions=@agent-machines/source', program, address, String(seconds)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

const lineOf = async (child: Counting): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim();
