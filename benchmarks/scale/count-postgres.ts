import { createRuntime } from 'agent-machines';
import { type PostgresClient, postgresStore } from 'agent-machines/stores/postgres';
import { newPool, type PostgresServer } from '../../test/system/postgres-server.ts';
import { counting, longRun, shortRun } from './counting-workflow.ts';

/** What goes to the server and what it writes. */
interface PostgresCounts {
  /** Each is a round trip. Those that tell others of changes come with time, not with runs, and are not counted. */
  readonly statements: number;
  readonly walBytes: number;
  readonly storedBytes: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface PostgresCosts {
  readonly perShortRun: PostgresCounts;
  readonly perStep: PostgresCounts;
}

/** A client of `pg`, with what of it is counted. */
interface CountedClient extends PostgresClient {
  readonly connection: { readonly stream: { readonly bytesWritten: number; readonly bytesRead: number } };
}

const names = ['statements', 'walBytes', 'storedBytes', 'sentBytes', 'receivedBytes'] as const;

/** Counts what a run and a step of it are to the server. Nothing else may use the server meanwhile. */
export async function countPostgres(server: PostgresServer, runs: number): Promise<PostgresCosts> {
  const connectionString = await server.newDatabase();
  const pool = await newPool({ connectionString, max: 2 });
  const clients = new Set<CountedClient>();
  const counts = { statements: 0 };
  const connect = pool.connect.bind(pool);
  pool.connect = async () => {
    const client = await connect();
    const counted = client as typeof client & CountedClient;
    if (!clients.has(counted)) {
      clients.add(counted);
      const query = client.query.bind(client);
      client.query = (statement) => {
        if (!statement.text.includes('pg_notify')) counts.statements++;
        return query(statement);
      };
    }
    return client;
  };
  const store = postgresStore({ pool });
  const runtime = createRuntime({ store });
  const look = async (): Promise<PostgresCounts> => {
    const sql = "SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, pg_database_size(current_database()) AS stored";
    const [row] = await server.ask(connectionString, sql);
    const streams = [...clients].map(({ connection }) => connection.stream);
    return {
      ...counts,
      walBytes: Number(row?.wal),
      storedBytes: Number(row?.stored),
      sentBytes: streams.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
      receivedBytes: streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    };
  };
  const counted = async (nodes: number): Promise<PostgresCounts> => {
    const before = await look();
    for (let run = 0; run < runs; run++) await runtime.start(counting, nodes).result;
    const after = await look();
    return combined((name) => (after[name] - before[name]) / runs);
  };
  await counted(shortRun); // makes the tables, and prepares the statements
  const [short, long] = [await counted(shortRun), await counted(longRun)];
  await runtime.close();
  await store.close();
  await pool.end();
  return { perShortRun: short, perStep: combined((name) => (long[name] - short[name]) / (longRun - shortRun)) };
}

const combined = (valueIn: (name: (typeof names)[number]) => number): PostgresCounts =>
  Object.fromEntries(names.map((name) => [name, valueIn(name)])) as Record<(typeof names)[number], number>;
