import { fleetStates, type RunStore, type Settlement } from 'agent-machines';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRun, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { otherSqlite } from '../../../fixtures/other-sqlite.ts';

const database = otherSqlite(':memory:') as SqliteConnection;
const statements: string[] = [];
const noting = new Proxy(database, {
  get: (target, name) =>
    name === 'prepare'
      ? (sql: string) => {
          statements.push(sql);
          return target.prepare(sql);
        }
      : Reflect.get(target, name).bind(target),
});
const store: RunStore = sqliteStore({ database: noting });

beforeAll(async () => {
  const ends: readonly Omit<Settlement, 'activeMs'>[] = [
    { status: 'done' },
    { status: 'done', failure: 'TOOL_FAILED' },
    { status: 'failed', failure: 'LIMIT_EXCEEDED' },
    { status: 'waiting' },
    { status: 'paused', wakeAt: 5 },
  ];
  for (let n = 0; n < 500; n++) {
    const { lease } = await store.create(newRun(`r_${n}`), [startEntry()], requestBy('o_1'));
    await store.settle(lease, { status: 'done', ...ends[n % ends.length], activeMs: 0 });
  }
});
afterAll(() => store.close());

type StoreQuery = Parameters<RunStore['list']>[0];

async function planOf(query: StoreQuery): Promise<string> {
  statements.length = 0;
  await sqliteStore({ database: noting }).list(query); // a store prepares each statement once
  const sql = statements.find((text) => text.includes('ORDER BY n DESC')) ?? '';
  const places = sql.split('?').slice(1);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...places.map(() => 1));
  return rows.map((row) => String(Object(row).detail)).join('\n');
}

const bases: readonly StoreQuery[] = [
  ...fleetStates.map((state) => ({ state })),
  { code: 'TOOL_FAILED' },
  { resultStatus: 'failed' },
  { state: 'failed', code: 'TOOL_FAILED' },
];

describe('the list of a SQLite store', () => {
  it.each(bases)('finds %o in the order of an index', async (base) => {
    for (const more of [{}, { workflow: 'example' }, { threadId: 't_1' }, { updatedBefore: 9 }, { before: 'r_100' }]) {
      const plan = await planOf({ ...base, ...more, limit: 20 });
      expect(plan).toMatch(/USING (?:COVERING )?INDEX runs_/);
      expect(plan).not.toMatch(/TEMP B-TREE|^SCAN runs$/m);
    }
  });

  it('reads failed ends from their own index, not all runs that are done', async () => {
    expect(await planOf({ state: 'failed' })).toContain('USING INDEX runs_with_failure');
    expect(await planOf({ code: 'TOOL_FAILED' })).toContain('USING INDEX runs_with_failure');
  });
});
