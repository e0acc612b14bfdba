// Removed text is in no byte of a SQLite file and its log, without rewriting the file.
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Json, RunStore } from 'agent-machines';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scrubSqlite } from '../../../../src/stores/sqlite/scrub-sqlite.ts';
import { sqliteStatus } from '../../../../src/stores/sqlite/sqlite-status.ts';
import { newRun, nodeEntry, requestBy, startEntry } from '../../../fixtures/example-entries.ts';
import { share } from '../../../fixtures/share.ts';
import { inDatabase, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore, startProcess } = sqliteFiles('removed-bytes-');
const mark = 'NEEDLE';

const bytesOf = (path: string): string =>
  [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join('');
const marksIn = (path: string): number => bytesOf(path).split(mark).length - 1;
const pageBytes = 4096;
/** The first of what is left, with its place: the page's kind, its cells, where they begin, and the bytes around it. */
const tracesIn = (path: string): readonly string[] =>
  [path, `${path}-wal`].flatMap((file) => {
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    const places: number[] = [];
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) places.push(at);
    return places.slice(0, 5).map((at) => {
      const page = Math.floor(at / pageBytes) * pageBytes;
      const header =
        file === path ? `kind ${bytes[page]}, ${bytes.readUInt16BE(page + 3)} cells from ${bytes.readUInt16BE(page + 5)}, ` : '';
      return `${file === path ? 'file' : 'log'} ${page / pageBytes + 1}: ${header}${at - page}: ${JSON.stringify(bytes.toString('latin1', at - 40, at + 40))}`;
    });
  });
const scrubOf = (path: string): unknown => inDatabase(path, (db) => ({ ...db.prepare('SELECT scrubbed, pending_scrub FROM file').get() }));

interface Refusal {
  /** Statements that this connection refuses, or, for a pragma, ignores. */
  readonly refused: RegExp;
}

/** A connection that notes its statements. */
function connectionTo(path: string, { refused }: Refusal = { refused: /never/ }) {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const statements: string[] = [];
  const connection = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        const sql = String(args[0]);
        statements.push(sql);
        if (!refused.test(sql)) return Reflect.apply(value, target, args);
        if (sql === 'PRAGMA secure_delete = ON') return undefined;
        throw new Error('too many attached databases - max 0');
      };
    },
  }) as SqliteConnection;
  return { connection, statements };
}

/** Runs turns of a thread that leave text in all places: overwritten states that shrink and grow, overflow pages, indexes. */
async function talk(store: RunStore, thread: string, word: string): Promise<void> {
  const sizes = [3, 40_000, 10, 400, 90_000, 1];
  for (const [turn, size] of sizes.entries()) {
    const text: Json = `${word} `.repeat(size);
    const run = newRun(`r_${thread}_${turn}`, { threadId: thread });
    const { lease } = await store.create(run, [startEntry({ input: text })], requestBy('o_1'));
    await store.append(lease, nodeEntry(2, { output: text }), 0);
    await store.append(lease, nodeEntry(3, { output: `${word}` }), 0);
    await store.settle(lease, { status: 'done', activeMs: 0, threadState: { text: `${word} `.repeat(sizes.at(-1 - turn) ?? 0) } });
  }
}

const mixed = (texts: readonly string[]): readonly string[] => {
  const [first, ...rest] = texts;
  return first === undefined ? [] : rest.length % 3 === 0 ? [...mixed(rest), first] : [first, ...mixed(rest)];
};

