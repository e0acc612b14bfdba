import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { postgresStore } from 'agent-machines/stores/postgres';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { freePort } from '../../test/fixtures/free-port.ts';
import { importPg, type PostgresServer, postgresServer } from '../../test/system/postgres-server.ts';
import { type RestateServer, restateServer } from '../../test/system/restate/restate-server.ts';
import { nodeFlags } from '../engine/fresh-process.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { shuffled, summary } from '../engine/statistics.ts';
import { writeResults } from '../engine/write-results.ts';
import { countPostgres } from './count-postgres.ts';
import { longRun, shortRun } from './counting-workflow.ts';
import { type HomeName, homeNames } from './scale-home.ts';
import type { DoneSample, ScaleTask, StepsSample } from './scale-process.ts';
import { printScale, type ScaleMeasured, toScaleReport } from './scale-report.ts';
import { cpuOf, cpuOfStarted } from './server-cpu.ts';

/** So many processes do this at the same time on one store. */
interface Plan {
  readonly home: HomeName;
  readonly work: ScaleTask['work'];
  readonly processes: number;
  readonly atOnce: number;
}

/** Servers that were started, and why one was not. */
interface Servers extends AsyncDisposable {
  readonly postgres?: PostgresServer;
  readonly restate?: RestateServer;
  readonly skipped: readonly { readonly home: HomeName; readonly reason: string }[];
}

const several = 8;
const serverNames: Partial<Record<HomeName, string>> = { postgres: 'postgres', restate: 'restate-server' };

