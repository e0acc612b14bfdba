import type { FoundThread } from '../../core/ports/run-storage.ts';
import { threadLost } from '../../engine/store/store-errors.ts';
import { encryptionNote } from '../../engine/store/store-key.ts';
import {
  changingColumns,
  checksummedText,
  type EntryRow,
  type KnownRow,
  type RunRow,
  runColumns,
  type Stored,
  type ThreadRow,
} from '../rows/run-rows.ts';
import type { PostgresDatabase, TextRow } from './database/postgres-database.ts';
import { dollars, entryColumns, threadColumns, toThreadRow, valuesOf } from './postgres-rows.ts';
import type { PostgresTables } from './postgres-schema.ts';
import type { PostgresThreads } from './postgres-threads.ts';

/** Thread as it was read. */
export interface VersionedThread extends FoundThread {
  readonly id: string;
  /** Changes with every write to the row, even if the values are the same as before. Absent while there is no row. */
  readonly version?: string | undefined;
}

/** Change of a thread together with its run. */
export interface KnownThread {
  readonly seen: VersionedThread;
  /** Absent if the thread does not change. */
  readonly next: Stored<ThreadRow> | undefined;
}

/**
 * Changes that apply only if the rows equal the known ones, each in one statement and so one transaction. They return `false` if a row
 * differs, and `undefined` if the connection was lost and the result is unknown.
 */
export interface PostgresKnownRuns {
  /** Reads a thread and its first queued run. @throws {WorkflowError} `JOURNAL_CORRUPT`. */
  readThread(threadId: string): Promise<VersionedThread>;
  /** Creates a run with its first entry, and makes it the owner of its thread if it has one. Returns its number. */
  begin(
    run: RunRow,
    entry: Stored<EntryRow>,
    thread: KnownThread | undefined,
    keyId: string | undefined,
  ): Promise<number | false | undefined>;
  /** Replaces a run with `next`, which is not driven any more, and adds its last entry. */
  suspend(
    next: KnownRow,
    before: string,
    entry: Stored<EntryRow> | undefined,
    thread: KnownThread | undefined,
  ): Promise<boolean | undefined>;
  /** Renews the lease of a driven run. */
  renew(next: KnownRow, heartbeat: number): Promise<boolean | undefined>;
}

/** Columns that a suspended run changes. Only the table knows the number of renewals. */
const suspendColumns = changingColumns.filter((column) => column !== 'heartbeat');
/** Columns after the number, which the table assigns. */
const givenColumns = runColumns.filter(
  (column): column is Exclude<(typeof runColumns)[number], 'n' | 'checksum'> => column !== 'n' && column !== 'checksum',
);
const changingThreadColumns = threadColumns.filter((column) => column !== 'id');

type NumbersOf<TRow> = { [TName in keyof TRow]-?: NonNullable<TRow[TName]> extends number ? TName : never }[keyof TRow];

/** A SELECT needs the types of its parameters: `text` for all columns except these. */
const numbers: Readonly<Record<Exclude<NumbersOf<RunRow> | NumbersOf<EntryRow> | NumbersOf<ThreadRow>, 'n' | 'run'>, string>> = {
  revision: 'bigint',
  ...{ seq: 'integer', priority: 'integer', thread_revision: 'bigint', epoch: 'bigint', crashes: 'bigint', heartbeat: 'bigint' },
  ...{ active_ms: 'float8', started_at: 'float8', updated_at: 'float8', wake_at: 'float8', sleeps: 'integer' },
  ...{ expires_at: 'float8', lease_ms: 'float8', at: 'float8' },
};
const numberTypes = new Map(Object.entries(numbers));
const typed = (columns: readonly string[], from: number): string =>
  columns.map((column, index) => `$${from + index}::${numberTypes.get(column) ?? 'text'}`).join(', ');

/** SQL equivalent of `runChecksum`. It runs on the server because the checksum covers the number of the new run. */
const checksumSql = (n: string, text: string): string =>
  `translate(left(encode(sha256(convert_to(${n} || ';' || ${text}, 'UTF8')), 'base64'), 16), '+/', '-_')`;

const entryFor = (changed: string, journal: string, from: number): string =>
  `INSERT INTO ${journal} (run, ${entryColumns.join(', ')}) SELECT n, ${typed(entryColumns, from)} FROM ${changed} RETURNING run AS n`;

/** SQL equivalent of `assertWriter`; `NULL` is not checked. */
function mayWriteSql(notes: string, keyId: string): string {
  const writers = `coalesce((SELECT split_part(note, ' ', 1) FROM ${notes} WHERE name = '${encryptionNote}'), '')`;
  return `(${keyId} IS NULL OR ${keyId} = ${writers} OR ${keyId} = ANY(string_to_array(${writers}, ',')))`;
}

function beginSql({ runs, journal, notes }: PostgresTables, joined?: (from: number) => string): string {
  const entryFrom = 4 + givenColumns.length;
  const ofThread = joined ? `, joined AS (${joined(entryFrom + entryColumns.length)} RETURNING id)` : '';
  return `WITH number AS (SELECT nextval(pg_get_serial_sequence($1, 'n')) AS n WHERE ${mayWriteSql(notes, '$3::text')})${ofThread}, begun AS (
      INSERT INTO ${runs} (n, checksum, ${givenColumns.join(', ')}) OVERRIDING SYSTEM VALUE
      SELECT n, ${checksumSql('n', '$2::text')}, ${typed(givenColumns, 4)} FROM number${joined ? ', joined' : ''}
      ${joined ? '' : 'ON CONFLICT (id) DO NOTHING'} RETURNING n
    ) ${entryFor('begun', journal, entryFrom)}`;
}

