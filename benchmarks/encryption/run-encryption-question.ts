import { loadavg } from 'node:os';
import { runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { ratios, type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { EncryptionSample, EncryptionTask } from './measure-encryption.ts';

/** Maximum time of a run with a key, divided by that without one. */
const maxRatio = 1.5;
const script = new URL('measure-encryption.ts', import.meta.url);
const kinds = ['run', 'turn'] as const;

interface EncryptionRow {
  readonly kind: EncryptionTask['kind'];
  readonly clearMs: Summary;
  readonly encryptedMs: Summary;
  /** Encrypted ÷ clear, of two processes of one round. */
  readonly ratio: Summary;
  readonly readRatio: Summary;
}

/** What does encryption cost a run on SQLite? Gate: 1.5 times the time without it, for a run alone and for a turn of a conversation. */
export async function runEncryptionQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const rounds = quick ? 3 : 9;
  const runs = quick ? 40 : 200;
  const loads: number[] = [];
  const samples = kinds.map((kind) => ({ kind, clear: [] as EncryptionSample[], encrypted: [] as EncryptionSample[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { kind, ...found } of shuffled(samples)) {
      for (const encrypted of shuffled([false, true])) {
        loads.push(loadavg()[0] ?? 0);
        const sample = (await runFreshProcess(script, { encrypted, kind, runs } satisfies EncryptionTask)) as EncryptionSample;
        found[encrypted ? 'encrypted' : 'clear'].push(sample);
      }
    }
  }
  const rows = samples.map(({ kind, clear, encrypted }): EncryptionRow => {
    const [clearMs, encryptedMs] = [clear, encrypted].map((found) => found.map(({ runMs }) => runMs)) as [number[], number[]];
    const [clearRead, encryptedRead] = [clear, encrypted].map((found) => found.map(({ readMs }) => readMs)) as [number[], number[]];
    return {
      kind,
      clearMs: summary(clearMs),
      encryptedMs: summary(encryptedMs),
      ratio: summary(ratios(encryptedMs, clearMs)),
      readRatio: summary(ratios(encryptedRead, clearRead)),
    };
  });
  printTable(
    'A run of 3 nodes with 1 kB each, SQLite file, milliseconds',
    ['', 'clear', 'encrypted', 'ratio', 'min', 'max', 'reading its journal'],
    rows.map(({ kind, clearMs, encryptedMs, ratio, readRatio }) => [
      kind === 'run' ? 'a run alone' : `a turn of ${runs}`,
      ...[clearMs.median, encryptedMs.median, ratio.median, ratio.min, ratio.max, readRatio.median].map((value) => value.toFixed(2)),
    ]),
  );
  const loadAverage = summary(loads);
  console.log(`\n${rounds} fresh processes for each figure, load average ${loadAverage.min} to ${loadAverage.max}.`);
  for (const { kind, ratio } of rows) {
    if (ratio.median <= maxRatio) continue;
    console.log(`✗ a ${kind} takes ${ratio.median.toFixed(2)} times as long with a key, more than ${maxRatio}`);
    process.exitCode = 1;
  }
  if (quick) return;
  const method = { processes: `${rounds} rounds; in each, every variant once with ${runs} runs after a quarter as many, in random order` };
  writeResults('encryption', startedAt, { machine: machineInfo({}), method, loadAverage, rows, samples });
}
