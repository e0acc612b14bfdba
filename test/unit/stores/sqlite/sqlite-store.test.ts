import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { createRuntime, type JournalEntry, type Json, type LeaseRequest, type NewRun, type RunStore, WorkflowError } from 'agent-machines';
import { type SqliteStoreOptions, sqliteStore } from 'agent-machines/stores/sqlite';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownProcess, type ProcessIdentity, processName, toName } from '../../../../src/engine/store/process-name.ts';
import { toTailRow } from '../../../../src/stores/sqlite/sqlite-rows.ts';
import { type ScenarioNodes, scenario } from '../../../fixtures/scenario.ts';
import { share } from '../../../fixtures/share.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

// processes are started, and files damaged by the hundred: on a busy machine that takes its time

const startMs = Date.UTC(2025, 0, 1);
const leaseMs = 30_000;
const askAs = (owner: string, nowMs: number = startMs): LeaseRequest => ({
  owner,
  leaseMs: leaseMs,
  now: nowMs,
  monotonic: nowMs - startMs,
});
const newRun = (id: string, more: Partial<NewRun> = {}): NewRun => ({
  id,
  workflow: 'example',
  version: '1',
  structure: 'structure',
  ifBusy: 'reject',
  ...more,
});
const entry = (seq: number, outcome: Json = { output: seq }): JournalEntry => ({
  seq,
  key: `node#${seq}`,
  kind: seq === 1 ? 'start' : 'node',
  outcome,
  events: [{ type: 'custom', name: 'note', data: seq, seq, at: startMs }],
  epoch: 1,
  at: startMs + seq,
});

// before the files' hooks, since the last hook runs first: the stores close under the mocks
afterEach(() => {
  vi.restoreAllMocks();
});
const { newPath, openStore, open, startProcess } = sqliteFiles('sqlite-store-');

const change = (path: string, sql: string, ...values: readonly SQLInputValue[]): void =>
  inDatabase(path, (db) => {
    db.prepare(sql).run(...values);
  });

/** A copy of a database that nobody has open. */
function copyOf(path: string): string {
  const copy = newPath();
  copyFileSync(path, copy);
  return copy;
}

/** A store and its own connection, whose settings hold for no other. */
const openWithConnection = (path: string, options: Omit<SqliteStoreOptions, 'path'> = {}): { store: RunStore; db: DatabaseSync } => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const store = openStore(path, options);
  const db = prepare.mock.contexts[0];
  prepare.mockRestore();
  return { store, db: db instanceof DatabaseSync ? db : expect.unreachable('no connection') };
};

const refused = (work: () => unknown): Promise<WorkflowError> =>
  Promise.resolve()
    .then(work)
    .then(
      (value) => expect.unreachable(`returned ${JSON.stringify(value)}`),
      (cause: unknown) => (WorkflowError.isInstance(cause) ? cause : expect.unreachable(String(cause))),
    );

let calls = 0;
const note =
  (text: string): ScenarioNodes['a'] =>
  async (_state, io) => {
    await io.step('look', async () => {
      calls++;
      return { text, marks: ['é', 'e\u0301', '\ud800', '\u0000'] };
    });
    return { log: [text] };
  };
const workflow = scenario({ a: note('a'), left: note('left'), right: note('right'), c: note('c') });

/** What the runtime says of a run: `get`, `resume`, `history`; or the code of its error. */
const viewsOf = async (store: RunStore, runId: string): Promise<unknown[]> => {
  const runtime = createRuntime({ store, workflows: [workflow] });
  const seen = [
    await outcomeOf(() => runtime.get(runId)),
    await outcomeOf(async () => (await runtime.resume(runId, { force: true })).result),
    await outcomeOf(() => runtime.history(runId)),
  ];
  await runtime.close();
  return seen;
};

/** Everything that a database holds. */
const rowsIn = (path: string): unknown =>
  inDatabase(path, (db) => ['runs', 'journal', 'threads', 'structures'].map((table) => db.prepare(`SELECT * FROM ${table}`).all()));

/** A database of two finished runs, and what the runtime says of the first. */
interface Finished {
  readonly path: string;
  readonly runId: string;
  readonly otherRunId: string;
  readonly original: readonly unknown[];
  readonly length: number;
}

let finished: Finished;
beforeAll(async () => {
  const path = newPath();
  const store = sqliteStore({ path });
  const runtime = createRuntime({ store, workflows: [workflow] });
  const finish = async (threadId: string): Promise<string> => {
    const run = runtime.start(workflow, null, { threadId, metadata: { from: 'test' } });
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) return expect.unreachable(result.status);
    const going = await runtime.send(run.id, { type: 'APPROVE', by: 'me' }, { interruptId: result.interrupt.id });
    expect(await going.result).toMatchObject({ status: 'done', output: 'a,left,right,approved by me,c' });
    return run.id;
  };
  const runId = await finish('t_1');
  const otherRunId = await finish('t_2');
  await runtime.close();
  const original = await viewsOf(store, runId);
  expect(original.filter((view) => typeof view === 'string')).toEqual([]);
  const { length } = await store.journal(runId);
  await store.close();
  finished = { path, runId, otherRunId, original, length };
});

interface Damaged {
  readonly seen: readonly unknown[];
  /** True when nothing was run or written. */
  readonly untouched: boolean;
}

/** Damages a copy of the finished runs, and looks at the first. */
async function viewsAfter(damage: (db: DatabaseSync) => void): Promise<Damaged> {
  const path = copyOf(finished.path);
  inDatabase(path, damage);
  const before = [calls, rowsIn(path)];
  const store = sqliteStore({ path, durability: 'normal' });
  const seen = await viewsOf(store, finished.runId);
  await store.close();
  const untouched = isDeepStrictEqual([calls, rowsIn(path)], before);
  rmSync(path);
  return { seen, untouched };
}

const rowsPerRun = 1_000_000;
/** The row of an entry of the first run; `run` 2 is the other one. */
const row = (seq: number, run = 1): number => run * rowsPerRun + seq;

