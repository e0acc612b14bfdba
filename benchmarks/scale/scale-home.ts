import { DatabaseSync } from 'node:sqlite';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { restateRuns } from 'agent-machines/stores';
import { postgresStore } from 'agent-machines/stores/postgres';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { newPool } from '../../test/system/postgres-server.ts';
import { counting } from './counting-workflow.ts';

export const homeNames = ['memory', 'sqlite', 'postgres', 'restate'] as const;
export type HomeName = (typeof homeNames)[number];

/** Where runs are kept, and what one of them and one bare commit are there. */
export interface ScaleHome {
  /** One run from its start to its end; throws when it comes to another one. */
  run(nodes: number): Promise<void>;
  /** So many rows of the size of a journal's, one after the other, each committed by itself. Absent where nothing is durable. */
  readonly commit?: (count: number) => Promise<void>;
  close(): Promise<void>;
}

export interface HomePlace {
  readonly home: HomeName;
  /** A file, a database, an ingress; `''` for memory. */
  readonly address: string;
  /** How many runs are under way at once. */
  readonly atOnce: number;
}

/** About what one node leaves in a journal. */
const entryText = JSON.stringify({
  key: 'work#3',
  kind: 'node',
  outcome: { patch: { count: 3 } },
  events: [],
  checksum: 'x'.repeat(16),
}).padEnd(180);

export async function openHome({ home, address, atOnce }: HomePlace): Promise<ScaleHome> {
  if (home === 'memory') return onStore(memoryStore());
  if (home === 'sqlite') return onSqlite(address);
  return home === 'postgres' ? onPostgres(address, atOnce) : onRestate(address);
}

function onStore(store: RunStore, beside: Pick<ScaleHome, 'commit'> = {}, closed: () => Promise<void> = async () => {}): ScaleHome {
  const runtime = createRuntime({ store });
  return {
    ...beside,
    async run(nodes) {
      assertDone(await runtime.start(counting, nodes).result, nodes);
    },
    async close() {
      await runtime.close();
      await store.close();
      await closed();
    },
  };
}

/** A bare commit goes into a file of its own with the same settings: a second connection to the runs' file would wait for it. */
function onSqlite(path: string): ScaleHome {
  const database = new DatabaseSync(`${path}.raw`, { timeout: 60_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS raw (id INTEGER PRIMARY KEY, entry TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO raw (entry) VALUES (?)');
  const commit = async (count: number): Promise<void> => {
    for (let row = 0; row < count; row++) insert.run(entryText);
  };
  return onStore(sqliteStore({ path }), { commit }, async () => database.close());
}

async function onPostgres(connectionString: string, atOnce: number): Promise<ScaleHome> {
  const pool = await newPool({ connectionString, max: atOnce + 1 }); // one listens
  const store = postgresStore({ pool });
  const made = await pool.connect();
  await made
    .query({ text: 'CREATE TABLE IF NOT EXISTS raw (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, entry text NOT NULL)' })
    .catch(() => {}); // two that make it at once
  made.release();
  const commit = async (count: number): Promise<void> => {
    const client = await pool.connect();
    for (let row = 0; row < count; row++)
      await client.query({ name: 'raw', text: 'INSERT INTO raw (entry) VALUES ($1)', values: [entryText] });
    client.release();
  };
  return onStore(store, { commit }, () => pool.end());
}

function onRestate(ingress: string): ScaleHome {
  const runs = restateRuns({ ingress });
  return {
    async run(nodes) {
      const run = await runs.start(counting.id, nodes);
      assertDone(await run.result(), nodes);
    },
    async commit(count) {
      const body = JSON.stringify({ count, text: entryText });
      const response = await fetch(`${ingress}/Raw/commit`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      if (!response.ok) throw new Error(`Restate answers ${response.status}: ${await response.text()}`);
    },
    close: async () => {},
  };
}

function assertDone(result: { readonly status: string; readonly output?: unknown }, nodes: number): void {
  if (result.status !== 'done' || result.output !== nodes) throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
}
