import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';
import { plantedFaults } from './planted-faults.ts';
import { simulate } from './simulation.ts';

it('breaks no invariant under any failure', async () => {
  const seen = { kills: 0, freezes: 0, doubts: 0, answers: 0 };
  for (let seed = 1; seed <= share(200, 12); seed++) {
    const report = await simulate({ seed });
    expect(report.violations, `seed ${seed}`).toEqual([]);
    for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += report.seen[what];
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

it('breaks no invariant on SQLite, with one store per process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  for (let seed = 1; seed <= share(100, 2); seed++) {
    const { violations } = await simulate({ seed, path: join(folder, `${seed}.db`) });
    expect(violations, `seed ${seed}`).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});

it('repeats itself for the same seed', async () => {
  const [one, two, other] = [await simulate({ seed: 7 }), await simulate({ seed: 7 }), await simulate({ seed: 8 })];
  expect(two).toEqual(one);
  expect(other.digest).not.toBe(one.digest);
});

it.each(Object.entries(plantedFaults))('detects a database that %s', async (_name, plant) => {
  for (let seed = 1; seed <= 100; seed++) {
    const { violations } = await simulate({ seed, plant, calmMs: 60_000 });
    if (violations.length > 0) return;
  }
  expect.unreachable('It was not found.');
});
