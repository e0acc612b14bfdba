import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { toGraph } from 'agent-machines/inspect';
import { exploreMachine } from 'agent-machines/testing';
import { build } from 'esbuild';
import { installLockedFolder } from '../../scripts/install-locked-folder.ts';
import { type PostgresServer, postgresServer } from '../../test/system/postgres-server.ts';
import { runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo, versionIn } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { ratios, type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import { blogOf } from './agent-machines.ts';
import type { PeerTask } from './measure-peer.ts';
import { fileOf, type PeerName, packageOf, peerNames } from './peer.ts';

const script = new URL('measure-peer.ts', import.meta.url);
const kills = 14;

interface PeerRow {
  readonly peer: PeerName;
  /** One run, from its start to its end, with its question answered at once. */
  readonly ms: Summary;
  /** Of one round: it to agent-machines. */
  readonly toOurs: Summary;
  /** What one run leaves in the database. */
  readonly stored: { readonly rows: number; readonly bytes: number };
  /** Texts published twice, of 14 runs whose process was killed right after the text had been published. */
  readonly duplicates: number;
  /** The program with its package, minified and gzipped, without zod and the driver of the database. */
  readonly bundleBytes: number;
  /** Tests that a user writes so that each edge of the program is taken. */
  readonly ownTests: number;
}

/** What one program with a human approval costs in four packages, what it stores, and what it does twice after a crash. */
export async function runApprovalQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  installLockedFolder(new URL('../peers/', import.meta.url));
  await using server = await postgresServer();
  const rounds = quick ? 1 : 7;
  const samples: { readonly peer: PeerName; readonly round: number; readonly ms: number; readonly loadAverage: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const peer of shuffled([...peerNames])) {
      const task: PeerTask = { peer, connectionString: await server.newDatabase(), what: 'cost', warmUps: 20, runs: quick ? 20 : 100 };
      const loadAverage = loadavg()[0] ?? 0;
      const { ms } = (await runFreshProcess(script, task)) as { readonly ms: number };
      samples.push({ peer, round, ms, loadAverage });
    }
  }
  const msOf = (peer: PeerName): readonly number[] => samples.filter((sample) => sample.peer === peer).map(({ ms }) => ms);
  const rows: PeerRow[] = [];
  for (const peer of peerNames) {
    rows.push({
      peer,
      ms: summary(msOf(peer)),
      toOurs: summary(ratios(msOf(peer), msOf('agent-machines'))),
      stored: await storedBy(server, peer),
      duplicates: await duplicatesOf(server, peer),
      bundleBytes: await bundleBytes(peer),
      ownTests: peer === 'agent-machines' ? explorations() : endings(),
    });
  }
  printTable(
    'A run with an approval, on PostgreSQL',
    ['', 'ms', '÷ ours', 'rows', 'bytes', `twice after ${kills} kills`, 'kB gzipped', 'own tests'],
    rows.map(({ peer, ms, toOurs, stored, duplicates, bundleBytes: bytes, ownTests }) => [
      peer,
      ms.median.toFixed(2),
      toOurs.median.toFixed(2),
      `${stored.rows}`,
      `${stored.bytes}`,
      `${duplicates}`,
      (bytes / 1000).toFixed(1),
      `${ownTests}`,
    ]),
  );
  if (quick) return;
  const versions = Object.values(packageOf).map((name) => [name, versionIn(`benchmarks/peers/node_modules/${name}/package.json`)]);
  const method = {
    ms: `${rounds} rounds; in each, every package in a fresh process and an empty database, in random order; the median of 100 runs after 20`,
    stored: 'rows of all tables and pg_column_size of them, of one run after another one',
    duplicates: `${kills} runs; the process kills itself after publishing, and a second one continues`,
    ownTests: 'ours: one that explores the machine; others: a run ends once, so one for each edge into an end',
  };
  const head = { machine: machineInfo(Object.fromEntries(versions)), method };
  writeResults('approval', startedAt, { ...head, edges: edges().length, kills, peers: rows, samples });
}

/** Rows that one run adds to all tables, and their size: what two runs leave in a database, less what one leaves in another. */
async function storedBy(server: PostgresServer, peer: PeerName): Promise<PeerRow['stored']> {
  const [one, two] = [await storedByRuns(server, peer, 1), await storedByRuns(server, peer, 2)];
  return { rows: two.rows - one.rows, bytes: two.bytes - one.bytes };
}

async function storedByRuns(server: PostgresServer, peer: PeerName, runs: number): Promise<PeerRow['stored']> {
  const connectionString = await server.newDatabase();
  await runFreshProcess(script, { peer, connectionString, what: 'cost', warmUps: 0, runs } satisfies PeerTask);
  const tables = await server.ask(
    connectionString,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  if (tables.length === 0) return { rows: 0, bytes: 0 };
  const each = tables.map(({ name }) => `SELECT count(*) AS rows, coalesce(sum(pg_column_size(t.*)), 0) AS bytes FROM ${name} t`);
  const [sum] = await server.ask(connectionString, `SELECT sum(rows) AS rows, sum(bytes) AS bytes FROM (${each.join(' UNION ALL ')}) s`);
  return { rows: Number(sum?.rows), bytes: Number(sum?.bytes) };
}

/** Texts that were published again, after the process had been killed right after it had published them. */
async function duplicatesOf(server: PostgresServer, peer: PeerName): Promise<number> {
  const connectionString = await server.newDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'peers-'));
  const ledger = join(folder, 'published');
  writeFileSync(ledger, '');
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const task = { peer, connectionString, id: `run-${100 + kill}`, ledger } as const;
      const args = ['--conditions=@agent-machines/source', fileURLToPath(script)];
      const died = spawnSync(process.execPath, [...args, JSON.stringify({ ...task, what: 'die' } satisfies PeerTask)], {
        encoding: 'utf8',
      });
      if (died.signal !== 'SIGKILL') throw new Error(`${peer} was not killed: ${died.stderr}`);
      await runFreshProcess(script, { ...task, what: 'recover' } satisfies PeerTask);
    }
    const published = readFileSync(ledger, 'utf8').trim().split('\n');
    if (new Set(published).size !== kills) throw new Error(`${peer} has published ${new Set(published).size} of ${kills} texts.`);
    return published.length - kills;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Without what all of them use: Node, zod and the driver of the database. */
async function bundleBytes(peer: PeerName): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(fileOf[peer], import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['pg', 'pg-*', 'zod', 'ai/test'],
    conditions: ['@agent-machines/source'],
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

const blog = blogOf(() => null);
const edges = (): readonly { readonly target?: string }[] => toGraph(blog.machine).states.flatMap((state) => state.edges);

/** A run ends once, so a scripted test takes one edge into an end at most. */
function endings(): number {
  const { states } = toGraph(blog.machine);
  const ends = new Set(states.filter(({ kind }) => kind === 'final').map(({ path }) => path));
  return edges().filter(({ target }) => target !== undefined && ends.has(target)).length;
}

/** One exploration of the machine takes each of its edges. */
function explorations(): number {
  const { edgesNeverTaken } = exploreMachine(blog, { inputs: [{ topic: 'Otters' }] });
  if (edgesNeverTaken.length > 0) throw new Error(`${edgesNeverTaken.length} edges were never taken.`);
  return 1;
}
