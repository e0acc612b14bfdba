import { createRuntime, type Runtime } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { final, logWorkflow, waiting } from '../../test/fixtures/log-workflow.ts';
import { newPool, type PostgresServer } from '../../test/system/postgres-server.ts';

/** How many cancel one run, or replace the run of one thread, and how long that may take, in milliseconds. */
const gates = [
  { name: 'cancel of one run', callers: 256, mostMs: 1_000 },
  { name: 'cancel-and-replace in one thread', callers: 60, mostMs: 3_000 },
] as const;

/** What is measured is the cancel, so a run does nothing but wait. */
const asking = logWorkflow({ states: { ask: waiting({ GO: 'done' }), done: final } });

export interface CancelRow {
  readonly name: (typeof gates)[number]['name'];
  readonly callers: number;
  readonly ms: number;
  readonly mostMs: number;
}

/** Callers on four stores of four connections each, all at once. */
export async function measureCancels(server: PostgresServer): Promise<readonly CancelRow[]> {
  const rows: CancelRow[] = [];
  for (const { name, callers, mostMs } of gates) {
    const address = await server.newDatabase();
    const pools = await Promise.all(Array.from({ length: 4 }, () => newPool({ connectionString: address, max: 4 })));
    const stores = pools.map((pool) => postgresStore({ pool }));
    const runtimes = Array.from({ length: callers }, (_, index) => createRuntime({ store: stores[index % stores.length] }));
    for (const store of stores) await store.tally(); // the tables are made before the clock starts
    const [first] = runtimes;
    if (!first) throw new Error('The caller is missing.');
    const held = first.start(asking, {}, { threadId: 't' });
    await held.result;
    const begun = performance.now();
    await Promise.all(runtimes.map((runtime) => (name === 'cancel of one run' ? cancelled(runtime, held.id) : replaced(runtime))));
    rows.push({ name, callers, ms: performance.now() - begun, mostMs });
    for (const runtime of runtimes) await runtime.close();
    for (const store of stores) await store.close();
    for (const pool of pools) await pool.end();
  }
  return rows;
}

/** All but one hear that the run has ended. */
const cancelled = (runtime: Runtime, runId: string): Promise<unknown> => runtime.cancel(runId).catch(() => {});

/** Settles once the run waits in its thread, or was cancelled before. */
async function replaced(runtime: Runtime): Promise<void> {
  await runtime.start(asking, {}, { threadId: 't', ifBusy: 'cancel-and-replace' }).result;
}
