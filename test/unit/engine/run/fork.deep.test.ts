import { copyFileSync, readFileSync } from 'node:fs';
import { createRuntime } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';
import { payment } from '../../../fixtures/payment-workflow.ts';
import { sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('fork-');

describe('runtime.fork', () => {
  it('creates a whole run or none when its process is killed, and repeats no paid call', async () => {
    const original = newPath();
    const payments = newPath();
    const first = openStore(original);
    const run = createRuntime({ store: first }).start(payment(payments), {});
    expect(await run.result).toMatchObject({ status: 'done', output: 'paid,noted' });
    await first.close();
    const before = { none: 0, whole: 0 };
    for (let write = 0; ; write++) {
      const path = newPath();
      copyFileSync(original, path);
      const child = startChild('fork-process.ts', [path, run.id, payments, String(write)]);
      await child.ended;
      const store = openStore(path);
      const runtime = createRuntime({ store, workflows: [payment(payments)] });
      const forks = (await runtime.list()).filter(({ id }) => id !== run.id);
      if (forks[0]) {
        const { id } = forks[0];
        const keys = (await runtime.history(id)).map(({ kind, key }) => `${kind} ${key}`);
        expect(keys.slice(0, 6)).toEqual([
          'start run',
          'intent pay#1/rent',
          'step pay#1/rent',
          'intent pay#1/tax',
          'step pay#1/tax',
          'node pay#1',
        ]);
        expect(await (await runtime.resume(id)).result).toMatchObject({ status: 'done', output: 'paid,noted' });
        before.whole++;
      } else before.none++;
      expect(forks.length).toBeLessThanOrEqual(1);
      expect(readFileSync(payments, 'utf8')).toBe('rent\ntax\n');
      await store.close();
      if (child.lines.length === 0) continue; // it was killed
      expect(child.lines).toEqual([`done after ${write} writes`]);
      break;
    }
    // it was killed on both sides of the commit, and at least once for each entry before it
    expect(before.none).toBeGreaterThan(6);
    expect(before.whole).toBeGreaterThan(4);
  });
});
