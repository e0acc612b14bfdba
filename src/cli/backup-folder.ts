import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { StoreVerdict } from '../stores/upkeep/verify-store.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { reportError } from './report-error.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { toAge } from './to-age.ts';
import { wholeNumber } from './whole-number.ts';

/** Backups to keep: the newest ones, or those up to an age in milliseconds. The newest always stays. */
export type Retention = { readonly count: number } | { readonly ageMs: number };

export interface BackupFolderFlags extends CommonFlags {
  readonly to: string;
  /** In milliseconds. Absent: one backup. */
  readonly every?: number;
  readonly keep?: Retention;
}

/** Parses `48` (backups) or `7d` (age). */
export const toRetention = (text: string): Retention =>
  /^\d+$/.test(text.trim()) ? { count: wholeNumber(1, 100_000)(text) } : { ageMs: toAge(text) };

/** Parses an interval of at least 1 s. */
export function toInterval(text: string): number {
  const ms = toAge(text);
  if (ms >= 1_000 && ms <= 2_147_000_000) return ms;
  throw new InvalidArgumentError('Use 1s to 24d.');
}

/**
 * Backs up a SQLite file into a folder, once or at an interval until Ctrl-C or SIGTERM, and removes old backups after each sound one. A
 * failed backup is reported, and the next one is made in its time. Exit code 1 if the last one failed.
 *
 * @param show prints a verdict, and returns the exit code.
 */
export async function backupToFolder(
  { db, to, every, keep, json = false }: BackupFolderFlags,
  show: (file: string, verdict: StoreVerdict) => number,
): Promise<number> {
  const { backupSqlite } = await import('../stores/sqlite/backup-sqlite.ts');
  const stopping = stopOnSignal();
  let code: number = exitCodes.done;
  try {
    mkdirSync(to, { recursive: true });
    for (;;) {
      try {
        const file = join(to, backupName(db, Date.now()));
        const verdict = await backupSqlite(db, file);
        code = show(file, verdict);
        if (keep && verdict.problems.length === 0) removeOld(db, to, keep, Date.now());
      } catch (cause) {
        if (every === undefined) throw cause;
        code = reportError(cause, json, {});
      }
      if (every === undefined || stopping.signal.aborted) return code;
      await sleep(every, undefined, { signal: stopping.signal }).catch(() => {}); // a signal ends the wait
      if (stopping.signal.aborted) return code;
    }
  } finally {
    stopping.end();
  }
}

const stemOf = (db: string): string => basename(db).replace(/\.db$/, '');

/** Name of a backup with its time in UTC: `agents-20261130T023215Z.backup.db`. */
const backupName = (db: string, now: number): string =>
  `${stemOf(db)}-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.backup.db`;

/** Removes old backups of this database, by their names. Other files stay. */
function removeOld(db: string, folder: string, keep: Retention, now: number): void {
  const stem = `${stemOf(db)}-`;
  const backups = readdirSync(folder)
    .filter((name) => name.startsWith(stem) && /^\d{8}T\d{6}Z\.backup\.db$/.test(name.slice(stem.length)))
    .sort()
    .reverse();
  const oldest = 'ageMs' in keep ? backupName(db, now - keep.ageMs) : '';
  const old = backups.filter((name, index) => index > 0 && ('count' in keep ? index >= keep.count : name < oldest));
  for (const name of old) rmSync(join(folder, name), { force: true });
}