/** @param withThread the thread must be unchanged since it was read, and `changed` also writes it. */
function suspendSql({ runs, journal, threads }: PostgresTables, withEntry: boolean, withThread: 'no' | 'seen' | 'changed'): string {
  const from = 3 + suspendColumns.length;
  const threadFrom = from + (withEntry ? entryColumns.length : 0);
  const changed = `UPDATE ${runs} AS r SET (${suspendColumns.join(', ')}) = ROW(${dollars(suspendColumns, 3)})`;
  if (withThread === 'no') {
    const rested = `${changed} WHERE n = $1 AND checksum = $2 RETURNING n`;
    return withEntry ? `WITH rested AS (${rested}) ${entryFor('rested', journal, from)}` : rested;
  }
  const left = `, left_thread AS (UPDATE ${threads} AS t SET (${changingThreadColumns.join(', ')}) = ROW(${dollars(changingThreadColumns, threadFrom + 2)})
      FROM held WHERE t.id = $${threadFrom})`;
  // locks both rows before changing either, the run first, like every change of both
  return `WITH held AS (
      SELECT r.n FROM ${runs} AS r, ${threads} AS t
      WHERE r.n = $1 AND r.checksum = $2 AND t.id = $${threadFrom} AND t.xmin::text = $${threadFrom + 1} FOR UPDATE
    ), rested AS (${changed} FROM held WHERE r.n = held.n RETURNING r.n)${withThread === 'changed' ? left : ''}
    ${withEntry ? entryFor('rested', journal, from) : 'SELECT n FROM rested'}`;
}

function statementsOf(tables: PostgresTables) {
  const { runs, threads } = tables;
  return {
    thread: `SELECT t.xmin::text AS version, ${threadColumns.map((column) => `t.${column}`).join(', ')},
        (SELECT id FROM ${runs} WHERE thread = $1 AND status = 'queued' ORDER BY n LIMIT 1) AS first_queued,
        EXISTS (SELECT 1 FROM ${runs} WHERE thread = $1) AS has_runs
      FROM (SELECT $1::text COLLATE "C" AS id) AS asked LEFT JOIN ${threads} AS t ON t.id = asked.id`,
    begin: beginSql(tables),
    beginInNew: beginSql(
      tables,
      (from) =>
        `INSERT INTO ${threads} (${threadColumns.join(', ')}) SELECT ${typed(threadColumns, from)} FROM number ON CONFLICT (id) DO NOTHING`,
    ),
    beginIn: beginSql(
      tables,
      (from) => `UPDATE ${threads} SET (${changingThreadColumns.join(', ')}) = ROW(${dollars(changingThreadColumns, from + 1)})
        FROM number WHERE id = $${from} AND xmin::text = $${from + threadColumns.length}`,
    ),
    suspend: {
      no: suspendSql(tables, false, 'no'),
      seen: suspendSql(tables, false, 'seen'),
      changed: suspendSql(tables, false, 'changed'),
    },
    suspendWithEntry: {
      no: suspendSql(tables, true, 'no'),
      seen: suspendSql(tables, true, 'seen'),
      changed: suspendSql(tables, true, 'changed'),
    },
    renew: `UPDATE ${runs} SET owner = $2, expires_at = $3, lease_ms = $4, heartbeat = $5
      WHERE n = $1 AND epoch = $6 AND heartbeat = $7 AND status = 'running' RETURNING n`,
  };
}

export function postgresKnownRuns(db: PostgresDatabase, tables: PostgresTables, threads: PostgresThreads): PostgresKnownRuns {
  const statements = statementsOf(tables);
  return {
    async readThread(id) {
      let row: TextRow | undefined;
      const found = await threads.read(db, async () => {
        row = await db.one(statements.thread, id);
        return row?.version ? toThreadRow(row) : undefined;
      });
      if (!found) return { id, lost: row?.has_runs === 't' ? threadLost(id) : undefined };
      return { id, version: row?.version ?? undefined, record: found.record, firstQueued: row?.first_queued ?? undefined };
    },
    async begin(run, entry, thread, keyId) {
      const ofRun = valuesOf(run, givenColumns);
      const values = [tables.runs, checksummedText(run), keyId ?? null, ...ofRun, ...valuesOf({ ...entry, seq: 1 }, entryColumns)];
      const rows = await send(thread);
      return rows && (rows[0] ? Number(rows[0].n) : false);

      function send({ seen, next }: Partial<KnownThread> = {}): ReturnType<PostgresDatabase['runOnce']> {
        if (!next) return db.runOnce(statements.begin, ...values);
        const ofThread = valuesOf(next, threadColumns);
        if (seen?.version === undefined) return db.runOnce(statements.beginInNew, ...values, ...ofThread);
        return db.runOnce(statements.beginIn, ...values, ...ofThread, seen.version);
      }
    },
    async suspend(next, before, entry, thread) {
      const sql = statements[entry ? 'suspendWithEntry' : 'suspend'][thread ? (thread.next ? 'changed' : 'seen') : 'no'];
      const ofEntry = entry ? valuesOf({ ...entry, seq: next.seq }, entryColumns) : [];
      const ofThread = thread ? [thread.seen.id, thread.seen.version ?? ''] : [];
      const ofNext = thread?.next ? valuesOf(thread.next, changingThreadColumns) : [];
      const rows = await db.runOnce(sql, next.n, before, ...valuesOf(next, suspendColumns), ...ofEntry, ...ofThread, ...ofNext);
      return rows && rows.length > 0;
    },
    async renew({ n, owner, expires_at, lease_ms, heartbeat, epoch }, before) {
      const rows = await db.runOnce(statements.renew, n, owner, expires_at, lease_ms, heartbeat, epoch, before);
      return rows && rows.length > 0;
    },
  };
}
