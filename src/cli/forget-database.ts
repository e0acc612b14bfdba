import { existsSync, rmSync } from 'node:fs';
import { withUnusedFile } from '../core/node/sqlite/unused-file.ts';
import { isPostgresAddress } from '../core/util/postgres-address.ts';
import { storeUnavailable } from '../engine/store/store-errors.ts';
import { WorkflowError } from '../index.ts';
import { indexFile } from '../search/indexes/sqlite-index-schema.ts';
import { storeFile } from '../stores/sqlite/sqlite-schema.ts';
import { databaseMayExist, memoryPathOf, shownDatabase } from './database.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { shellWord } from './shell-words.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Deletes a SQLite database with its memories: that of a tenant, whose store is a database of its own. The runs go last, so repeating the
 * command after a crash deletes the rest.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE` if a process has a file open; `STORE_VERSION` for a file of another program.
 */
export async function forgetDatabase({ db, json = false, dryRun }: CommonFlags & { readonly dryRun: boolean }): Promise<number> {
  if (isPostgresAddress(db)) {
    const sql = shellWord('DROP SCHEMA agent_machines CASCADE');
    throw new UsageError(`Delete a database on a server with its own tools: psql ${shellWord(shownDatabase(db))} -c ${sql}`);
  }
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${db}.`);
  const kinds = [
    [memoryPathOf(db), indexFile],
    [db, storeFile],
  ] as const;
  const files = kinds.filter(([path]) => existsSync(path));
  const names = files.map(([path]) => path);
  /** All files are locked before the first one is deleted. */
  const deleteFrom = (index: number): void => {
    const file = files[index];
    if (file) {
      const [path, kind] = file;
      withFile(path, () => withUnusedFile(path, kind, () => deleteFrom(index + 1)));
    } else deleteFiles(names);
  };
  if (!dryRun) deleteFrom(0);
  if (json) print(printableJson({ type: 'forgotten', database: db, dryRun, files: names }));
  else process.stderr.write(escapeControls(`${dryRun ? 'Would delete' : 'Deleted'} ${names.join(' and ')}.\n`));
  return exitCodes.done;
}

function deleteFiles(paths: readonly string[]): void {
  for (const path of paths) for (const end of ['-wal', '-shm', '']) rmSync(`${path}${end}`, { force: true });
}

function withFile(path: string, act: () => void): void {
  try {
    act();
  } catch (cause) {
    throw WorkflowError.isInstance(cause) ? cause : storeUnavailable(path, cause);
  }
}