describe('sqliteStore', () => {
  describe('with a damaged journal', () => {
    const damages: readonly (readonly [name: string, code: string, ...sql: readonly string[]])[] = [
      ['an edited key', 'JOURNAL_CORRUPT', `UPDATE journal SET key = key || '#' WHERE id = ${row(3)}`],
      ['an edited kind', 'JOURNAL_CORRUPT', `UPDATE journal SET kind = 'event' WHERE id = ${row(3)}`],
      ['an edited outcome', 'JOURNAL_CORRUPT', `UPDATE journal SET outcome = replace(outcome, 'a', 'b') WHERE id = ${row(3)}`],
      ['an outcome with an extra space', 'JOURNAL_CORRUPT', `UPDATE journal SET outcome = outcome || ' ' WHERE id = ${row(3)}`],
      ['an outcome that is not JSON', 'JOURNAL_CORRUPT', `UPDATE journal SET outcome = '{' WHERE id = ${row(3)}`],
      ['edited events', 'JOURNAL_CORRUPT', `UPDATE journal SET events = '[]' WHERE id = ${row(1)}`],
      ['an edited epoch', 'JOURNAL_CORRUPT', `UPDATE journal SET epoch = epoch + 1 WHERE id = ${row(3)}`],
      ['an edited time', 'JOURNAL_CORRUPT', `UPDATE journal SET at = at + 1 WHERE id = ${row(3)}`],
      ['an edited checksum', 'JOURNAL_CORRUPT', `UPDATE journal SET checksum = hex(randomblob(8)) WHERE id = ${row(3)}`],
      ['an empty checksum', 'JOURNAL_CORRUPT', `UPDATE journal SET checksum = '' WHERE id = ${row(3)}`],
      [
        'an edited last entry',
        'JOURNAL_CORRUPT',
        `UPDATE journal SET outcome = '{"status":"done"}' WHERE id = (SELECT max(id) FROM journal WHERE id < ${row(0, 2)})`,
      ],
      ['a missing first entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(1)}`],
      ['a missing middle entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = ${row(4)}`],
      [
        'a closed gap',
        'JOURNAL_CORRUPT',
        `DELETE FROM journal WHERE id = ${row(4)}`,
        `UPDATE journal SET id = -(id - 1) WHERE id > ${row(4)} AND id < ${row(0, 2)}`,
        'UPDATE journal SET id = -id WHERE id < 0',
        'UPDATE runs SET seq = seq - 1 WHERE n = 1',
      ],
      ['a missing last entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id = (SELECT max(id) FROM journal WHERE id < ${row(0, 2)})`],
      [
        'a missing last entry and a matching seq',
        'JOURNAL_CORRUPT',
        `DELETE FROM journal WHERE id = (SELECT max(id) FROM journal WHERE id < ${row(0, 2)})`,
        'UPDATE runs SET seq = seq - 1 WHERE n = 1',
      ],
      ['only the first entry', 'JOURNAL_CORRUPT', `DELETE FROM journal WHERE id > ${row(1)}`],
      ['an empty journal table', 'JOURNAL_MISSING', 'DELETE FROM journal'],
      ['an empty journal', 'JOURNAL_MISSING', `DELETE FROM journal WHERE id < ${row(0, 2)}`],
      [
        'an extra entry',
        'JOURNAL_CORRUPT',
        `INSERT INTO journal SELECT max(id) + 1, key, kind, outcome, events, epoch, at, checksum FROM journal WHERE id < ${row(0, 2)}`,
      ],
      [
        'an extra entry and a matching seq',
        'JOURNAL_CORRUPT',
        `INSERT INTO journal SELECT max(id) + 1, key, kind, outcome, events, epoch, at, checksum FROM journal WHERE id < ${row(0, 2)}`,
        'UPDATE runs SET seq = seq + 1 WHERE n = 1',
      ],
      [
        'an entry far after the last one',
        'JOURNAL_CORRUPT',
        `INSERT INTO journal SELECT ${row(0, 2) - 1}, key, kind, outcome, events, epoch, at, checksum FROM journal WHERE id = ${row(2)}`,
      ],
      [
        'two swapped entries',
        'JOURNAL_CORRUPT',
        `UPDATE journal SET id = -${row(3)} WHERE id = ${row(3)}`,
        `UPDATE journal SET id = ${row(3)} WHERE id = ${row(4)}`,
        `UPDATE journal SET id = ${row(4)} WHERE id = -${row(3)}`,
      ],
      [
        'reversed entries',
        'JOURNAL_CORRUPT',
        `UPDATE journal SET id = -id WHERE id < ${row(0, 2)}`,
        `UPDATE journal SET id = (SELECT max(-id) + min(-id) FROM journal WHERE id < 0) + id WHERE id < 0`,
      ],
      [
        "another run's entry",
        'JOURNAL_CORRUPT',
        `DELETE FROM journal WHERE id = ${row(4)}`,
        `UPDATE journal SET id = ${row(4)} WHERE id = ${row(4, 2)}`,
      ],
      [
        "another run's journal",
        'JOURNAL_CORRUPT',
        `DELETE FROM journal WHERE id < ${row(0, 2)}`,
        `UPDATE journal SET id = id - ${rowsPerRun}`,
      ],
      ['a smaller seq', 'JOURNAL_CORRUPT', 'UPDATE runs SET seq = seq - 1'],
      ['a greater seq', 'JOURNAL_CORRUPT', 'UPDATE runs SET seq = seq + 1'],
      ['the seq 0', 'JOURNAL_CORRUPT', 'UPDATE runs SET seq = 0'],
      ['an edited head', 'JOURNAL_CORRUPT', 'UPDATE runs SET head = hex(randomblob(8))'],
      ['an empty head', 'JOURNAL_CORRUPT', `UPDATE runs SET head = ''`],
      ["another run's head", 'JOURNAL_CORRUPT', 'UPDATE runs SET head = (SELECT head FROM runs WHERE n = 2) WHERE n = 1'],
      ['another run number', 'JOURNAL_CORRUPT', 'UPDATE runs SET n = 7 WHERE n = 1'],
      ['a missing row', 'RUN_UNKNOWN', 'DELETE FROM runs WHERE n = 1'],
    ];

    it.each(damages)('refuses %s with %s and runs no node', async (_name, code, ...statements) => {
      const { seen, untouched } = await viewsAfter((db) => {
        const rowsOf = (): unknown => [db.prepare('SELECT * FROM journal').all(), db.prepare('SELECT * FROM runs').all()];
        const before = rowsOf();
        for (const statement of statements) db.exec(statement);
        expect(rowsOf()).not.toEqual(before);
      });
      expect(seen).toEqual([code, code, code]);
      expect(untouched).toBe(true);
    });

    it('reads an undamaged copy with the same results', async () => {
      expect(await viewsAfter(() => {})).toEqual({ seen: finished.original, untouched: true });
    });

    it.each([
      ['was changed', 5, `UPDATE journal SET at = 0 WHERE id >= ${row(5)}`],
      ['is missing', 4, `DELETE FROM journal WHERE id = ${row(4)}`],
      ['is missing', 7, `DELETE FROM journal WHERE id > ${row(6)} AND id < ${row(0, 2)}`],
    ])('names the first entry that %s', async (what, seq, sql) => {
      const path = copyOf(finished.path);
      change(path, sql);
      const error = await refused(() => openStore(path).journal(finished.runId));
      expect(error.data).toEqual({ runId: finished.runId, seq, lastGood: seq - 1 });
      expect(error.message).toContain(`entry ${seq} ${what}`);
    });

    it('can still read other runs of the file', async () => {
      const path = copyOf(finished.path);
      change(path, `DELETE FROM journal WHERE id < ${row(0, 2)}`);
      const store = openStore(path);
      expect(await store.journal(finished.otherRunId)).toHaveLength(finished.length);
    });

    it.each([
      ...['running', 'paused', 'waiting', 'in_doubt', 'queued', 'failed', 'cancelled', 'nonsense'].map((status) => `status = '${status}'`),
      'epoch = 7',
      "workflow = 'x'",
      "version = '2'",
      "structure = 'x'",
      "thread = 't_2'",
      'thread_revision = 9',
      'crashes = 2',
      'started_at = 5',
      'updated_at = 5',
      'active_ms = 12345',
      'wake_at = 5',
      'priority = 5',
      "checksum = ''",
    ])('refuses a finished run with %s and runs no node', async (edit) => {
      const { seen, untouched } = await viewsAfter((db) => db.exec(`UPDATE runs SET ${edit} WHERE n = 1`));
      expect(seen).toEqual(['JOURNAL_CORRUPT', 'JOURNAL_CORRUPT', 'JOURNAL_CORRUPT']);
      expect(untouched).toBe(true);
    });

    it('refuses runs with swapped ids', async () => {
      const { runId, otherRunId } = finished;
      const { seen } = await viewsAfter((db) => {
        const rename = db.prepare('UPDATE runs SET id = ? WHERE id = ?');
        for (const [from, to] of [
          [runId, 'x'],
          [otherRunId, runId],
          ['x', otherRunId],
        ] as const) {
          rename.run(to, from);
        }
      });
      expect(seen).toEqual(['JOURNAL_CORRUPT', 'JOURNAL_CORRUPT', 'JOURNAL_CORRUPT']);
    });

    it('lists a damaged run along with the others', async () => {
      const path = copyOf(finished.path);
      change(path, "UPDATE runs SET status = 'waiting' WHERE n = 1");
      expect((await openStore(path).list({})).map(({ status }) => status)).toEqual(['done', 'waiting']);
    });

    it('refuses every flipped bit in every column of every entry', async () => {
      const path = newPath();
      const store = openStore(path, { durability: 'normal' });
      const { lease } = await store.create(newRun('r_1'), [entry(1, 'ü')], askAs('o_1'));
      await store.append(lease, entry(2, ['\u0000']), 0);
      await store.settle(lease, { status: 'done', activeMs: 0, entry: entry(3, null) });
      const original = await store.journal('r_1');
      const texts = ['key', 'kind', 'outcome', 'events', 'checksum'];
      const db = new DatabaseSync(path);
      db.exec('PRAGMA synchronous = OFF');
      let damages = 0;
      const holds = async (sql: string, value: SQLInputValue, before: SQLInputValue, id: number): Promise<void> => {
        const statement = db.prepare(sql);
        statement.run(value, id);
        damages++;
        if ((await outcomeOf(() => store.journal('r_1'))) !== 'JOURNAL_CORRUPT') expect.unreachable(`${sql} [${String(value)}, ${id}]`);
        statement.run(before, id);
      };
      for (const id of [1, 2, 3].map((seq) => row(seq))) {
        for (const column of texts) {
          const sql = `UPDATE journal SET ${column} = CAST(? AS TEXT) WHERE id = ?`;
          const bytes = db.prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM journal WHERE id = ?`).get(id)?.bytes;
          if (!(bytes instanceof Uint8Array)) return expect.unreachable(column);
          for (let place = 0; place < bytes.length; place++) {
            for (let bit = 0; bit < 8; bit++) {
              const flipped = bytes.slice();
              flipped[place] = (flipped[place] ?? 0) ^ (1 << bit);
              await holds(sql, flipped, bytes, id);
            }
          }
        }
        for (const column of ['epoch', 'at']) {
          const value = Number(db.prepare(`SELECT ${column} FROM journal WHERE id = ?`).get(id)?.[column]);
          for (let bit = 0; bit < 48; bit++) {
            const flipped = Number(BigInt(value) ^ (1n << BigInt(bit)));
            await holds(`UPDATE journal SET ${column} = ? WHERE id = ?`, flipped, value, id);
          }
        }
      }
      db.close();
      expect(damages).toBeGreaterThan(2_500);
      expect(await store.journal('r_1')).toEqual(original);
    });

    describe('of a run whose process has died', () => {
      /** The files of a store in the middle of a run, as a crash would leave them. */
      const crash = async (): Promise<{ readonly path: string; readonly runId: string; readonly length: number }> => {
        const live = newPath();
        const store = openStore(live);
        let reached: () => void = () => {};
        const inRight = new Promise<void>((resolve) => {
          reached = resolve;
        });
        const stuck: ScenarioNodes['right'] = (_state, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            reached();
          });
        const runtime = createRuntime({ store });
        const run = runtime.start(scenario({ a: note('a'), left: note('left'), right: stuck, c: note('c') }), null);
        await inRight;
        await vi.waitFor(async () => expect((await store.journal(run.id)).at(-1)?.key).toBe('both.left.run#1'));
        const path = newPath();
        copyFileSync(live, path);
        copyFileSync(`${live}-wal`, `${path}-wal`);
        const { length } = await store.journal(run.id);
        await runtime.close();
        return { path, runId: run.id, length };
      };

      it('resumes from an undamaged journal without repeating its steps', async () => {
        const { path, runId, length } = await crash();
        const store = openStore(path);
        expect(await store.read(runId)).toMatchObject({ status: 'running', seq: length });
        const before = calls;
        const runtime = createRuntime({ store, workflows: [workflow] });
        expect(await (await runtime.resume(runId, { force: true })).result).toMatchObject({ status: 'waiting' });
        expect(calls - before).toBe(1); // `right` alone
        await runtime.close();
      });

      it('refuses a truncated tail of any length and runs no node', async () => {
        const { path, runId, length } = await crash();
        inDatabase(path, (db) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
        const before = calls;
        for (let kept = length - 1; kept >= 0; kept--) {
          change(path, `DELETE FROM journal WHERE id > ${row(kept)}`);
          const store = sqliteStore({ path });
          const code = kept === 0 ? 'JOURNAL_MISSING' : 'JOURNAL_CORRUPT';
          expect(await viewsOf(store, runId)).toEqual([code, code, code]);
          await store.close();
        }
        expect(calls - before).toBe(0);
      });
    });

    describe('with random damage', () => {
      const seqs = fc.integer({ min: 0, max: 24 });
      const id = fc.tuple(seqs, fc.constantFrom(1, 1, 1, 2)).map(([seq, run]) => row(seq, run));
      const columns = fc.constantFrom('key', 'kind', 'outcome', 'events', 'epoch', 'at', 'checksum', 'id');
      const text = fc.oneof(fc.string(), fc.constantFrom('', 'null', '{}', '[]', 'settle', 'start', 'node', '{"status":"done"}'));
      const number = fc.oneof(fc.integer({ min: -2, max: 40 }), fc.maxSafeInteger());
      const sql = (text: TemplateStringsArray, ...values: readonly unknown[]): string => String.raw(text, ...values);
      const quoted = (value: string): string => `CAST(x'${Buffer.from(value).toString('hex')}' AS TEXT)`;
      const from = 'kind, outcome, events, epoch, at, checksum FROM journal';
      const damage = fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .tuple(id, columns, text)
            .map(([at, to, value]) => sql`UPDATE journal SET ${to} = ${quoted(value)} WHERE id = ${at}`),
        },
        {
          weight: 3,
          arbitrary: fc.tuple(id, columns, number).map(([at, to, value]) => sql`UPDATE journal SET ${to} = ${value} WHERE id = ${at}`),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(id, id, columns)
            .map(([at, other, to]) => sql`UPDATE journal SET ${to} = (SELECT ${to} FROM journal WHERE id = ${other}) WHERE id = ${at}`),
        },
        { weight: 2, arbitrary: id.map((at) => sql`DELETE FROM journal WHERE id = ${at}`) },
        { weight: 2, arbitrary: seqs.map((seq) => sql`DELETE FROM journal WHERE id > ${row(seq)} AND id < ${row(0, 2)}`) },
        {
          weight: 2,
          arbitrary: fc.tuple(id, id).map(([at, other]) => sql`INSERT INTO journal SELECT ${at}, key, ${from} WHERE id = ${other}`),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(id, id)
            .map(
              ([a, b]) =>
                sql`UPDATE journal SET id = -1 WHERE id = ${a}; UPDATE journal SET id = ${a} WHERE id = ${b}; UPDATE journal SET id = ${b} WHERE id = -1`,
            ),
        },
        { weight: 2, arbitrary: seqs.map((seq) => sql`UPDATE runs SET seq = ${seq} WHERE n = 1`) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(fc.constantFrom('workflow', 'version', 'structure', 'thread', 'status', 'head', 'checksum'), text)
            .map(([to, value]) => sql`UPDATE runs SET ${to} = ${quoted(value)} WHERE n = 1`),
        },
        {
          weight: 2,
          arbitrary: fc
            .tuple(
              fc.constantFrom('thread_revision', 'epoch', 'crashes', 'active_ms', 'started_at', 'updated_at', 'wake_at', 'priority'),
              number,
            )
            .map(([to, value]) => sql`UPDATE runs SET ${to} = ${value} WHERE n = 1`),
        },
        {
          weight: 1,
          arbitrary: id.map((at) => sql`UPDATE runs SET head = (SELECT checksum FROM journal WHERE id = ${at}) WHERE n = 1`),
        },
        {
          weight: 1,
          arbitrary: fc.constantFrom('UPDATE runs SET n = 3 - n + 10', 'UPDATE runs SET n = 3 WHERE n = 1', 'DELETE FROM runs WHERE n = 1'),
        },
        { weight: 1, arbitrary: fc.constantFrom('UPDATE runs SET head = NULL', 'UPDATE journal SET checksum = head FROM runs') },
      );

      it('refuses it or returns the same results', async () => {
        let refusals = 0;
        let unchanged = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (statements) => {
            const { seen, untouched } = await viewsAfter((db) => {
              for (const statement of statements) {
                try {
                  db.exec(statement);
                } catch {
                  // the tables themselves refuse it, such as text in a column of numbers: the other statements remain
                }
              }
            });
            for (const [index, view] of seen.entries()) {
              if (typeof view === 'string') expect(view).toMatch(/^(JOURNAL_|STORE_|RUN_UNKNOWN$)/);
              else expect(view).toEqual(finished.original[index]);
            }
            expect(untouched).toBe(true);
            if (seen.every((view) => typeof view === 'string')) refusals++;
            else unchanged++;
          }),
          { numRuns: 250 },
        );
        // the property says nothing when one of the two never happens
        expect(refusals).toBeGreaterThan(50);
        expect(unchanged).toBeGreaterThan(5);
      });

      it('refuses any flipped bit of the file or returns the same journal', async () => {
        const bytes = readFileSync(finished.path);
        const history = finished.original[2];
        await fc.assert(
          fc.asyncProperty(fc.nat({ max: bytes.length * 8 - 1 }), async (bit) => {
            const path = newPath();
            const flipped = Buffer.from(bytes);
            flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
            writeFileSync(path, flipped);
            const seen = await outcomeOf(async () => {
              const store = openStore(path, { durability: 'normal' });
              return store.journal(finished.runId);
            });
            await open.pop()?.close();
            rmSync(path);
            if (typeof seen === 'string') expect(seen).toMatch(/^(JOURNAL_|STORE_|RUN_UNKNOWN$)/);
            else expect(seen).toEqual(history);
          }),
          { numRuns: 250 },
        );
      });
    });
  });

  describe('with a damaged thread', () => {
    const withThread = async (): Promise<string> => {
      const path = newPath();
      const store = sqliteStore({ path });
      const { lease } = await store.create(newRun('r_1', { threadId: 't_1' }), [entry(1)], askAs('o_1'));
      await store.settle(lease, { status: 'failed', activeMs: 0, threadState: { turns: ['one'] } });
      const next = await store.create(newRun('r_2', { threadId: 't_1' }), [entry(1)], askAs('o_1'));
      await store.settle(next.lease, { status: 'failed', activeMs: 0 });
      await store.close();
      return path;
    };

    it.each([
      ['an edited state', `UPDATE threads SET state = '{"turns":["two"]}'`],
      ['a state with an extra space', `UPDATE threads SET state = state || ' '`],
      ['a state that is not JSON', `UPDATE threads SET state = '{'`],
      ['an older revision', 'UPDATE threads SET revision = revision - 1'],
      ['a newer revision', 'UPDATE threads SET revision = revision + 1'],
      ['an edited checksum', 'UPDATE threads SET checksum = hex(randomblob(8))'],
      ['an empty checksum', `UPDATE threads SET checksum = ''`],
      ['another owner', "UPDATE threads SET active_run = 'r_1'"],
      ['another workflow', "UPDATE threads SET workflow = 'x'"],
    ])('refuses %s and changes nothing', async (_name, sql) => {
      const path = await withThread();
      change(path, sql);
      const store = openStore(path);
      const before = await store.list({});
      expect((await refused(() => store.readThread('t_1'))).code).toBe('JOURNAL_CORRUPT');
      expect((await refused(() => store.create(newRun('r_3', { threadId: 't_1' }), [entry(1)], askAs('o_2')))).code).toBe(
        'JOURNAL_CORRUPT',
      );
      expect(await outcomeOf(() => store.acquire('r_2', askAs('o_2')))).toMatch(/^(JOURNAL_CORRUPT|THREAD_MOVED_ON)$/);
      expect(await store.list({})).toEqual(before);
      expect((await refused(() => store.readThread('t_1'))).code).toBe('JOURNAL_CORRUPT');
    });

    it('refuses a settlement that would hide the damage', async () => {
      const path = newPath();
      const store = openStore(path);
      const { lease } = await store.create(newRun('r_1', { threadId: 't_1' }), [entry(1)], askAs('o_1'));
      change(path, `UPDATE threads SET state = '{"n":666}'`);
      expect((await refused(() => store.settle(lease, { status: 'done', activeMs: 0 }))).code).toBe('JOURNAL_CORRUPT');
      expect((await refused(() => store.readThread('t_1'))).code).toBe('JOURNAL_CORRUPT');
    });

    it('refuses the state of another thread', async () => {
      const path = await withThread();
      const store = openStore(path);
      const { lease } = await store.create(newRun('r_3', { threadId: 't_2' }), [entry(1)], askAs('o_1'));
      await store.settle(lease, { status: 'done', activeMs: 0, threadState: 'of the second' });
      change(path, 'UPDATE threads SET (revision, state, checksum) = (SELECT revision, state, checksum FROM threads WHERE id = ?)', 't_2');
      expect((await refused(() => store.readThread('t_1'))).code).toBe('JOURNAL_CORRUPT');
      expect((await store.readThread('t_2'))?.state).toBe('of the second');
    });
  });

  describe('with an unusable file', () => {
    it.each([
      ['text', Buffer.from('This is a letter to somebody.\n'.repeat(200))],
      ['zeros', Buffer.alloc(8_192)],
      ['only the header of a database', Buffer.from('SQLite format 3\0')],
    ])('refuses %s and leaves it unchanged', async (_name, bytes) => {
      const path = newPath();
      writeFileSync(path, bytes);
      const error = await refused(() => openStore(path));
      expect([error.code, error.retryable, error.message.includes(path)]).toEqual(['STORE_UNAVAILABLE', true, true]);
      expect(readFileSync(path).equals(bytes)).toBe(true);
    });

    it('uses an empty file', async () => {
      const path = newPath();
      writeFileSync(path, '');
      await openStore(path).create(newRun('r_1'), [entry(1)], askAs('o_1'));
      expect(await openStore(path).journal('r_1')).toEqual([entry(1)]);
    });

    it('refuses a truncated file or reads the whole journal', async () => {
      const pageSize = inDatabase(finished.path, (db) => Number(db.prepare('PRAGMA page_size').get()?.page_size));
      const size = readFileSync(finished.path).length;
      const lengths = [2, 15, 16, 99, 100, 101, 511, 512]; // SQLite takes a file of one byte for a new one
      for (let page = pageSize; page < size; page += pageSize) lengths.push(page - 1, page, page + 1);
      lengths.push(size - 1);
      let refusals = 0;
      for (const length of lengths) {
        const path = copyOf(finished.path);
        truncateSync(path, length);
        const seen = await outcomeOf(() => openStore(path).journal(finished.runId));
        if (typeof seen === 'string') expect([length, seen]).toEqual([length, expect.stringMatching(/^(STORE_|JOURNAL_)/)]);
        else expect([length, seen]).toEqual([length, finished.original[2]]);
        if (typeof seen === 'string') refusals++;
      }
      expect(refusals).toBeGreaterThan(lengths.length / 2);
    });

    it('refuses a database of another program and keeps its data', async () => {
      const path = newPath();
      change(path, 'CREATE TABLE addresses (name TEXT)');
      change(path, `INSERT INTO addresses VALUES ('Ada')`);
      const bytes = readFileSync(path);
      const error = await refused(() => openStore(path));
      expect([error.code, error.retryable]).toEqual(['STORE_VERSION', false]);
      expect(error.message).toContain('another program');
      expect(readFileSync(path).equals(bytes)).toBe(true);
      inDatabase(path, (db) => {
        expect(db.prepare('SELECT name FROM addresses').all()).toEqual([{ name: 'Ada' }]);
        expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'addresses' }]);
        expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
      });
    });

    it('refuses a database of another program with a matching version', async () => {
      const path = newPath();
      const version = inDatabase(finished.path, (db) => Number(db.prepare('PRAGMA user_version').get()?.user_version));
      inDatabase(path, (db) => db.exec(`CREATE TABLE runs (id TEXT); PRAGMA user_version = ${version}; PRAGMA application_id = 7`));
      expect((await refused(() => openStore(path))).code).toBe('STORE_VERSION');
    });

    it.each([1, 1_000])('refuses a database that is newer by %i and leaves it unchanged', async (more) => {
      const path = copyOf(finished.path);
      const rowsOf = (): unknown => inDatabase(path, (db) => db.prepare('SELECT * FROM runs').all());
      const before = rowsOf();
      const version = inDatabase(path, (db) => Number(db.prepare('PRAGMA user_version').get()?.user_version)) + more;
      inDatabase(path, (db) => db.exec(`PRAGMA user_version = ${version}`));
      const error = await refused(() => openStore(path));
      expect([error.code, error.retryable, error.data]).toEqual(['STORE_VERSION', false, { version, known: version - more }]);
      expect(error.message).toContain('newer');
      expect(rowsOf()).toEqual(before);
      expect(inDatabase(path, (db) => db.prepare('PRAGMA user_version').get())).toEqual({ user_version: version });
    });

    it('rolls back a migration that fails halfway', async () => {
      const path = newPath();
      const applicationId = inDatabase(finished.path, (db) => Number(db.prepare('PRAGMA application_id').get()?.application_id));
      // the last table of the migration is in its way
      inDatabase(path, (db) => db.exec(`CREATE TABLE structures (other TEXT); PRAGMA application_id = ${applicationId}`));
      expect((await refused(() => openStore(path))).code).toBe('STORE_UNAVAILABLE');
      inDatabase(path, (db) => {
        expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'structures' }]);
        expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
        db.exec('DROP TABLE structures');
      });
      await openStore(path).create(newRun('r_1'), [entry(1)], askAs('o_1'));
    });

    it('refuses a folder as its path', async () => {
      const path = newPath();
      mkdirSync(path);
      expect((await refused(() => openStore(path))).code).toBe('STORE_UNAVAILABLE');
    });

    it('refuses a path below a file', async () => {
      const path = newPath();
      writeFileSync(path, 'a file');
      expect((await refused(() => openStore(join(path, 'agents.db')))).code).toBe('STORE_UNAVAILABLE');
    });

    it('creates the folders of its path', async () => {
      const path = join(newPath(), 'of', 'agents.db');
      openStore(path);
      expect(existsSync(path)).toBe(true);
    });

    it('fails if its folder cannot be created, also below /proc', async () => {
      expect((await refused(() => openStore('/proc/agent-machines/agents.db'))).code).toBe('STORE_UNAVAILABLE');
    });

    describe('without write permission', () => {
      it.each([
        ['file', 0o444, 0o777],
        ['file and folder', 0o444, 0o555],
        ['folder', 0o666, 0o555],
      ])('refuses a read-only %s and leaves its runs readable', async (_name, fileMode, folderMode) => {
        const place = newPath();
        mkdirSync(place);
        const path = join(place, 'agents.db');
        copyFileSync(finished.path, path);
        const bytes = readFileSync(path);
        await chmod(path, fileMode);
        await chmod(place, folderMode);
        await chmod(dirname(place), 0o755);
        const child = startProcess(['try-as-nobody', path, 'r_1']);
        expect(await child.line(0)).toMatch(/^STORE_UNAVAILABLE: /);
        await child.ended;
        await chmod(place, 0o755);
        await chmod(path, 0o644);
        expect(readFileSync(path).equals(bytes)).toBe(true);
        expect(await openStore(path).journal(finished.runId)).toHaveLength(finished.length);
      });

      it('writes if the same user has the permission', async () => {
        const place = newPath();
        mkdirSync(place);
        const path = join(place, 'agents.db');
        copyFileSync(finished.path, path);
        await chmod(path, 0o666);
        await chmod(place, 0o777);
        await chmod(dirname(place), 0o755);
        expect(await startProcess(['try-as-nobody', path, 'r_1']).line(0)).toBe('ok');
      });
    });
  });

  describe('with a durability', () => {
    it.each([
      ['full', 2],
      ['normal', 1],
    ] as const)('sets the durability %s', (durability, synchronous) => {
      const { db } = openWithConnection(newPath(), { durability, busyTimeoutMs: 123 });
      expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous });
      expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5 }); // the rest is waited for by the event loop
    });

    it('sets full durability by default', () => {
      const { db } = openWithConnection(newPath());
      expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    });

    it('sets the durability of an existing file', () => {
      const { db } = openWithConnection(copyOf(finished.path));
      expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    });
  });

  describe('when a write fails', () => {
    const writes: Readonly<Record<string, (store: RunStore) => unknown>> = {
      append: (store) => store.append({ runId: 'r_1', epoch: 1 }, entry(2), 5),
      settle: (store) =>
        store.settle({ runId: 'r_1', epoch: 1 }, { status: 'done', activeMs: 5, entry: entry(2), wakeAt: 5, threadState: 'new' }),
      acquire: (store) => store.acquire('r_0', askAs('o_2')),
      'create in a free thread': (store) => store.create(newRun('r_2', { threadId: 't_0' }), [entry(1)], askAs('o_1')),
      'create in a new thread': (store) => store.create(newRun('r_2', { threadId: 't_2' }), [entry(1)], askAs('o_1')),
      'create in the queue': (store) => store.create(newRun('r_2', { threadId: 't_1', ifBusy: 'queue' }), [entry(1)], askAs('o_1')),
    };
    it.each([
      ['append', 'INSERT ON journal'],
      ['append', 'UPDATE ON journal'],
      ['settle', 'INSERT ON journal'],
      ['settle', 'UPDATE ON runs'],
      ['settle', 'UPDATE ON threads'],
      ['acquire', 'UPDATE ON threads'],
      ['acquire', 'UPDATE ON runs'],
      ['create in a free thread', 'UPDATE ON threads'],
      ['create in a free thread', 'INSERT ON runs'],
      ['create in a free thread', 'INSERT ON journal'],
      ['create in a new thread', 'INSERT ON threads'],
      ['create in a new thread', 'INSERT ON runs'],
      ['create in a new thread', 'INSERT ON journal'],
      ['create in the queue', 'INSERT ON journal'],
    ])('rolls back %s when its %s fails and succeeds later', async (name, statement) => {
      const path = newPath();
      const store = openStore(path);
      const write = writes[name] ?? expect.unreachable(name);
      await store.create(newRun('r_1', { threadId: 't_1' }), [entry(1)], askAs('o_1'));
      const { lease } = await store.create(newRun('r_0', { threadId: 't_0' }), [entry(1)], askAs('o_1'));
      await store.settle(lease, { status: 'failed', activeMs: 0 });
      const before = rowsIn(path);
      inDatabase(path, (db) => db.exec(`CREATE TRIGGER stop AFTER ${statement} BEGIN SELECT RAISE(ABORT, 'stopped'); END`));
      const error = await refused(() => write(store));
      expect([error.code, error.retryable]).toEqual(['STORE_UNAVAILABLE', true]);
      expect(error.message).toContain('stopped');
      expect(rowsIn(path)).toEqual(before);
      change(path, 'DROP TRIGGER stop');
      await write(store);
      expect(rowsIn(path)).not.toEqual(before);
    });

    it('fails when the disk is full, keeps all entries and continues when there is space', async () => {
      const path = newPath();
      const { store, db } = openWithConnection(path);
      const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
      const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count);
      db.exec(`PRAGMA max_page_count = ${pages + 8}`);
      const text = 'x'.repeat(5_000);
      let seq = 1;
      for (;;) {
        const outcome = await outcomeOf(() => store.append(lease, entry(seq + 1, text), 0));
        if (outcome !== undefined) {
          expect(outcome).toBe('STORE_UNAVAILABLE');
          break;
        }
        seq++;
      }
      expect(seq).toBeGreaterThan(1);
      expect((await refused(() => store.append(lease, entry(seq + 1, text), 0))).message).toContain('full');
      expect(await store.journal('r_1')).toHaveLength(seq);
      db.exec('PRAGMA max_page_count = 100000');
      await store.append(lease, entry(seq + 1, text), 0);
      expect(await openStore(path).journal('r_1')).toHaveLength(seq + 1);
    });

    it('fails after another process has held the lock too long and continues later', async () => {
      const path = newPath();
      const store = openStore(path, { busyTimeoutMs: 1 });
      const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
      const other = new DatabaseSync(path);
      other.exec('BEGIN IMMEDIATE');
      const error = await refused(() => store.append(lease, entry(2), 0));
      expect([error.code, error.retryable]).toEqual(['STORE_UNAVAILABLE', true]);
      expect(await store.journal('r_1')).toEqual([entry(1)]); // readers do not wait
      other.exec('ROLLBACK');
      other.close();
      await store.append(lease, entry(2), 0);
      expect(await store.journal('r_1')).toEqual([entry(1), entry(2)]);
    });

    it('refuses every call after it was closed and closes twice', async () => {
      const store = openStore(newPath());
      const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
      await store.close();
      await store.close();
      const works = [
        () => store.create(newRun('r_2'), [entry(1)], askAs('o_1')),
        () => store.acquire('r_1', askAs('o_1')),
        () => store.renew(lease, askAs('o_1')),
        () => store.append(lease, entry(2), 0),
        () => store.settle(lease, { status: 'done', activeMs: 0 }),
        () => store.read('r_1'),
        () => store.journal('r_1'),
        () => store.list({}),
        () => store.readThread('t_1'),
        () => store.saveStructure('hash', {}),
        () => store.readStructure('hash'),
      ];
      for (const work of works) expect((await refused(work)).code).toBe('STORE_UNAVAILABLE');
    });
  });

  describe('between processes', () => {
    const live = (): LeaseRequest => ({ ...askAs('o_here', Date.now()), monotonic: performance.now() });

    it('refuses a run that a live process drives', async () => {
      const path = newPath();
      const store = openStore(path);
      const child = startProcess(['hold', path, 'r_1', '1000000000']);
      expect(await child.line(0)).toBe('holds');
      const error = await refused(() => store.acquire('r_1', live()));
      expect(error.code).toBe('RUN_BUSY');
      expect(error.data?.owner).toMatch(new RegExp(`^${hostname()}:${child.pid}:\\d+:[^/]*/o_r_1$`));
      expect(error.data?.ownerMayBeGone).toBe(false);
      child.say('append');
      expect(await child.line(1)).toBe('ok');
      expect(await store.journal('r_1')).toHaveLength(2);
    });

    it('hands over the run of a killed process before its lease expires', async () => {
      const path = newPath();
      const store = openStore(path);
      const child = startProcess(['hold', path, 'r_1', '1000000000']);
      expect(await child.line(0)).toBe('holds');
      child.kill('SIGKILL');
      await child.ended;
      const { lease, record, thread } = await store.acquire('r_1', live());
      expect([lease.epoch, record.crashes, thread?.activeRun]).toEqual([2, 1, 'r_1']);
      await store.append(lease, entry(2), 0);
    });

    it('protects the run of a stopped process until its lease expires and then fences the process', async () => {
      const path = newPath();
      const store = openStore(path);
      const child = startProcess(['hold', path, 'r_1', '1000000']);
      expect(await child.line(0)).toBe('holds');
      child.kill('SIGSTOP');
      for (const laterMs of [0, 999_999]) {
        expect((await refused(() => store.acquire('r_1', askAs('o_here', startMs + laterMs)))).code).toBe('RUN_BUSY');
      }
      const { lease } = await store.acquire('r_1', askAs('o_here', startMs + 1_000_000));
      const tell = async (): Promise<unknown> => [await store.read('r_1'), await store.journal('r_1'), await store.readThread('t_1')];
      const before = await tell();
      child.kill('SIGCONT');
      for (const [index, write] of ['append', 'renew', 'settle'].entries()) {
        child.say(write);
        expect(await child.line(index + 1)).toMatch(/^RUN_FENCED: /);
        expect(await tell()).toEqual(before);
      }
      await store.append(lease, entry(2), 0);
      expect(await store.journal('r_1')).toHaveLength(2);
    });

    const named = (more: Partial<ProcessIdentity>): string => `${toName({ ...ownProcess, ...more })}/o_9`;
    const noProcess = { pid: String(2 ** 22 + 1), startedAt: '1' };
    it.each([
      ['a process that has ended', named(noProcess), 'given'],
      ['a process whose id was reused', named({ startedAt: '1' }), 'given'],
      ['a runtime of this process', `${processName}/o_9`, 'busy'],
      ['a process on another machine', named({ ...noProcess, host: 'other', boot: 'other', machine: 'other' }), 'in question'],
      ['a process in another container with the same name', named({ ...noProcess, pidNamespace: '4026532000' }), 'in question'],
      ['a process on an unnamed machine', `${hostname()}:${2 ** 22 + 1}:1/o_9`, 'in question'],
      ['an unknown owner', 'nobody', 'in question'],
    ])('decides on the lease of %s', async (_name, owner, expected) => {
      const path = newPath();
      const store = openStore(path);
      await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
      change(path, 'UPDATE runs SET owner = ?', owner);
      const dayMs = 86_400_000;
      for (const laterMs of [-dayMs, 0, dayMs]) {
        const seen = await outcomeOf(() => store.acquire('r_1', { ...askAs('o_2'), now: startMs + laterMs }));
        if (expected === 'given') return expect(seen).toMatchObject({ record: { epoch: 2 } });
        expect(seen).toBe('RUN_BUSY');
        const { data } = await refused(() => store.acquire('r_1', askAs('o_2')));
        expect(data?.ownerMayBeGone).toBe(expected === 'in question');
      }
      await store.acquire('r_1', askAs('o_2', startMs + leaseMs)); // an expired lease keeps nobody out
    });

    it('protects the run of a live process in another container with the same name', async () => {
      const path = newPath();
      const store = openStore(path);
      const child = startProcess(['hold', path, 'r_1', '30000'], { container: true });
      expect(await child.line(0)).toBe('holds');
      const first = await refused(() => store.acquire('r_1', live()));
      expect([first.code, first.data?.ownerMayBeGone]).toEqual(['RUN_BUSY', true]);
      const owner = String(first.data?.owner);
      expect(owner).toMatch(new RegExp(`^${hostname()}:`));
      expect(store.mayLive(owner)).toBe(true);
      child.say('renew');
      expect(await child.line(1)).toBe('ok');
      const second = await refused(() => store.acquire('r_1', { ...live(), now: Date.now() + 86_400_000 }));
      expect([second.code, second.data?.ownerMayBeGone]).toEqual(['RUN_BUSY', false]);
      child.say('append');
      expect(await child.line(2)).toBe('ok');
    });

    it('keeps the place of a queued run whose process is gone and hands over that run at once', async () => {
      const path = newPath();
      const store = openStore(path);
      const { lease } = await store.create(newRun('r_1', { threadId: 't_1' }), [entry(1)], askAs('o_1'));
      await store.create(newRun('r_2', { threadId: 't_1', ifBusy: 'queue' }), [entry(1)], askAs('o_2'));
      await store.create(newRun('r_3', { threadId: 't_1', ifBusy: 'queue' }), [entry(1)], askAs('o_3'));
      await store.settle(lease, { status: 'done', activeMs: 0 });
      expect((await refused(() => store.acquire('r_3', askAs('o_3')))).code).toBe('THREAD_BUSY');
      change(path, 'UPDATE runs SET owner = ? WHERE id = ?', named({ pid: String(2 ** 22 + 1) }), 'r_2');
      expect((await refused(() => store.acquire('r_3', askAs('o_3')))).code).toBe('THREAD_BUSY');
      const { lease: next, thread } = await store.acquire('r_2', askAs('o_3'));
      expect(thread?.activeRun).toBe('r_2');
      await store.settle(next, { status: 'done', activeMs: 0 });
      expect((await store.acquire('r_3', askAs('o_3'))).thread?.activeRun).toBe('r_3');
    });

    it('keeps every commit of eight processes that write to one file', async () => {
      const path = newPath();
      const store = openStore(path);
      const commits = 200;
      const ids = Array.from({ length: 8 }, (_, index) => `r_${index}`);
      const writers = ids.map((id) => startProcess(['commit', path, id, String(commits)]));
      for (const writer of writers) expect(await writer.line(0)).toBe('ready');
      for (const writer of writers) writer.say('go');
      for (const writer of writers) expect(await writer.line(1)).toBe('ok');
      for (const id of ids) {
        const journal = await store.journal(id);
        expect(journal.map(({ seq }) => seq)).toEqual(Array.from({ length: commits }, (_, index) => index + 1));
        expect(journal.at(-1)?.outcome).toEqual({ output: `text ${commits}` });
      }
    });

    it('opens a new file in eight processes at once', async () => {
      for (let round = 0; round < share(5, 2); round++) {
        const path = newPath();
        const openers = Array.from({ length: 8 }, (_, index) => startProcess(['open', path, `r_${index}`]));
        for (const opener of openers) expect(await opener.line(0)).toBe('ready');
        for (const opener of openers) opener.say('go');
        for (const opener of openers) expect(await opener.line(1)).toBe('ok');
        expect(await openStore(path).list({})).toHaveLength(8);
      }
    });

    it('reads a valid journal while another process writes to it', async () => {
      const path = newPath();
      const store = openStore(path);
      const child = startProcess(['commit-forever', path, 'r_1', '10']);
      await child.line(0);
      const lengths = new Set<number>();
      while (child.lines.length < 2_000 || lengths.size < 3) {
        for (let read = 0; read < 20; read++) lengths.add((await store.journal('r_1')).length);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(lengths.size).toBeGreaterThan(2); // it was read while it grew
    });

    it('keeps every acknowledged entry when its process is killed inside a commit', async () => {
      const killsPerFile = 10;
      // the second kind of process writes so much that it also dies while SQLite moves its log into the file
      const small = fc.record({ wait: fc.nat({ max: 12 }), letters: fc.constant(40_000) });
      const great = fc.record({ wait: fc.integer({ min: 46, max: 54 }), letters: fc.constant(400_000) });
      const plans = [...fc.sample(great, share(8)), ...fc.sample(small, share(192, 28))];

      /** Lets a process append until it has acknowledged some entries, kills it, and looks at what it has left. */
      const killOne = async (path: string, id: string, { wait, letters }: (typeof plans)[number]): Promise<void> => {
        const child = startProcess(['commit-forever', path, id, String(letters)]);
        await child.line(wait);
        child.kill('SIGKILL');
        await child.ended;
        const acknowledged = Number(child.lines.at(-1));
        expect(acknowledged).toBeGreaterThan(wait);
        const store = sqliteStore({ path });
        const { length } = await store.journal(id);
        await store.close();
        // the one entry more was durable before the process could say so
        expect([acknowledged, acknowledged + 1], `${id} of ${path}`).toContain(length);
        const integrity = inDatabase(path, (db) => db.prepare('PRAGMA integrity_check').all());
        expect(integrity, `${id} of ${path}`).toEqual([{ integrity_check: 'ok' }]);
      };
      /** One process after the other on a file of its own, until nothing is left to do. */
      const lane = async (): Promise<void> => {
        while (plans.length > 0) {
          const path = newPath();
          for (const [index, plan] of plans.splice(0, killsPerFile).entries()) await killOne(path, `r_${index}`, plan);
        }
      };
      // a process that ends by itself leaves its compiled code to those that are killed: they start in a third of the time
      await startProcess(['try', newPath(), 'r_1']).ended;
      await Promise.all([lane(), lane()]);
    });
  });

  describe('at its limits', () => {
    it('refuses the entry after the last possible one but still settles the run', async () => {
      const path = newPath();
      const store = openStore(path);
      const { lease } = await store.create(newRun('r_1'), [entry(1)], askAs('o_1'));
      inDatabase(path, (db) => {
        const run = db.prepare('SELECT * FROM runs').get() as unknown as Parameters<typeof toTailRow>[0];
        const { checksum } = toTailRow({ ...run, seq: 999_997 });
        db.prepare("UPDATE journal SET id = ?, key = '', checksum = ? WHERE kind = 'tail'").run(row(999_998), checksum);
      });
      await store.append(lease, entry(999_998), 0);
      const error = await refused(() => store.append(lease, entry(999_999), 0));
      expect([error.code, error.data?.limit]).toEqual(['LIMIT_EXCEEDED', 'journalEntries']);
      await store.settle(lease, { status: 'failed', activeMs: 0, entry: entry(999_999) });
      const again = await store.acquire('r_1', askAs('o_1'));
      const last = { status: 'failed', activeMs: 0, entry: entry(1_000_000) } as const;
      expect((await refused(() => store.settle(again.lease, last))).code).toBe('LIMIT_EXCEEDED');
      await store.create(newRun('r_2'), [entry(1)], askAs('o_1'));
    });

    it('keeps fractional times', async () => {
      const store = openStore(':memory:');
      const { lease } = await store.create(newRun('r_1'), [{ ...entry(1), at: startMs + 0.25 }], askAs('o_1', startMs + 0.5));
      await store.settle(lease, { status: 'waiting', activeMs: 1.5, wakeAt: startMs + 0.75 });
      expect(await store.read('r_1')).toMatchObject({ startedAt: startMs + 0.5, activeMs: 1.5, wakeAt: startMs + 0.75 });
      expect((await store.journal('r_1'))[0]?.at).toBe(startMs + 0.25);
    });

    it('keeps the lease of an owner with a slash in its name', async () => {
      const store = openStore(':memory:');
      await store.create(newRun('r_1'), [entry(1)], askAs('worker/1'));
      expect((await refused(() => store.acquire('r_1', askAs('worker/2')))).code).toBe('RUN_BUSY');
    });

    it('lists all runs if the limit is Infinity', async () => {
      const store = openStore(':memory:');
      for (let run = 0; run < 120; run++) await store.create(newRun(`r_${run}`), [entry(1)], askAs('o_1'));
      expect(await store.list({ limit: Number.POSITIVE_INFINITY })).toHaveLength(120);
    });
  });
});
