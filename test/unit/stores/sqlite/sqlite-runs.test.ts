import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import type { AcquiredRun, JournalEntry, LeaseRequest, NewRun, RunEvent, RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { share } from '../../../fixtures/share.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const startMs = Date.UTC(2025, 0, 1);
const askAs = (owner: string, nowMs: number = startMs): LeaseRequest => ({
  owner,
  leaseMs: 30_000,
  now: nowMs,
  monotonic: nowMs - startMs,
});
/** Watches a lease without a renewal for as long as it holds, until that time, and takes over the run. */
const takeOver = async (store: RunStore, runId: string, owner: string, untilMs: number): Promise<AcquiredRun> => {
  expect(await outcomeOf(() => store.acquire(runId, askAs(owner, untilMs - 30_000)))).toBe('RUN_BUSY');
  return store.acquire(runId, askAs(owner, untilMs));
};
const newRun = (id: string): NewRun => ({ id, workflow: 'example', version: '1', structure: 'structure', ifBusy: 'reject' });
const entry = (seq: number, epoch = 1): JournalEntry => ({
  seq,
  key: seq === 1 ? 'run' : `node#${seq}`,
  kind: seq === 1 ? 'start' : 'node',
  outcome: { output: seq },
  events: [],
  epoch,
  at: startMs + seq,
});
/** The row of an entry; the tail of a run of five is `row(6)`. */
const row = (seq: number, run = 1): number => run * 1_000_000 + seq;

const { newPath, openStore, startProcess } = sqliteFiles('sqlite-runs-');

const rowsIn = (path: string): object =>
  inDatabase(path, (db) => ['runs', 'journal', 'threads'].map((table) => db.prepare(`SELECT * FROM ${table}`).all()));
const versionOf = (path: string): unknown => inDatabase(path, (db) => db.prepare('PRAGMA user_version').get()?.user_version);

/** A file of two runs of five entries each, whose process died; the second was taken over once. */
async function liveRuns(): Promise<string> {
  const path = newPath();
  const store = sqliteStore({ path });
  for (const id of ['r_1', 'r_2']) {
    const { lease } = await store.create(newRun(id), [entry(1)], askAs('o_1'));
    for (let seq = 2; seq <= 5; seq++) await store.append(lease, entry(seq), seq + 0.5);
  }
  await takeOver(store, 'r_2', 'o_2', startMs + 60_000);
  await store.close();
  return path;
}

const tail = `(SELECT max(id) FROM journal WHERE id < ${row(0, 2)})`;
const copy = (from: string, to: string): string =>
  `INSERT INTO journal SELECT ${to}, key, kind, outcome, events, epoch, at, checksum FROM journal WHERE id = ${from}`;

describe('a driven run', () => {
  it('writes one page per entry', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
    const framesOfLog = (): number => Math.floor(statSync(`${path}-wal`).size / (4_096 + 24));
    const before = framesOfLog();
    for (let seq = 2; seq <= 101; seq++) await store.append(lease, entry(seq), seq);
    // some more where a page is full
    expect(framesOfLog() - before).toBeLessThan(115);
  });

  it('is read, listed and acquired with the state of its last entry', async () => {
    const path = await liveRuns();
    const store = openStore(path);
    const one = { id: 'r_1', status: 'running', seq: 5, epoch: 1, crashes: 0, activeMs: 5.5, updatedAt: startMs + 5 };
    const two = { id: 'r_2', status: 'running', seq: 5, epoch: 2, crashes: 1, activeMs: 5.5, updatedAt: startMs + 60_000 };
    expect(await store.read('r_1')).toMatchObject(one);
    expect(await store.read('r_2')).toMatchObject(two);
    expect(await store.list({})).toMatchObject([two, one]);
    const { lease, record } = await takeOver(store, 'r_2', 'o_3', startMs + 120_000);
    expect(record).toMatchObject({ ...two, epoch: 3, crashes: 2, updatedAt: startMs + 120_000 });
    await store.append(lease, entry(6, 3), 7);
    expect(await store.read('r_2')).toMatchObject({ seq: 6, crashes: 0, activeMs: 7, updatedAt: startMs + 6 });
    await store.settle(lease, { status: 'paused', activeMs: 8 });
    expect(await store.read('r_2')).toMatchObject({ status: 'paused', seq: 6, activeMs: 8, updatedAt: startMs + 6 });
    expect(await store.journal('r_2')).toEqual([...[1, 2, 3, 4, 5].map((seq) => entry(seq)), entry(6, 3)]);
  });

  const damages: readonly (readonly [name: string, code: string, ...sql: readonly string[]])[] = [
    ['a missing tail', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(6)}`],
    ['a missing tail and last entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id IN (${row(5)}, ${row(6)})`],
    ['only a tail', 'JOURNAL_MISSING', `DELETE FROM journal WHERE id < ${row(6)}`],
    ['an empty journal', 'JOURNAL_MISSING', `DELETE FROM journal WHERE id < ${row(0, 2)}`],
    ['a missing last entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(5)}`],
    [
      'a tail in place of the last entry',
      'JOURNAL_CORRUPT',
      `DELETE FROM journal WHERE id = ${row(5)}`,
      `UPDATE journal SET id = ${row(5)} WHERE id = ${row(6)}`,
    ],
    [
      'a tail that follows a missing last entry',
      'JOURNAL_CORRUPT',
      `DELETE FROM journal WHERE id = ${row(5)}`,
      `UPDATE journal SET id = ${row(5)}, key = (SELECT checksum FROM journal WHERE id = ${row(4)}) WHERE id = ${row(6)}`,
    ],
    ['a tail after a gap', 'JOURNAL_CORRUPT', `UPDATE journal SET id = ${row(7)} WHERE id = ${row(6)}`],
    ['an entry after its tail', 'JOURNAL_CORRUPT', copy(`${row(2)}`, `${row(7)}`)],
    ['a second tail', 'JOURNAL_CORRUPT', copy(`${row(6)}`, `${row(7)}`)],
    ['an entry as its tail', 'JOURNAL_CORRUPT', `UPDATE journal SET kind = 'node' WHERE id = ${row(6)}`],
    ['a tail as an entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(3)}`, copy(`${row(6)}`, `${row(3)}`)],
    ["another run's tail", 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(6)}`, copy(`${row(6, 2)}`, `${row(6)}`)],
    ['an edited entry', 'JOURNAL_CORRUPT', `UPDATE journal SET outcome = '{}' WHERE id = ${row(3)}`],
    ['a head in its row', 'JOURNAL_CORRUPT', `UPDATE runs SET head = (SELECT key FROM journal WHERE id = ${row(6)}) WHERE n = 1`],
    ['another seq in its row', 'JOURNAL_CORRUPT', 'UPDATE runs SET seq = 5 WHERE n = 1'],
    ['another epoch in its row', 'JOURNAL_CORRUPT', 'UPDATE runs SET epoch = 2 WHERE n = 1'],
    ['a false failure', 'JOURNAL_CORRUPT', "UPDATE runs SET failure = 'UNKNOWN' WHERE n = 1"],
    ['another status', 'JOURNAL_CORRUPT', "UPDATE runs SET status = 'paused' WHERE n = 1"],
  ];

  /** Those that are found when the entries are read. */
  const ofEntries = new Set(['only a tail', 'a missing last entry', 'a tail as an entry', 'an edited entry']);

  it.each(damages)('is refused and left unchanged with %s', async (name, code, ...statements) => {
    const path = await liveRuns();
    inDatabase(path, (db) => {
      for (const statement of statements) expect(db.prepare(statement).run().changes).toBeGreaterThan(0);
    });
    const before = rowsIn(path);
    const store = openStore(path);
    const journal = await outcomeOf(() => store.journal('r_1'));
    expect(journal).toBe(code);
    if (!ofEntries.has(name)) {
      for (const work of [
        () => store.read('r_1'),
        () => store.acquire('r_1', { ...askAs('o_2'), force: true }),
        () => store.append({ runId: 'r_1', epoch: 1 }, entry(6), 9),
        () => store.settle({ runId: 'r_1', epoch: 1 }, { status: 'done', activeMs: 9 }),
      ]) {
        expect(await outcomeOf(work)).toBe(code);
      }
    }
    expect(rowsIn(path)).toEqual(before);
    const listed = await store.list({});
    expect(listed.map(({ id, activeMs }) => [id, Number.isFinite(activeMs)])).toEqual([
      ['r_2', true],
      ['r_1', true],
    ]);
    expect(await store.journal('r_2')).toHaveLength(5);
  });

  it('is refused after any bit of its tail is flipped', async () => {
    const path = await liveRuns();
    const store = openStore(path);
    inDatabase(path, (db) => {
      db.exec('PRAGMA synchronous = OFF');
      expect(db.prepare(`SELECT kind FROM journal WHERE id = ${tail}`).get()?.kind).toBe('tail');
    });
    const db = new DatabaseSync(path);
    const holds = async (column: string, value: SQLInputValue, before: SQLInputValue): Promise<void> => {
      const statement = db.prepare(`UPDATE journal SET ${column} = ${typeof value === 'number' ? '?' : 'CAST(? AS TEXT)'} WHERE id = ?`);
      statement.run(value, row(6));
      if ((await outcomeOf(() => store.read('r_1'))) !== 'JOURNAL_CORRUPT') expect.unreachable(`${column} = ${String(value)}`);
      statement.run(before, row(6));
    };
    for (const column of ['key', 'kind', 'outcome', 'checksum']) {
      const bytes = db.prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM journal WHERE id = ?`).get(row(6))?.bytes;
      if (!(bytes instanceof Uint8Array)) return expect.unreachable(column);
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await holds(column, flipped, bytes);
      }
    }
    await holds('events', Buffer.from('[]'), Buffer.from(''));
    await holds('epoch', 2, 1);
    await holds('at', startMs + 6, startMs + 5);
    db.close();
    expect(await store.read('r_1')).toMatchObject({ seq: 5, activeMs: 5.5 });
  });

  it.each([
    ['is deleted', 'DELETE FROM runs WHERE n = 1'],
    ['gets another number', 'UPDATE runs SET n = 7 WHERE n = 1'],
    ['gets another checksum', "UPDATE runs SET checksum = '' WHERE n = 1"],
  ])('refuses an entry if its row %s', async (_name, sql) => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
    await store.append(lease, entry(2), 1);
    inDatabase(path, (db) => db.exec(sql));
    const before = rowsIn(path);
    expect(await outcomeOf(() => store.append(lease, entry(3), 2))).toMatch(/^(JOURNAL_|RUN_FENCED)/);
    expect(rowsIn(path)).toEqual(before);
  });

  it('is refused after its failure was changed or removed', async () => {
    const path = newPath();
    const store = openStore(path);
    const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
    await store.settle(lease, { status: 'done', activeMs: 1, failure: 'MODEL_UNAVAILABLE' });
    expect(await openStore(path).read('r_1')).toMatchObject({ status: 'done', failure: 'MODEL_UNAVAILABLE' });
    for (const failure of ['NULL', "''", "'UNKNOWN'"]) {
      inDatabase(path, (db) => db.exec(`UPDATE runs SET failure = ${failure}`));
      expect([failure, await outcomeOf(() => store.read('r_1'))]).toEqual([failure, 'JOURNAL_CORRUPT']);
    }
  });

  it('refuses an entry of an old lease after another store has acquired it', async () => {
    const path = newPath();
    const [store, other] = [openStore(path), openStore(path)];
    const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
    await store.append(lease, entry(2), 1);
    const next = await other.acquire('r_1', { ...askAs('o_2'), force: true });
    expect(await outcomeOf(() => store.append(lease, entry(3), 2))).toBe('RUN_FENCED');
    await other.append(next.lease, entry(3, 2), 2);
    expect(await outcomeOf(() => store.append(lease, entry(3), 2))).toBe('RUN_FENCED');
    expect(await outcomeOf(() => store.append(lease, entry(4), 2))).toBe('RUN_FENCED');
    expect(await other.journal('r_1')).toEqual([entry(1), entry(2), entry(3, 2)]);
  });
});

