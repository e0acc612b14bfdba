import { DatabaseSync } from 'node:sqlite';
import { createRuntime, WorkflowError } from 'agent-machines';
import { sqliteIndex } from 'agent-machines/search/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { describe, expect, it } from 'vitest';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../../fixtures/example-entries.ts';
import { final, logWorkflow, node, says } from '../../../../fixtures/log-workflow.ts';
import { otherSqlite } from '../../../../fixtures/other-sqlite.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../../fixtures/sqlite-files.ts';

const { newPath } = sqliteFiles('handed-in-');
const embedder = { name: 'example', dimensions: 2 };
const entry = { id: 'a', text: '계약기간', metadata: { of: 'a' }, vector: Float32Array.of(1, 0) };
const workflow = logWorkflow({
  states: { a: node('a', 'done'), done: final, failed: final },
  nodes: { a: says('a') },
});

const opened = { 'node:sqlite': (path: string) => new DatabaseSync(path), 'another package': otherSqlite };

describe.each(Object.entries(opened))('a database that %s has opened', (_name, open) => {
  it('serves as a store that others find in its file, and is closed only by its opener', async () => {
    const path = newPath();
    const database = open(path);
    const store = sqliteStore({ database });
    const run = createRuntime({ store }).start(workflow, {});
    expect(await run.result).toMatchObject({ status: 'done', output: 'a' });
    await store.close();
    expect(await outcomeOf(() => store.read(run.id))).toBe('STORE_UNAVAILABLE');
    expect(database.prepare('SELECT count(*) AS count FROM runs').get()).toMatchObject({ count: 1 });
    database.close();
    const again = sqliteStore({ path });
    expect(await again.read(run.id)).toMatchObject({ status: 'done' });
    await again.close();
  });

  it('is as durable as a database that the store has opened', () => {
    const path = newPath();
    const database = open(path);
    const pragma = (name: string): unknown => Object.values(Object(database.prepare(`PRAGMA ${name}`).get()))[0];
    sqliteStore({ database });
    expect([pragma('journal_mode'), pragma('synchronous')]).toEqual(['wal', 2]);
    database.close();
  });

  it('waits at most 50 ms for a lock, because the wait blocks the process', () => {
    const database = open(newPath());
    database.exec('PRAGMA busy_timeout = 60000');
    sqliteStore({ database });
    expect(Number(Object.values(Object(database.prepare('PRAGMA busy_timeout').get()))[0])).toBeLessThanOrEqual(50);
    database.close();
  });

  it('keeps the process responsive while another connection locks the file', async () => {
    const path = newPath();
    const database = open(path);
    const store = sqliteStore({ database });
    const { lease } = await store.create(newRun('r_1'), [startEntry()], requestBy('o_1'));
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const appended = store.append(lease, nodeEntry(2), 0);
    expect(appended).toBeInstanceOf(Promise);
    other.exec('ROLLBACK');
    other.close();
    await appended;
    expect(await store.journal('r_1')).toHaveLength(2);
    database.close();
  });

  it('serves as an index, and is closed only by its opener', async () => {
    const database = open(newPath());
    const index = await sqliteIndex({ database, embedder });
    expect(index.compare).toBe('js');
    await index.upsert([entry, { ...entry, id: 'b', vector: Float32Array.of(0, 1) }]);
    expect(await index.search(Float32Array.of(1, 0), { limit: 1 })).toMatchObject([{ id: 'a', score: 1, metadata: { of: 'a' } }]);
    expect(await index.searchWords('계약기간', { limit: 5 })).toHaveLength(2);
    await index.remove(['b']);
    await index.close();
    expect(database.prepare('SELECT count(*) AS count FROM entries').get()).toMatchObject({ count: 1 });
    database.close();
  });

  it('is refused and left unchanged if it belongs to another program', async () => {
    const path = newPath();
    inDatabase(path, (db) => db.exec('CREATE TABLE other (name TEXT)'));
    const database = open(path);
    expect(await outcomeOf(() => sqliteStore({ database }))).toBe('STORE_VERSION');
    expect(await outcomeOf(() => sqliteIndex({ database, embedder }))).toBe('STORE_VERSION');
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' });
    database.close();
  });
});

describe('an index in an open database', () => {
  it('compares with sqlite-vec if it is loaded', async () => {
    const database = new DatabaseSync(':memory:', { allowExtension: true });
    expect(await outcomeOf(() => sqliteIndex({ database, embedder, compare: 'sqlite-vec' }))).toBe('ADAPTER_MISSING');
    database.loadExtension(getLoadablePath());
    const index = await sqliteIndex({ database, embedder });
    expect(index.compare).toBe('sqlite-vec');
    await index.upsert([entry]);
    expect(await index.search(Float32Array.of(1, 0), { limit: 1 })).toMatchObject([{ id: 'a', score: 1 }]);
    expect((await sqliteIndex({ database, embedder, compare: 'js' })).compare).toBe('js');
  });

  it('is unavailable after the database was closed', async () => {
    const database = new DatabaseSync(':memory:');
    database.close();
    expect(await outcomeOf(() => sqliteIndex({ database, embedder }))).toBe('INDEX_UNAVAILABLE');
    expect(await outcomeOf(() => sqliteStore({ database }))).toBe('STORE_UNAVAILABLE');
  });
});

describe('a database with unsuitable options', () => {
  it.each([
    [{ returnArrays: true }, 'Open it without returnArrays. Rows are read by column name.'],
    [{ readBigInts: true }, 'Open it without readBigInts (node:sqlite) or safeIntegers (bun:sqlite, better-sqlite3).'],
  ])('is refused with a hint: %o', async (options, hint) => {
    const database = new DatabaseSync(':memory:', options);
    const refusal = expect.objectContaining({ code: 'OPTION_INVALID', hint, data: { option: 'database' } });
    expect(() => sqliteStore({ database })).toThrow(refusal);
    await expect(sqliteIndex({ database, embedder })).rejects.toThrow(refusal);
    expect(database.prepare('SELECT count(*) FROM sqlite_schema').all()).toHaveLength(1);
  });
});

describe('sqliteStore and sqliteIndex', () => {
  const database = new DatabaseSync(':memory:');
  const wrong: readonly (readonly [name: string, options: object | undefined, says: string])[] = [
    ['nothing', undefined, 'The options have neither a path nor a database.'],
    ['no place', {}, 'The options have neither a path nor a database.'],
    ['two places', { path: 'agents.db', database }, 'The options have both a path and a database.'],
    ['a database that is none', { database: {} }, 'The database has no methods prepare and exec.'],
  ];
  it.each(wrong)('refuse %s with a hint', async (_name, options, says) => {
    const refusal = async (work: () => unknown): Promise<unknown> => {
      try {
        return await work();
      } catch (cause) {
        return WorkflowError.isInstance(cause) ? [cause.code, cause.message, cause.hint.includes('Pass the path')] : cause;
      }
    };
    const given = options as Parameters<typeof sqliteStore>[0];
    const expected = ['OPTION_INVALID', says, true];
    expect(await refusal(() => (options ? sqliteStore(given) : Reflect.apply(sqliteStore, undefined, [])))).toEqual(expected);
    expect(await refusal(() => sqliteIndex({ ...(options as object), embedder }))).toEqual(expected);
  });
});
