import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { JournalEntry, RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import type { BenchOptions } from '../engine/run-engine-question.ts';

const maxRemovalMs = 100;
const maxWriteRatio = 1.05;

/** What does it cost to remove a run from a large SQLite file, and what do ordinary writes pay for it? Gates: 100 ms at 500 MB, 5 %. */
export async function runRemovalQuestion({ quick }: BenchOptions): Promise<void> {
  const removalMs = await measureRemoval(quick ? 500 : 5_000);
  const ratio = await measureWrites(quick ? 3 : 9);
  console.log(`writes with secure_delete cost ${ratio.toFixed(3)} of those without, in processor time`);
  if (removalMs > maxRemovalMs || ratio > maxWriteRatio) process.exitCode = 1;
}

async function measureRemoval(runs: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'removal-'));
  const path = join(folder, 'runs.db');
  const store = sqliteStore({ path, durability: 'normal' });
  try {
    for (let n = 0; n < runs; n++) await writeRun(store, `r_${n}`, ['x'.repeat(50_000), 'y'.repeat(50_000)]);
    const times: number[] = [];
    for (let n = 1; n <= 9; n++) {
      const before = performance.now();
      await store.remove({ runId: `r_${n * 50}` });
      times.push(performance.now() - before);
    }
    console.log(`removal of a run from ${Math.round(statSync(path).size / 1e6)} MB: ${median(times).toFixed(1)} ms`);
    return median(times);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function measureWrites(rounds: number): Promise<number> {
  await writeAll(true);
  const [on, off]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    on.push(await writeAll(true));
    off.push(await writeAll(false));
  }
  return median(on) / median(off);
}

/** Processor time of 300 runs of 20 entries, in microseconds. */
async function writeAll(clears: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'removal-'));
  const database = new DatabaseSync(join(folder, 'runs.db'));
  const store = sqliteStore({ database, durability: 'normal' });
  try {
    if (!clears) database.exec('PRAGMA secure_delete = OFF');
    const texts = Array.from({ length: 20 }, (_, n) => 'x'.repeat(500 + ((n * 317) % 3_000)));
    const before = process.cpuUsage();
    for (let n = 0; n < 300; n++) await writeRun(store, `r_${n}`, texts);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  } finally {
    await store.close();
    database.close();
    rmSync(folder, { recursive: true });
  }
}

async function writeRun(store: RunStore, id: string, texts: readonly string[]): Promise<void> {
  const entryOf = (text: string, index: number): JournalEntry => ({
    seq: index + 1,
    key: index === 0 ? 'run' : `node#${index}`,
    kind: index === 0 ? 'start' : 'node',
    outcome: { output: text },
    events: [],
    epoch: 1,
    at: 0,
  });
  const [start, ...entries] = texts.map(entryOf);
  if (!start) return;
  const run = { id, workflow: 'removal', version: '1', structure: 'structure', ifBusy: 'reject' } as const;
  const { lease } = await store.create(run, [start], { owner: 'o', leaseMs: 30_000, now: 0, monotonic: 0 });
  for (const entry of entries) await store.append(lease, entry, 0);
  await store.settle(lease, { status: 'done', activeMs: 0 });
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