/** The newest version of the tables. */
const newest = 10;

/** The version before it. */
const oldest = 8;

describe.each([oldest, newest - 1])('a file of version %i', (version) => {
  // made by that version: r_1 is done, r_2's process died, r_3 waits in the queue of their thread, r_4 waits for its timer
  const oldFile = (): string => {
    const path = newPath();
    writeFileSync(path, gunzipSync(readFileSync(new URL(`../../../fixtures/store-of-version-${oldest}.db.gz`, import.meta.url))));
    // as version 9 left it
    const columns = ['scrubbed', 'pending_scrub'].map((name) => `ALTER TABLE file ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`);
    if (version === 9) inDatabase(path, (db) => db.exec(`${columns.join(';')}; PRAGMA user_version = 9`));
    expect(versionOf(path)).toBe(version);
    return path;
  };
  const laterMs = startMs + 600_000;
  const records = [
    { id: 'r_4', status: 'waiting', seq: 2, epoch: 1, activeMs: 2, updatedAt: startMs + 2, wakeAt: startMs + 60_000 },
    { id: 'r_3', status: 'queued', seq: 1, epoch: 0, activeMs: 0, updatedAt: startMs },
    { id: 'r_2', status: 'running', seq: 4, epoch: 1, activeMs: 4.5, updatedAt: startMs + 4 },
    { id: 'r_1', status: 'done', seq: 3, epoch: 1, activeMs: 7.5, updatedAt: startMs + 3 },
  ];

  it('is read unchanged and gets the new version', async () => {
    const path = oldFile();
    const before = rowsIn(path);
    const store = openStore(path);
    expect(await store.list({})).toMatchObject(records);
    for (const record of records) {
      expect(await store.read(record.id)).toMatchObject(record);
      expect(await store.journal(record.id)).toHaveLength(record.seq);
    }
    const state = { turns: 1, log: Array.from({ length: 200 }, (_, n) => ({ n, text: `${n} `.repeat(60) })) };
    expect(await store.readThread('t_1')).toEqual({ id: 't_1', workflow: 'example', revision: 1, state, activeRun: 'r_2' });
    expect((await store.tally()).threads).toBe(1);
    expect(await store.readStructure('structure')).toEqual({ states: {} });
    expect(rowsIn(path)).toMatchObject(before);
    expect(versionOf(path)).toBe(newest);
  });

  it('keeps the events of its entries', async () => {
    const store = openStore(oldFile());
    const events = async (): Promise<unknown> =>
      (await store.journal('r_2')).map((each) => each.events.map(({ type, seq }) => `${type} ${seq}`));
    const before = [['run-start 1'], ...[2, 3, 4].map((n) => [`edge ${3 * n - 4}`, `node-start ${3 * n - 3}`, `node-end ${3 * n - 2}`])];
    expect(await events()).toEqual(before);
    const end: RunEvent = { type: 'node-end', key: 'node#5', durationMs: 0.5, seq: 11, at: startMs + 5 };
    await store.append({ runId: 'r_2', epoch: 1 }, { ...entry(5), events: [end] }, 6);
    expect(await events()).toEqual([...before, ['node-end 11']]);
  });

  it('lets its running, waiting and queued runs resume', async () => {
    const path = oldFile();
    const store = openStore(path);
    const two = await takeOver(store, 'r_2', 'o_2', laterMs);
    expect(two.record).toMatchObject({ epoch: 2, crashes: 1, seq: 4, activeMs: 4.5 });
    await store.append(two.lease, entry(5, 2), 6);
    await store.nameThread('t_1', 'named');
    await store.append(two.lease, entry(6, 2), 7);
    expect(await openStore(path).readThread('t_1')).toMatchObject({ title: 'named', activeRun: 'r_2' });
    expect(await openStore(path).read('r_2')).toMatchObject({ seq: 6, crashes: 0, activeMs: 7 });
    await store.settle(two.lease, { status: 'done', activeMs: 8, entry: entry(7, 2), threadState: { turns: 2 } });
    const three = await takeOver(store, 'r_3', 'o_2', laterMs);
    expect(three.thread).toMatchObject({ revision: 2, state: { turns: 2 }, activeRun: 'r_3' });
    const four = await store.acquire('r_4', askAs('o_2', laterMs));
    await store.append(four.lease, entry(3, 2), 3);
    const reader = openStore(path);
    const lengths = [3, 7, 1, 3];
    for (const [index, length] of lengths.entries()) expect(await reader.journal(`r_${index + 1}`)).toHaveLength(length);
  });

  it('accepts an entry with a lease from before the upgrade', async () => {
    const path = oldFile();
    const store = openStore(path);
    await store.append({ runId: 'r_2', epoch: 1 }, entry(5), 6);
    await store.append({ runId: 'r_2', epoch: 1 }, entry(6), 7);
    expect(await openStore(path).read('r_2')).toMatchObject({ epoch: 1, seq: 6, activeMs: 7 });
    expect(await openStore(path).journal('r_2')).toHaveLength(6);
    await store.settle({ runId: 'r_2', epoch: 1 }, { status: 'done', activeMs: 8 });
  });

  it('accepts a settlement with a lease from before the upgrade', async () => {
    const store = openStore(oldFile());
    await store.settle({ runId: 'r_2', epoch: 1 }, { status: 'done', activeMs: 8, entry: entry(5) });
    expect(await store.read('r_2')).toMatchObject({ status: 'done', seq: 5, activeMs: 8 });
    expect(await store.journal('r_2')).toHaveLength(5);
  });

  it('is upgraded once when eight processes open it and four of them are killed', async () => {
    for (let round = 0; round < share(3, 1); round++) {
      const path = oldFile();
      const openers = Array.from({ length: 8 }, (_, index) => startProcess(['open', path, `r_1${index}`]));
      for (const opener of openers) expect(await opener.line(0)).toBe('ready');
      for (const opener of openers) opener.say('go');
      for (const opener of openers.filter((_, index) => index % 2 === 0)) opener.kill('SIGKILL');
      for (const [index, opener] of openers.entries()) if (index % 2 === 1) expect(await opener.line(1)).toBe('ok');
      expect(versionOf(path)).toBe(newest);
      const store = openStore(path);
      for (const record of records) expect(await store.journal(record.id)).toHaveLength(record.seq);
    }
  });

  it('keeps its version and data if the process is killed before the commit', async () => {
    const path = oldFile();
    const store = sqliteStore({ path: newPath() });
    await store.close();
    const crashed = newPath();
    inDatabase(path, (db) => {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE; PRAGMA user_version = 3');
      copyFileSync(path, crashed);
      if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${crashed}-wal`);
      db.exec('ROLLBACK');
    });
    expect(versionOf(crashed)).toBe(version);
    expect(await openStore(crashed).list({})).toMatchObject(records);
    expect(versionOf(crashed)).toBe(newest);
  });

  it.each([1, oldest - 1])('is refused and left unchanged if its version is %i', async (older) => {
    const path = oldFile();
    inDatabase(path, (db) => db.exec(`PRAGMA user_version = ${older}`));
    const before = readFileSync(path);
    expect(() => openStore(path)).toThrow(
      expect.objectContaining({
        code: 'STORE_VERSION',
        message: expect.stringContaining(`tables of version ${older}. This package reads versions ${oldest} to ${newest}.`),
        hint: expect.stringContaining('Export its runs'),
        data: { version: older, oldest, known: newest },
      }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
