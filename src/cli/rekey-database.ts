import { rekeyStore } from '../stores/index.ts';
import { databaseMayExist, openWith, shownDatabase } from './database.ts';
import { databaseKeys } from './database-key.ts';
import { commandLine } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Encrypts a database with the first key. Exit code 1 while runs are in progress, which still need the older keys. */
export async function rekeyDatabase(flags: CommonFlags): Promise<number> {
  const { db } = flags;
  const keys = databaseKeys();
  if (!keys) throw new UsageError('There is no key. Set AGENT_MACHINES_KEY, or name a file with --key-file.');
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${db}.`);
  const store = await openWith(db, undefined);
  try {
    const report = await rekeyStore(store, keys);
    if (flags.json) print(printableJson({ type: 'rekeyed', database: shownDatabase(db), ...report }));
    else {
      const { runs, threads, driven } = report;
      process.stderr.write(escapeControls(`Encrypted ${runs} runs and ${threads} threads of ${shownDatabase(db)}.\n`));
      if (driven > 0) {
        process.stderr.write(
          `${driven} runs are in progress and still need the older key. Later: ${commandLine('db rekey', dbFlag(flags))}\n`,
        );
      }
    }
    return report.driven > 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    await store.close();
  }
}
