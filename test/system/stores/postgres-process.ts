// A process with a store in a PostgreSQL database: `run ADDRESS LEDGER-URL`, or `open ADDRESS`. With `KILL_AT=N`, it is killed when it has
// sent its statement of that number, from 1, before anything is answered; in a run, its commit of that number. Says what has become, as JSON.
import { type PostgresPool, postgresStore } from 'agent-machines/stores/postgres';
import { payingRun } from './paying-run.ts';

interface PgModule {
  readonly Pool: new (options: object) => PostgresPool;
}

const [task = '', connectionString = '', url = ''] = process.argv.slice(2);
const killAt = Number(process.env.KILL_AT ?? 'Infinity');

let sent = 0;
function kills<TClient extends Awaited<ReturnType<PostgresPool['connect']>>>(client: TClient): TClient {
  const query = client.query.bind(client);
  return Object.assign(client, {
    query(...given: Parameters<typeof query>) {
      const answer = query(...given);
      const counts = task === 'open' || /^COMMIT|^WITH|RETURNING n$/.test(given[0].text);
      if (counts && ++sent === killAt) process.kill(process.pid, 'SIGKILL');
      return answer;
    },
  });
}

const { Pool } = (await import(process.env.PG_PACKAGE ?? 'pg')) as PgModule;
const pool = new Pool({ connectionString, max: 1, allowExitOnIdle: true });
const known = new WeakSet<object>();
const connect = pool.connect.bind(pool);
pool.connect = async () => {
  const client = await connect();
  if (known.has(client)) return client;
  known.add(client);
  return kills(client);
};

const store = postgresStore({ pool });
console.log(JSON.stringify(task === 'run' ? await payingRun({ store, url }) : await store.tally()));
await store.close();
await pool.end();
