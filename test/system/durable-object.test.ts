import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from 'agent-machines';
import { runStoreContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLedger } from './stores/ledger.ts';
import { bundleWorker, serveWorker } from './workerd/serve-worker.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'durable-object-'));
  await bundleWorker({ entry: 'test/system/stores/durable-object-worker.ts', className: 'Home', binding: 'OBJECTS', folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('durableObjectStore on workerd', () => {
  it('passes the contract of stores', async () => {
    await using worker = await serveWorker({ folder });
    const cases = runStoreContract(async () => memoryStore()).length;
    expect(await (await fetch(`${worker.url}/contract`)).json()).toEqual({ cases, failed: [] });
  });

  it('resumes a run after a kill at any point, and repeats no step', async () => {
    let kills = 0;
    for (;;) {
      await using ledger = await openLedger();
      const path = `run/${encodeURIComponent(ledger.url)}`;
      await using first = await serveWorker({ folder });
      ledger.killAt(kills + 1, () => void first.kill());
      const isKilled = await fetch(`${first.url}/${path}`).then(
        () => false,
        () => true,
      );
      await first.kill();
      if (!isKilled) break;
      kills++;
      await using second = await serveWorker({ folder });
      const result = await (await fetch(`${second.url}/${path}`)).json();
      expect(result, ledger.told.join()).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(ledger.paid, ledger.told.join()).toEqual(['rent', 'tax', 'post']);
    }
    expect(kills).toBeGreaterThan(10);
  });

  it('wakes its object for a killed run without a request', async () => {
    await using ledger = await openLedger();
    await using first = await serveWorker({ folder });
    ledger.killAt(4, () => void first.kill());
    await expect(fetch(`${first.url}/run/${encodeURIComponent(ledger.url)}`)).rejects.toThrow();
    await first.kill();
    const paid = ledger.whenPaid('post');
    await using _second = await serveWorker({ folder });
    await paid;
    expect(ledger.paid).toEqual(['rent', 'tax', 'post']);
  });
});
