// RUN_FENCED says whether somebody else has the run, has changed it, or the store has lost what it had confirmed.
import { type JournalEntry, memoryStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';

const entry = (seq: number): JournalEntry => ({
  seq,
  key: seq === 1 ? 'run' : `a#${seq}`,
  kind: seq === 1 ? 'start' : 'node',
  outcome: seq === 1 ? { input: null } : { output: {} },
  events: [],
  epoch: 1,
  at: 0,
});
const request = { owner: 'o_1', leaseMs: 1_000, now: 0, monotonic: 0 };

function driven() {
  const store = memoryStore();
  const run = { id: 'r_1', workflow: 'w', version: '1', structure: 's', ifBusy: 'reject' } as const;
  void store.create(run, [entry(1)], request);
  return store;
}
const messageOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return '';
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
};

describe('RUN_FENCED', () => {
  it('names the commits that the store has lost', async () => {
    const store = driven();
    const lease = { runId: 'r_1', epoch: 1 };
    expect(await messageOf(() => store.append(lease, entry(4), 0))).toBe(
      'RUN_FENCED: The store has lost commits of the run r_1: it has 1 entries, but the next entry is 4.',
    );
    expect(await messageOf(() => store.append({ ...lease, epoch: 3 }, entry(2), 0))).toBe(
      'RUN_FENCED: The store has lost commits of the run r_1: its lease is 1, but lease 3 writes to it.',
    );
  });

  it('names a run that is no longer in the store', async () => {
    const store = driven();
    const lease = { runId: 'r_1', epoch: 1 };
    await store.settle(lease, { status: 'cancelled', activeMs: 0 });
    await store.remove({ runId: 'r_1' });
    for (const write of [() => store.append(lease, entry(2), 0), () => store.settle(lease, { status: 'paused', activeMs: 0 })]) {
      expect(await messageOf(write)).toBe('RUN_FENCED: The run r_1 of lease 1 is no longer in the store.');
    }
  });

  it('names the takeover, or the change by another caller', async () => {
    const store = driven();
    await store.acquire('r_1', { ...request, owner: 'o_2', force: true });
    expect(await messageOf(() => store.append({ runId: 'r_1', epoch: 1 }, entry(2), 0))).toBe(
      'RUN_FENCED: Another process has taken over the run r_1 since lease 1.',
    );
    expect(await messageOf(() => store.acquire('r_1', { ...request, force: true, seq: 3 }))).toBe(
      'RUN_FENCED: The run r_1 has 1 entries, but its caller knows 3.',
    );
  });
});
