import type { RunStore } from 'agent-machines';
import { type PostgresPool, type PostgresStoreOptions, postgresStore } from 'agent-machines/stores/postgres';
import { runStoreContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { alternating } from '../fixtures/alternating-stores.ts';
import { importPg, newPool, type PostgresServer, postgresServer } from './postgres/postgres-server.ts';

vi.setConfig({ testTimeout: 120_000 });
let server: PostgresServer;
let shared = '';
const pools: PostgresPool[] = [];
beforeAll(async () => {
  server = await postgresServer();
  shared = await server.newDatabase();
  // what the contract asks does not depend on whether a disk has it
  await server.ask(shared, `ALTER DATABASE ${new URL(shared).pathname.slice(1)} SET synchronous_commit = off`);
}, 300_000);
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await server[Symbol.asyncDispose]();
});

let schemas = 0;
const newSchema = (): string => `s${schemas++}`;
const open = (options: Partial<PostgresStoreOptions> = {}): RunStore =>
  postgresStore({ connectionString: shared, schema: newSchema(), poolSize: 3, durability: 'normal', pg: importPg, ...options });

/** A pool of the user's, which is ended with the tests. */
async function userPool(max: number): Promise<PostgresPool> {
  const pool = await newPool({ connectionString: shared, max });
  pools.push(pool);
  return pool;
}

const homes: readonly { readonly name: string; readonly create: () => Promise<RunStore> }[] = [
  { name: 'postgresStore on an address', create: async () => open() },
  { name: 'postgresStore behind a pooler', create: async () => open({ pooler: true }) },
  {
    name: 'postgresStore on a pool of one connection',
    create: async () => postgresStore({ pool: pools[0] ?? (await userPool(1)), schema: newSchema(), durability: 'normal' }),
  },
  {
    name: 'two postgresStores on one database, in turns',
    create: async () => {
      const schema = newSchema();
      return alternating([open({ schema }), open({ schema })]);
    },
  },
];

describe.each(homes)('runStoreContract: $name', ({ create }) => {
  for (const { name, run } of runStoreContract(create)) it(name, run);
});
