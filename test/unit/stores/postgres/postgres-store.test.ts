import { postgresStore } from 'agent-machines/stores/postgres';
import { describe, expect, it } from 'vitest';

const secret = 's3cret';
const pool = { connect() {}, on() {}, removeListener() {} };
const address = `postgres://ada:${secret}@host/db`;

describe('postgresStore', () => {
  it.each([
    ['missing options', undefined],
    ['a missing database', {}],
    ['two databases', { connectionString: address, pool }],
    ['an address of another database', { connectionString: `mysql://ada:${secret}@host/db` }],
    ['an invalid address', { connectionString: `postgres://ada:${secret}@host:99999999/db` }],
    ['an address that is not text', { connectionString: 7 }],
    ['an invalid pool', { pool: { query() {} } }],
    ['an invalid client', { client: {} }],
    ['null as the pool', { pool: null }],
    ['a schema name that needs quotes', { connectionString: address, schema: 'a"; DROP TABLE runs; --' }],
    ['a schema name in capitals', { connectionString: address, schema: 'Agents' }],
    ['a reserved schema name', { connectionString: address, schema: 'pg_catalog' }],
    ['a pool size of 0', { connectionString: address, poolSize: 0 }],
    ['negative patience', { connectionString: address, patienceMs: -1 }],
    ['an unknown durability', { connectionString: address, durability: 'some' }],
  ])('refuses %s at once and hides the password', (_, options) => {
    let thrown: unknown;
    try {
      postgresStore(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'OPTION_INVALID' });
    expect(String((thrown as Error).message)).not.toContain(secret);
  });

  it('names the missing package at the first call', async () => {
    const missing = postgresStore({
      connectionString: address,
      pg: () => Promise.reject(new Error("Cannot find package 'pg'")),
    });
    await expect(async () => missing.tally()).rejects.toMatchObject({ code: 'ADAPTER_MISSING', hint: 'Run: npm install pg' });
    await missing.close();
  });

  it('loads no package and opens no connection before the first call', async () => {
    let loads = 0;
    const unused = postgresStore({
      connectionString: address,
      pg: () => {
        loads++;
        return Promise.reject(new Error('too early'));
      },
    });
    await unused.close();
    expect(loads).toBe(0);
  });
});