/** How many runs a second each store takes, what a durable step costs beside a bare commit of the same database, and what more processes bring. */
export async function runScaleQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const rounds = quick ? 1 : 3;
  const seconds = quick ? 1 : 3;
  await using servers = await startServers();
  const plans = homeNames.filter((home) => !servers.skipped.some((one) => one.home === home)).flatMap(plansOf);
  const samples: ScaleMeasured[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const plan of shuffled(plans)) {
      const loadAverage = loadavg()[0] ?? 0;
      samples.push({ round, loadAverage, ...plan, ...(await measure(plan, servers, seconds)) });
    }
  }
  const costs = servers.postgres && (await countPostgres(servers.postgres, quick ? 10 : 50));
  const report = toScaleReport(samples, costs);
  printScale(report);
  for (const { home, reason } of servers.skipped) console.log(`\n${home} was skipped: ${reason}`);
  const loadAverage = summary(samples.map((one) => one.loadAverage));
  console.log(`\n${rounds} times fresh processes for each figure, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = {
    processes: `${rounds} rounds; in each, every line once, in random order, in fresh processes on an empty database`,
    nodeFlags,
    runs: `${seconds} s each, of ${shortRun} nodes that do nothing, after a warm-up; a step is what a run of ${longRun} nodes takes longer than one of ${shortRun}, by the nodes`,
    nodeToCommit: `a run of ${longRun} nodes by its nodes, over a bare commit of a row of the same size, in turns in one process`,
  };
  const machine = machineInfo({ postgres: '18.4.0', pg: '8.23.0', restate: '1.7.12' });
  const head = { machine, method, loadAverage, skipped: servers.skipped };
  writeResults('scale', startedAt, { ...head, ...report, samples });
}

function plansOf(home: HomeName): readonly Plan[] {
  const runs = (processes: number, atOnce: number): Plan => ({ home, work: 'runs', processes, atOnce });
  const commits = (processes: number): Plan => ({ home, work: 'commits', processes, atOnce: several });
  const alone: readonly Plan[] = [{ home, work: 'steps', processes: 1, atOnce: 1 }, runs(1, 1), runs(1, several)];
  if (home === 'restate') return alone; // a deployment is one address, and so one worker here
  return [...alone, runs(2, several), runs(4, several), ...(home === 'memory' ? [] : [commits(1), commits(4)])];
}

async function startServers(): Promise<Servers> {
  const skipped: { readonly home: HomeName; readonly reason: string }[] = [];
  const started = async <T>(home: HomeName, start: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await start();
    } catch (cause) {
      skipped.push({ home, reason: cause instanceof Error ? cause.message : String(cause) });
      return undefined;
    }
  };
  const postgres = await started('postgres', postgresServer);
  const restate = await started('restate', restateServer);
  return {
    ...(postgres ? { postgres } : {}),
    ...(restate ? { restate } : {}),
    skipped,
    async [Symbol.asyncDispose]() {
      await postgres?.[Symbol.asyncDispose]();
      await restate?.[Symbol.asyncDispose]();
    },
  };
}

/** On an empty database. */
async function measure(
  { home, work, processes, atOnce }: Plan,
  servers: Servers,
  seconds: number,
): Promise<Pick<ScaleMeasured, 'done' | 'steps' | 'serverCpuMs' | 'workerCpuMs'>> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-scale-'));
  await using worker = home === 'restate' && servers.restate ? await startRestateWorker(servers.restate) : undefined;
  const address = await addressOf(home, folder, servers);
  const children = Array.from({ length: processes }, () =>
    startProcess(new URL('scale-process.ts', import.meta.url), JSON.stringify({ home, address, atOnce, work, seconds })),
  );
  await Promise.all(children.map((child) => child.line()));
  const before = cpuOfServers(home, worker);
  const lines = await Promise.all(
    children.map((child) => {
      child.process.stdin.write('go\n');
      return child.line();
    }),
  );
  const after = cpuOfServers(home, worker);
  await Promise.all(children.map((child) => child.ended));
  const told = {
    ...(after.server === undefined ? {} : { serverCpuMs: after.server - (before.server ?? 0) }),
    ...(after.worker === undefined ? {} : { workerCpuMs: after.worker - (before.worker ?? 0) }),
  };
  const samples = lines.map((line) => JSON.parse(line) as DoneSample & StepsSample);
  if (work === 'runs') await assertKept(home, address, samples);
  rmSync(folder, { recursive: true });
  return work === 'steps' ? { ...told, steps: samples[0] } : { ...told, done: samples };
}

function cpuOfServers(
  home: HomeName,
  worker: RestateWorker | undefined,
): { readonly server: number | undefined; readonly worker: number | undefined } {
  const name = serverNames[home];
  return { server: name === undefined ? undefined : cpuOfStarted(name), worker: cpuOf(worker?.id) };
}

async function addressOf(home: HomeName, folder: string, { postgres, restate }: Servers): Promise<string> {
  if (home === 'sqlite') return join(folder, 'runs.db');
  if (home === 'postgres') return (await postgres?.newDatabase()) ?? '';
  return home === 'restate' ? (restate?.ingress ?? '') : '';
}

/** What was counted is there when it is looked for, and is done. */
async function assertKept(home: HomeName, address: string, samples: readonly DoneSample[]): Promise<void> {
  if (home !== 'sqlite' && home !== 'postgres') return;
  const store =
    home === 'sqlite' ? sqliteStore({ path: address }) : postgresStore({ connectionString: address, poolSize: 1, pg: importPg });
  const { runs } = await store.tally();
  await store.close();
  const counted = samples.reduce((sum, { done }) => sum + done, 0);
  const kept = runs.reduce((sum, { state, count }) => sum + (state === 'done' ? count : 0), 0);
  const others = runs.filter(({ state }) => state !== 'done');
  if (kept < counted || others.length > 0) throw new Error(`${home} counted ${counted} runs instead of ${JSON.stringify(runs)}.`);
}

interface Started {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** What it prints next. */
  line(): Promise<string>;
  readonly ended: Promise<unknown>;
}

function startProcess(script: URL, ...given: readonly string[]): Started {
  const env = { ...process.env, RESTATE_LOGGING: 'ERROR' };
  const child = spawn(process.execPath, ['--conditions=@agent-machines/source', ...nodeFlags, fileURLToPath(script), ...given], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error(`${script.pathname} ended too early.`);
    return next.value;
  };
  return { process: child, line, ended: once(child, 'close') };
}

interface RestateWorker extends AsyncDisposable {
  readonly id: number | undefined;
}

async function startRestateWorker(server: RestateServer): Promise<RestateWorker> {
  const port = await freePort();
  const worker = startProcess(new URL('restate-process.ts', import.meta.url), String(port));
  await worker.line();
  await server.register(`http://127.0.0.1:${port}`);
  return {
    id: worker.process.pid,
    async [Symbol.asyncDispose]() {
      worker.process.kill('SIGKILL');
      await worker.ended;
    },
  };
}
