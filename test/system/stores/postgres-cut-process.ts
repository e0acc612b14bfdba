// A process whose connections to a PostgreSQL database are cut by the server, in the packet of an answer: `HOME ADDRESS`. For each answer
// there is, a run whose connection is cut with that one; says the outcome of each, as JSON. See `homes` for the ways to the database.
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createRuntime, type RunStore } from 'agent-machines';
import { type PostgresClient, type PostgresPackage, type PostgresPool, postgresStore } from 'agent-machines/stores/postgres';
import { final, logWorkflow, node, says } from '../../fixtures/log-workflow.ts';

type Pool = PostgresPool & { query(sql: string): Promise<unknown> };
interface Pg {
  readonly Pool: new (options: object) => Pool;
  readonly Client: new (options: object) => PostgresClient & { connect(): Promise<void>; end(): Promise<void> };
}
interface Home {
  readonly store: RunStore;
  /** Ends what is the user's, when the store is closed. */
  close(): Promise<void>;
}

const [home = '', address = ''] = process.argv.slice(2);
const pg = (await import(process.env.PG_PACKAGE ?? 'pg')) as Pg;

const ignore = (): void => {};

/** What a server says that is stopped: an ErrorResponse, https://www.postgresql.org/docs/current/protocol-message-formats.html */
const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
const length = Buffer.alloc(4);
length.writeInt32BE(fields.length + 4);
const stopped = Buffer.concat([Buffer.from('E'), length, fields]);

/** Each answer ends with a ReadyForQuery of six bytes. */
const isAnswer = (chunk: Buffer): boolean => chunk.length >= 6 && chunk.at(-6) === 0x5a && chunk.readInt32BE(chunk.length - 5) === 5;

/** The number of the answer that ends its connection, from 1. */
let cutAt = 0;
let answers = 0;
const target = new URL(address);
const proxy = createServer((near) => {
  const far = connect(Number(target.port), target.hostname);
  for (const socket of [near, far]) socket.setNoDelay(true).on('error', ignore);
  near.pipe(far);
  far.on('data', (chunk: Buffer) => {
    if (!isAnswer(chunk) || ++answers !== cutAt) return void near.write(chunk);
    near.end(Buffer.concat([chunk, stopped]));
    far.destroy();
  });
  far.on('close', () => near.end());
  near.on('close', () => far.destroy());
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
const connectionString = address.replace(target.host, `127.0.0.1:${(proxy.address() as AddressInfo).port}`);

const listeners = (emitter: object, event: string): number => (emitter instanceof EventEmitter ? emitter.listenerCount(event) : 0);

const homes: Readonly<Record<string, () => Promise<Home>>> = {
  async address() {
    return { store: postgresStore({ connectionString, poolSize: 3, pg: pg as PostgresPackage }), close: async () => {} };
  },
  /** The user's statements and ours take turns on one connection, so that each is given away with the answer to the one before. */
  async pool() {
    const pool = new pg.Pool({ connectionString, max: 1 });
    pool.on('error', ignore); // the user's, before and after the store
    let isOver = false;
    const users = [1, 2].map(async () => {
      while (!isOver) await pool.query('SELECT 1').catch(ignore);
    });
    return {
      store: postgresStore({ pool }),
      async close() {
        isOver = true;
        await Promise.all(users);
        const client = await pool.connect();
        const left = [listeners(pool, 'acquire'), listeners(client, 'error')];
        client.release();
        if (left.join() !== '0,0') throw new Error(`listeners are left: ${left}`);
        await pool.end();
      },
    };
  },
  /** It does not come back. */
  async client() {
    const client = new pg.Client({ connectionString });
    client.on('error', ignore); // the user's, before the store
    await client.connect();
    const store = postgresStore({ client, patienceMs: 0 });
    client.removeListener('error', ignore);
    return { store, close: () => client.end() };
  },
};

const workflow = logWorkflow({
  states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: final },
  nodes: { a: says('a'), b: says('b') },
});

const outcomes: unknown[] = [];
process.on('warning', (warning) => outcomes.push(String(warning)));
for (cutAt = 1; ; cutAt++) {
  answers = 0;
  process.stderr.write(`cut with answer ${cutAt}\n`); // the last one, where this process dies
  const opened = await homes[home]?.();
  if (!opened) throw new Error(`no home is called ${home}`);
  const runtime = createRuntime({ store: opened.store });
  const watch = opened.store.watch?.('r_1'); // so that it listens, too, where it can
  const result = await runtime.start(workflow, {}).result;
  const isCut = answers >= cutAt;
  watch?.stop();
  await runtime.close();
  await opened.store.close();
  await opened.close();
  outcomes.push(result.status === 'failed' ? result.error.code : result.status);
  if (!isCut || cutAt === 40) break;
}
proxy.close();
console.log(JSON.stringify(outcomes));
