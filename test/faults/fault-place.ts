import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunStore } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { checkHistory, endsOf, readNotes } from '../fixtures/history.ts';
import { type Checkouts, watchedPool } from './watched-pool.ts';

/** Of a place that has a pool of connections. */
export interface OpenOptions {
  /** @default 3 */
  readonly poolSize?: number;
  /** Is told who takes a connection. @default nobody */
  readonly checkouts?: Checkouts;
}

/** Where the runs of one fault are: a database of its own, and the notes of all its processes. */
export interface FaultPlace {
  readonly db: 'sqlite' | 'postgres';
  readonly address: string;
  readonly notes: string;
  /** What its processes are started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Its caller closes it. */
  open(options?: OpenOptions): RunStore;
  /** What the database itself finds wrong with its files: a line each. */
  unsound(): Promise<readonly string[]>;
  /** How much it takes when everything is in its place. */
  bytes(): Promise<number>;
  /** How many sessions its server has. Absent: there is no server. */
  connections?(): Promise<number>;
}

/** What makes places, and takes what is left of them away. */
export interface FaultPlaces extends AsyncDisposable {
  readonly db: FaultPlace['db'];
  create(): Promise<FaultPlace>;
  /** Kills the database server, and starts it again. Absent: there is none. */
  restart?(): Promise<void>;
}

function places(db: FaultPlace['db'], make: (folder: string, number: number) => Promise<Omit<FaultPlace, 'db' | 'notes'>>): FaultPlaces {
  const folder = mkdtempSync(join(tmpdir(), `faults-${db}-`));
  let made = 0;
  return {
    db,
    async create() {
      const number = made++;
      return { db, notes: join(folder, `${number}.notes`), ...(await make(folder, number)) };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param key encrypts the stores. Default: none. */
export const sqlitePlaces = (key?: string): FaultPlaces =>
  places('sqlite', async (folder, number) => {
    const address = join(folder, `${number}.db`);
    const unsound = async (): Promise<readonly string[]> => {
      const db = new DatabaseSync(address);
      const rows = db.prepare('PRAGMA integrity_check').all();
      db.close();
      return rows.flatMap(({ integrity_check: said }) => (said === 'ok' ? [] : [String(said)]));
    };
    const bytes = async (): Promise<number> => {
      const db = new DatabaseSync(address);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
      return statSync(address).size;
    };
    const encrypt = key === undefined ? {} : { encrypt: { key } };
    const env: Readonly<Record<string, string>> = key === undefined ? {} : { STORE_KEY: key };
    return { address, env, open: () => sqliteStore({ path: address, ...encrypt }), unsound, bytes };
  });

/** The server is only loaded where it is asked for: it is a package of its own. */
export async function postgresPlaces(): Promise<FaultPlaces> {
  const { importPg, pgAddress, postgresServer } = await import('../system/postgres-server.ts');
  const server = await postgresServer();
  const made = places('postgres', async () => {
    const address = await server.newDatabase();
    return {
      address,
      env: { PG_PACKAGE: pgAddress },
      open: ({ poolSize = 3, checkouts } = {}) =>
        postgresStore({ connectionString: address, poolSize, pg: checkouts ? watchedPool(importPg, checkouts) : importPg }),
      unsound: async () => [], // the server has not died: a read of the journal is what there is to check
      bytes: async () => {
        await server.ask(address, 'VACUUM FULL');
        const [row] = await server.ask(
          address,
          "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'agent_machines'::regnamespace",
        );
        return Number(row?.bytes);
      },
      connections: async () => {
        const rows = await server.ask(address, 'SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()');
        return Number(rows[0]?.count) - 1;
      },
    };
  });
  return {
    ...made,
    restart: async () => {
      await server.stop('immediate');
      await server.start();
    },
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What is wrong in all that has happened at a place. */
export async function violationsAt(place: FaultPlace): Promise<readonly string[]> {
  const notes = readNotes(place.notes);
  const store = place.open();
  try {
    return checkHistory(notes, await endsOf(store, notes));
  } finally {
    await store.close();
  }
}
