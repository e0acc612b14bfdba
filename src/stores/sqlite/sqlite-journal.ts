import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { EntryRow, Stored } from '../rows/run-rows.ts';
import { type CurrentRow, type Placed, rowsPerRun, type TailRow } from './sqlite-rows.ts';

/** Journal rows, used within a transaction: the entries of a run, then its tail while it is driven. */
export interface SqliteJournal {
  last(n: number): Placed<EntryRow | TailRow> | undefined;
  all(n: number): readonly Placed<EntryRow>[];
  insert(n: number, place: number, row: Stored<EntryRow | TailRow>): void;
  remove(n: number, place: number): void;
  /** Replaces the tail of a run with an entry and a new tail. Returns false if the tail or the run's row has changed. */
  turnTail(run: CurrentRow, entry: Stored<EntryRow>, tail: Stored<TailRow>): boolean;
}

export function sqliteJournal(db: SqliteDatabase): SqliteJournal {
  const placesOf = (n: number): readonly [after: number, last: number] => [n * rowsPerRun, (n + 1) * rowsPerRun];
  return {
    last: (n) => db.one('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT 1', ...placesOf(n)),
    all: (n) => db.all('SELECT * FROM journal WHERE id > ? AND id <= ? ORDER BY id', ...placesOf(n)),
    insert(n, place, { key, kind, outcome, events, epoch, at, checksum }) {
      const sql = 'INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
      db.run(sql, n * rowsPerRun + place, key, kind, outcome, events, epoch, at, checksum);
    },
    remove(n, place) {
      db.run('DELETE FROM journal WHERE id = ?', n * rowsPerRun + place);
    },
    turnTail({ n, seq, tail = '', checksum: ofRun }, entry, next) {
      const place = n * rowsPerRun + seq + 1;
      const { key, kind, outcome, events, epoch, at, checksum } = entry;
      const { changes } = db.run(
        turnTailSql,
        ...[place, key, kind, outcome, events, epoch, at, checksum],
        ...[place + 1, next.key, next.outcome, next.epoch, next.at, next.checksum],
        ...[place, tail, n, ofRun],
      );
      return Number(changes) > 0;
    },
  };
}

/** One statement is one transaction, so the rows cannot change between check and update. */
const turnTailSql = `INSERT INTO journal (id, key, kind, outcome, events, epoch, at, checksum)
  SELECT * FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?), (?, ?, 'tail', ?, '', ?, ?, ?))
  WHERE EXISTS (SELECT 1 FROM journal WHERE id = ? AND checksum = ?) AND EXISTS (SELECT 1 FROM runs WHERE n = ? AND checksum = ?)
  ON CONFLICT (id) DO UPDATE SET key = excluded.key, kind = excluded.kind, outcome = excluded.outcome, events = excluded.events,
    epoch = excluded.epoch, at = excluded.at, checksum = excluded.checksum`;
