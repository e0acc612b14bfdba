import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, type RunStore } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { newPool, postgresServer } from '../../test/system/postgres-server.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { median } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { counting, shortRun } from '../scale/counting-workflow.ts';

/** Maximum time of a window of 30 turns, in milliseconds. */
const maxWindowMs = { SQLite: 5, PostgreSQL: 10 } as const;
type Kind = keyof typeof maxWindowMs;
const window = 30;

/** How long does it take to open a long conversation? Gates: 30 of its turns in 5 ms on SQLite and in 10 ms on PostgreSQL. */
export async function runThreadsQuestion({ quick }: BenchOptions): Promise<void> {
  const lengths = quick ? [50, 500] : [50, 5_000];
  await using server = await postgresServer();
  const connectionString = await server.newDatabase();
  const pool = await newPool({ connectionString, max: 2 });
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  const stores: readonly (readonly [Kind, RunStore])[] = [
    ['SQLite', sqliteStore({ path: join(folder, 'runs.db'), durability: 'normal' })],
    ['PostgreSQL', postgresStore({ pool })],
  ];
  // a running server does this by itself within a minute; without it the planner takes 5,000 runs of a thread for a dozen, and sorts them
  const analyze = async (): Promise<void> => void (await server.ask(connectionString, 'ANALYZE'));
  const rows: (readonly string[])[] = [];
  try {
    for (const [kind, store] of stores) {
      for (const turns of lengths) rows.push(await measure(kind, store, turns, analyze));
      await store.close();
    }
  } finally {
    await pool.end();
    rmSync(folder, { recursive: true });
  }
  printTable(
    `${window} turns of a conversation with their journals, ms`,
    ['store', 'turns', 'newest', 'in the middle', 'the whole conversation'],
    rows,
  );
}

async function measure(kind: Kind, store: RunStore, turns: number, analyze: () => Promise<void>): Promise<readonly string[]> {
  const runtime = createRuntime({ store });
  const threadId = `t_${turns}`;
  for (let n = 0; n < turns; n++) await runtime.start(counting, shortRun, { threadId, runId: `${threadId}_${n}` }).result;
  if (kind === 'PostgreSQL') await analyze();
  const middle = `${threadId}_${Math.floor(turns / 2)}`;
  const newest = await timed(() => runtime.turns(threadId, { limit: window }));
  const inside = await timed(() => runtime.turns(threadId, { limit: window, beyond: middle }));
  const whole = await timed(() => runtime.thread(threadId), 1);
  if (Math.max(newest, inside) > maxWindowMs[kind]) {
    console.log(`✗ ${kind}: a window of ${turns} turns takes ${Math.max(newest, inside).toFixed(1)} ms, more than ${maxWindowMs[kind]}`);
    process.exitCode = 1;
  }
  await runtime.close();
  return [kind, turns.toLocaleString('en'), newest.toFixed(1), inside.toFixed(1), whole.toFixed(0)];
}

/** The middle one of several times, in milliseconds. */
async function timed(work: () => Promise<unknown>, times = 21): Promise<number> {
  const found: number[] = [];
  for (let n = 0; n < times; n++) {
    const before = performance.now();
    await work();
    found.push(performance.now() - before);
  }
  return median(found);
}