describe('removed text', () => {
  it('is cleared after updates, growth, overflow, index entries and random removals during other writes', async () => {
    const path = newPath();
    const { connection, statements } = connectionTo(path);
    const store = sqliteStore({ database: connection });
    const writer = startProcess(['commit-forever', path, 'r_writer', '5000']);
    await writer.line(3);
    const threads = Array.from({ length: share(100) }, (_, n) => `t_${mark}_${n}`);
    for (const thread of threads) await talk(store, thread, mark);
    await talk(store, 't_kept', 'kept');
    expect(marksIn(path)).toBeGreaterThan(1_000);
    for (const thread of mixed(threads)) await store.remove({ threadId: thread });
    writer.kill('SIGKILL');
    await writer.ended;
    expect(tracesIn(path)).toEqual([]);
    expect(statements.filter((sql) => /VACUUM/.test(sql))).toEqual([]);
    expect(await store.readThread('t_kept')).toMatchObject({ state: { text: 'kept kept kept ' } });
  });

  it('is cleared at the next open if the process died before the checkpoint', async () => {
    const path = newPath();
    const { connection } = connectionTo(path, { refused: /wal_checkpoint/ });
    const store = sqliteStore({ database: connection });
    await talk(store, `t_${mark}`, mark);
    await expect(async () => store.remove({ threadId: `t_${mark}` })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(marksIn(path)).toBeGreaterThan(0);
    expect(scrubOf(path)).toEqual({ scrubbed: 1, pending_scrub: 1 });
    expect(await sqliteStatus(path)).toMatchObject({ toScrub: true });
    const next = openStore(path);
    expect(marksIn(path)).toBe(0);
    expect(scrubOf(path)).toEqual({ scrubbed: 1, pending_scrub: 0 });
    expect(await sqliteStatus(path)).not.toHaveProperty('toScrub');
    expect(await next.list({})).toEqual([]);
  });

  it('stays while a reader keeps an old snapshot and is cleared by the next removal', async () => {
    const path = newPath();
    const store = openStore(path, { busyTimeoutMs: 20 });
    await talk(store, `t_${mark}`, mark);
    await talk(store, 't_next', 'next');
    const reader = new DatabaseSync(path);
    reader.exec('BEGIN; SELECT * FROM runs');
    await expect(async () => store.remove({ threadId: `t_${mark}` })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    reader.exec('COMMIT');
    reader.close();
    expect(scrubOf(path)).toEqual({ scrubbed: 1, pending_scrub: 1 });
    await store.remove({ threadId: 't_next' });
    expect(marksIn(path)).toBe(0);
    expect(scrubOf(path)).toEqual({ scrubbed: 1, pending_scrub: 0 });
  });

  /** A file to which an earlier version has written: overwritten text is left in it. */
  async function earlierFile(): Promise<string> {
    const path = newPath();
    const store = sqliteStore({ path });
    await talk(store, 't_kept', 'kept');
    await store.close();
    inDatabase(path, (db) => {
      db.exec(`PRAGMA secure_delete = OFF; CREATE TABLE old (text); INSERT INTO old VALUES ('${mark.repeat(5_000)}'); DROP TABLE old`);
      db.exec('DROP INDEX runs_with_failure; ALTER TABLE runs DROP COLUMN sleeps');
      db.exec('ALTER TABLE file DROP COLUMN scrubbed; ALTER TABLE file DROP COLUMN pending_scrub; PRAGMA user_version = 8');
    });
    expect(marksIn(path)).toBeGreaterThan(0);
    return path;
  }

  it('is cleared from a file of an earlier version by the first removal, which rewrites the file once', async () => {
    const path = await earlierFile();
    const { connection, statements } = connectionTo(path);
    const store = sqliteStore({ database: connection });
    expect(scrubOf(path)).toEqual({ scrubbed: 0, pending_scrub: 0 });
    await talk(store, 't_1', 'one');
    await talk(store, 't_2', 'two');
    await store.remove({ threadId: 't_1' });
    expect(marksIn(path)).toBe(0);
    await store.remove({ threadId: 't_2' });
    expect(statements.filter((sql) => /VACUUM/.test(sql))).toEqual(['VACUUM']);
    expect(scrubOf(path)).toEqual({ scrubbed: 1, pending_scrub: 0 });
  });

  it('is cleared from a file of an earlier version by scrubSqlite', async () => {
    const path = await earlierFile();
    await scrubSqlite(path);
    expect(marksIn(path)).toBe(0);
    expect(await sqliteStatus(path)).not.toHaveProperty('toScrub');
  });

  it.each([
    ['secure_delete', /secure_delete = ON/],
    ['VACUUM of an earlier file', /^VACUUM$/],
  ])('is cleared even if the connection refuses %s', async (what, refused) => {
    const path = what === 'secure_delete' ? newPath() : await earlierFile();
    const { connection } = connectionTo(path, { refused });
    const store = sqliteStore({ database: connection });
    const thread = `t_${mark}`;
    await talk(store, thread, mark);
    const other = openStore(path); // it clears, but has to know that the first one does not
    await talk(store, 't_other', `${mark}_other`);
    await other.remove({ threadId: thread });
    await other.remove({ threadId: 't_other' });
    expect(marksIn(path)).toBe(0);
  });
});
