import { postgresStore } from 'agent-machines/stores/postgres';
import { describe, expect, it } from 'vitest';

const secret = 's3cret';
const pool = { connect() {}, on() {}, removeListener() {} };
const address = `postgres://ada:${secret}@host/db`;

describe('postgresStore', () => {
  it.each([
    ['nothing', undefined],
    ['no place', {}],
    ['two places', { connectionString: address, pool }],
    ['another address', { connectionString: `mysql://ada:${secret}@host/db` }],
    ['no address', { connectionString: `postgres://ada:${secret}@host:99999999/db` }],
    ['no text', { connectionString: 7 }],
    ['no pool', { pool: { query() {} } }],
    ['no client', { client: {} }],
    ['a pool that is null', { pool: null }],
    ['a schema that needs quotes', { connectionString: address, schema: 'a"; DROP TABLE runs; --' }],
    ['a schema in capitals', { connectionString: address, schema: 'Agents' }],
    ["a schema of PostgreSQL's own", { connectionString: address, schema: 'pg_catalog' }],
    ['no connection at all', { connectionString: address, poolSize: 0 }],
    ['no patience', { connectionString: address, patienceMs: -1 }],
    ['a durability that there is not', { connectionString: address, durability: 'some' }],
  ])('refuses %s at once, and says no password', (_, options) => {
    let thrown: unknown;
    try {
      postgresStore(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'OPTION_INVALID' });
    expect(String((thrown as Error).message)).not.toContain(secret);
  });

  it('says which package is missing when it is first used', async () => {
    const missing = postgresStore({
      connectionString: address,
      pg: () => Promise.reject(new Error("Cannot find package 'pg'")),
    });
    await expect(async () => missing.tally()).rejects.toMatchObject({ code: 'ADAPTER_MISSING', hint: 'Run: npm install pg' });
    await missing.close();
  });

  it('loads nothing and connects to nothing before it is used', async () => {
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
