import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { WorkflowError } from '../errors.ts';
import { assertFileKind } from '../sqlite/sqlite-file-kind.ts';
import { lookAtSqlite } from './look-at-sqlite.ts';
import { storeFile } from './sqlite-schema.ts';
import { storeUnavailable } from './store-errors.ts';
import { verifySqlite } from './verify-sqlite.ts';
import type { StoreVerdict } from './verify-store.ts';

/**
 * Copies a file as it is at one moment, whatever other processes write meanwhile, and looks at all that the copy has. The copy has its name
 * when it is whole, and not before; what was begun and left behind is called `….partial-…`. Nothing is overwritten.
 *
 * @returns what does not hold in it was copied as it is.
 * @throws {WorkflowError} `OPTION_INVALID` when there is such a file; `STORE_VERSION`, `STORE_UNAVAILABLE`.
 */
export async function backupSqlite(path: string, to: string): Promise<StoreVerdict> {
  if (lstatSync(to, { throwIfNoEntry: false })) throw exists(to);
  const partial = `${to}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    // who may not read the original may not read the copy
    closeSync(openSync(partial, 'wx', statSync(path).mode & 0o777));
    await lookAtSqlite(path, (db) => {
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
    if (!hasNone(cause)) throw cause; // folders on Windows
  } finally {
    closeSync(descriptor);
  }
}

/** In one go, and never over another file. */
function giveName(partial: string, to: string): void {
  try {
    linkSync(partial, to);
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code === 'EEXIST') throw exists(to);
    if (!hasNone(cause)) throw cause;
    // a file system without links
    if (lstatSync(to, { throwIfNoEntry: false })) throw exists(to);
    renameSync(partial, to);
  }
}

/** The system has no such thing. */
const hasNone = (cause: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EISDIR'].includes(String((cause as { readonly code?: unknown }).code));

const exists = (path: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `There is a file ${path} already, and it is not overwritten.`,
    hint: 'Give another name.',
    data: { option: 'to' },
  });
