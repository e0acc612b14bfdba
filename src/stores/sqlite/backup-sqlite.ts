import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { WorkflowError } from '../../core/errors/errors.ts';
import { assertFileKind } from '../../core/node/sqlite/sqlite-file-kind.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { storeUnavailable } from '../../engine/store/store-errors.ts';
import type { StoreVerdict } from '../upkeep/verify-store.ts';
import { readSqlite } from './read-sqlite.ts';
import { storeFile } from './sqlite-schema.ts';
import { verifySqlite } from './verify-sqlite.ts';

/**
 * Copies a SQLite file as of one moment while other processes write, then verifies the copy. The copy gets its final name only once it is
 * complete. An interrupted backup leaves a file named `….partial-…`. An existing file is never overwritten.
 *
 * @returns the verdict on the copy. Damage in the original is copied, too.
 * @throws {WorkflowError} `OPTION_INVALID` if the target file exists; `STORE_VERSION`, `STORE_UNAVAILABLE`.
 */
export async function backupSqlite(path: string, to: string): Promise<StoreVerdict> {
  if (lstatSync(to, { throwIfNoEntry: false })) throw exists(to);
  const partial = `${to}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    // the copy gets the permissions of the original
    closeSync(openSync(partial, 'wx', statSync(path).mode & 0o777));
    await readSqlite(path, (db) => {
      assertFileKind(db, path, storeFile);
      truncateSync(partial);
      db.prepare('VACUUM INTO ?').run(partial);
    });
    flush(partial);
    const verdict = await verifySqlite(partial);
    giveName(partial, to);
    flush(dirname(to));
    return verdict;
  } catch (cause) {
    throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(to, cause);
  } finally {
    rmSync(partial, { force: true });
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (cause) {
    if (!hasNone(cause)) throw cause; // Windows cannot flush folders
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the file its name atomically, without overwriting another file. */
function giveName(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code === 'EEXIST') throw exists(to);
    if (!hasNone(cause)) throw cause;
    // the file system has no hard links
    if (lstatSync(to, { throwIfNoEntry: false })) throw exists(to);
    renameSync(partial, to);
  }
}

/** True when the system lacks the operation. */
const hasNone = (cause: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EISDIR'].includes(String((cause as { readonly code?: unknown }).code));

const exists = (path: string): WorkflowError => optionInvalid(`The file ${path} already exists.`, 'Use another name.', 'to');
