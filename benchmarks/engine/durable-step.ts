import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  createRuntime,
  defineState,
  defineWorkflow,
  type JournalEntry,
  type Lease,
  type NewRun,
  type RunStore,
  type Workflow,
} from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { setup } from 'xstate';
import { mean, median, ratios, shuffled } from './statistics.ts';

/** What one process says of the durable step, in microseconds. */
export interface DurableStepSample {
  /** A run of 50 nodes, divided by 50: its `start` and its `settle` are in it. */
  readonly usPerNode: number;
  /** One `append` of the store, by itself. */
  readonly usPerAppend: number;
  /** One `INSERT` of a row of the same size, committed by itself. */
  readonly usPerRawCommit: number;
  /** All the time of the one by all the time of the other: the log's checkpoints are in both. */
  readonly nodeToRaw: number;
  readonly appendToRaw: number;
  /** The same of the stretch in the middle, in which there is no checkpoint. */
  readonly nodeToRawOfMedianStretch: number;
  readonly appendToRawOfMedianStretch: number;
  readonly rowBytes: number;
  readonly stretches: number;
}

export const nodesPerRun = 50;

/**
 * Stretches that are not counted. SQLite's log grows until its first checkpoint after 1,000 pages, and is overwritten from then on, which
 * costs half as much: both databases must be past that point.
 */
const warmUps = 30;

interface CounterState {
  readonly count: number;
}

const state = defineState<CounterState, null, number>();

const counterMachine = setup({
  types: state.types,
  actors: { work: state.slot('work') },
  guards: state.guards({ hasMore: ({ count }) => count < nodesPerRun }),
  actions: { merge: state.merge },
}).createMachine({
  id: 'counter',
  version: '1',
  initial: 'work',
  context: { count: 0 },
  output: ({ context }) => context.count,
  states: {
    work: {
      invoke: {
        src: 'work',
        input: ({ context }) => context,
        onDone: [
          { guard: 'hasMore', target: 'work', reenter: true, actions: 'merge' },
          { target: 'done', actions: 'merge' },
        ],
        onError: { target: 'failed', actions: 'merge' },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final', tags: 'failure' },
  },
});

/** Counts in as many nodes as a run has, and does nothing else. */
export const counter: Workflow<null, CounterState, number> = defineWorkflow({
  machine: counterMachine,
  nodes: { work: async ({ count }) => ({ count: count + 1 }) },
});

export async function measureDurableStep(quick: boolean): Promise<DurableStepSample> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-machines-bench-'));
  const path = join(folder, 'runs.db');
  const store = sqliteStore({ path, durability: 'full' });
  const runtime = createRuntime({ store });
  const run = async (): Promise<string> => {
    const { id, result } = runtime.start(counter, null);
    const end = await result;
    if (end.status !== 'done' || end.output !== nodesPerRun) throw new Error(`The run ended unexpectedly: ${JSON.stringify(end)}`);
    return id;
  };

  const journal = await runtime.history(await run());
  if (journal.length !== nodesPerRun + 2) throw new Error(`The journal has ${journal.length} entries instead of ${nodesPerRun + 2}.`);
  const appended = journal.filter(({ kind }) => kind === 'node');

  const database = new DatabaseSync(join(folder, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  database.exec('CREATE TABLE journal (id INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO journal (entry) VALUES (?)');
  const rowBytes = rowSize(path);
  const row = 'x'.repeat(rowBytes);

  const work = {
    node: async () => void (await run()),
    append: async () => {
      for (const entry of appended) await store.append(lease, entry, 0);
    },
    raw: async () => {
      for (let i = 0; i < nodesPerRun; i++) insert.run(row);
    },
  };
  const times: Record<keyof typeof work, number[]> = { node: [], append: [], raw: [] };
  const names = Object.keys(work) as (keyof typeof work)[];
  let lease = await createRun(store);
  const stretch = async (counted: boolean): Promise<void> => {
    lease = await createRun(store);
    for (const name of shuffled(names)) {
      const before = performance.now();
      await work[name]();
      if (counted) times[name].push(((performance.now() - before) * 1000) / nodesPerRun);
    }
  };
  for (let i = 0; i < warmUps; i++) await stretch(false);
  const least = quick ? { ms: 500, stretches: 10 } : { ms: 4_000, stretches: 30 };
  const start = performance.now();
  while (performance.now() - start < least.ms || times.raw.length < least.stretches) await stretch(true);
  database.close();
  await runtime.close();
  await store.close();
  rmSync(folder, { recursive: true });
  const [node, append, raw] = [mean(times.node), mean(times.append), mean(times.raw)];
  return {
    usPerNode: node,
    usPerAppend: append,
    usPerRawCommit: raw,
    nodeToRaw: node / raw,
    appendToRaw: append / raw,
    nodeToRawOfMedianStretch: median(ratios(times.node, times.raw)),
    appendToRawOfMedianStretch: median(ratios(times.append, times.raw)),
    rowBytes,
    stretches: times.raw.length,
  };
}

let created = 0;

/** A run that nobody drives, to append to. */
async function createRun(store: RunStore): Promise<Lease> {
  const now = Date.now();
  const run: NewRun = {
    id: `appended_${++created}`,
    workflow: 'counter',
    version: '1',
    structure: counter.structureHash,
    ifBusy: 'reject',
  };
  const start: JournalEntry = { seq: 1, key: 'run', kind: 'start', outcome: { input: null }, events: [], epoch: 1, at: now };
  const { lease } = await store.create(run, [start], { owner: 'benchmark', leaseMs: 600_000, now, monotonic: performance.now() });
  return lease;
}

/** Bytes of a node's journal row without its id, which the raw row has too: SQLite packs the time into 6 and the epoch into 1. */
function rowSize(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const sizes = database
    .prepare(
      `SELECT octet_length(key) + octet_length(kind) + octet_length(outcome) + octet_length(events) + octet_length(checksum) + 7 AS bytes
       FROM journal WHERE kind = 'node'`,
    )
    .all();
  database.close();
  return Math.round(median(sizes.map(({ bytes }) => Number(bytes))));
}
