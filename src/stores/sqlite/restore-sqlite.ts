import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { withUnusedFile } from '../../core/node/sqlite/unused-file.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { storeUnavailable } from '../../engine/store/store-errors.ts';
import type { StoreVerdict } from '../upkeep/verify-store.ts';
import { backupSqlite } from './backup-sqlite.ts';
import { storeFile } from './sqlite-schema.ts';
import { verifySqlite } from './verify-sqlite.ts';

export interface RestoreOptions {
  /** Replaces an existing store that no process has open. @default false */
  readonly replace?: boolean;
}

/**
 * Restores a SQLite file from a backup. The backup is verified first: with a problem, nothing is written. The copy gets the name of the
 * target in one step, so a killed process leaves the old file or the new one.
 *
 * @returns the verdict on the backup, or on the copy if the backup is sound.
 * @throws {WorkflowError} `OPTION_INVALID` for an existing target without `replace`, and for the log of a missing one; `STORE_UNAVAILABLE`
 * if a process has the target open; `STORE_VERSION`.
 */
export async function restoreSqlite(backup: string, target: string, { replace = false }: RestoreOptions = {}): Promise<StoreVerdict> {
  const exists = existsSync(target);
  if (exists && !replace)
    throw optionInvalid(`The database ${target} already exists.`, 'Restore to another file, or pass replace.', 'replace');
  const log = `${target}-wal`;
  if (!exists && existsSync(log)) throw optionInvalid(`There is a log ${log} without its database.`, 'Move it away first.', 'target');
  const verdict = await verifySqlite(backup);
  if (verdict.problems.length > 0) return verdict;
  if (!exists) return backupSqlite(backup, target);
  const restored = `${target}.restored-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const copied = await backupSqlite(backup, restored);
    if (copied.problems.length === 0) replaceUnused(restored, target);
    return copied;
  } finally {
    rmSync(restored, { force: true });
  }
}

/** Renames a file to the name of a store that no other connection has open. */
function replaceUnused(restored: string, target: string): void {
  try {
    withUnusedFile(target, storeFile, () => renameSync(restored, target));
  } catch (cause) {
    throw storeUnavailable(target, cause);
  }
}
