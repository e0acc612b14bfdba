import { type Command, Option } from 'commander';
import { toInterval, toRetention } from '../backup-folder.ts';
import { type CommonFlags, withCommon, withUser } from '../flags.ts';
import type { ForgetCommandFlags } from '../forget.ts';
import { toAge } from '../to-age.ts';
import type { BackupFlags, PruneFlags } from '../upkeep.ts';
import { wholeNumber } from '../whole-number.ts';
import type { Session } from './program.ts';

/** Commands that maintain a database. */
export function addDatabaseCommands(program: Command, { exit }: Session): void {
  const db = program.command('db').description('inspect, migrate, back up, check and prune a database of runs');
  withCommon(db.command('status'))
    .description('show its version, its size, and the number of runs by status; changes nothing')
    .action(async (flags: CommonFlags) => {
      const { showStatus } = await import('../upkeep.ts');
      exit(await showStatus(flags));
    });
  withCommon(db.command('migrate'))
    .description('migrate its tables to the current version, all or none')
    .action(async (flags: CommonFlags) => {
      const { migrateDatabase } = await import('../upkeep.ts');
      exit(await migrateDatabase(flags));
    });
  withCommon(db.command('backup'))
    .description('copy a file at one moment, also while it is in use, and check the copy')
    .argument('[file]', 'a new file')
    .option('--to <folder>', 'folder for backups that are named by their time, instead of a file')
    .option('--every <interval>', 'with --to: repeat until Ctrl-C: 1h, 30m', toInterval)
    .option('--keep <number|age>', 'with --to: newest backups to keep, or their age: 48, 7d (default: all)', toRetention)
    .action(async (file: string | undefined, flags: BackupFlags) => {
      const { backupDatabase } = await import('../upkeep.ts');
      exit(await backupDatabase(file, flags));
    });
  withCommon(db.command('restore'))
    .description('verify a backup, and make it the database')
    .argument('<file>', 'a backup')
    .option('--replace', 'replace the database, which no process may have open')
    .action(async (file: string, flags: CommonFlags & { readonly replace?: boolean }) => {
      const { restoreDatabase } = await import('../upkeep.ts');
      exit(await restoreDatabase(file, flags));
    });
  withCommon(db.command('verify'))
    .description('check every run, journal and thread by checksum; changes nothing')
    .action(async (flags: CommonFlags) => {
      const { verifyDatabase } = await import('../upkeep.ts');
      exit(await verifyDatabase(flags));
    });
  withCommon(db.command('rekey'))
    .description('encrypt all runs with the first key: those of the other keys, and clear text')
    .action(async (flags: CommonFlags) => {
      const { rekeyDatabase } = await import('../rekey-database.ts');
      exit(await rekeyDatabase(flags));
    });
  withCommon(db.command('prune'))
    .description('delete runs that ended long ago; a thread keeps its state and its newest run')
    .requiredOption('--older-than <age>', 'minimum age: 30d, 12h, 90m', toAge)
    .option('--keep <number>', 'newest runs of each workflow to keep, however old', wholeNumber(0, 1_000_000), 0)
    .addOption(new Option('--status <status...>', 'how they ended (default: all three)').choices(['done', 'failed', 'cancelled']))
    .option('--threads', 'also delete threads whose runs are all deleted')
    .option('--dry-run', 'only print what would be deleted')
    .action(async (flags: PruneFlags) => {
      const { pruneDatabase } = await import('../upkeep.ts');
      exit(await pruneDatabase(flags));
    });
  withUser(db.command('forget'))
    .description('delete a conversation, all data of a user, or a whole database')
    .argument('[thread]')
    .option('--all', "delete the database: a tenant's store is a database of its own")
    .option('--dry-run', 'with --user or --all: only print what would be deleted')
    .option('--yes', 'with --all: delete without a question')
    .option('--json', 'one line of JSON')
    .action(async (threadId: string | undefined, flags: ForgetCommandFlags, command: Command) => {
      const { forget } = await import('../forget.ts');
      // without the flag, a run determines the user
      const user = command.getOptionValueSource('user') === 'cli' ? flags.user : undefined;
      exit(await forget(threadId, user, flags));
    });
}
