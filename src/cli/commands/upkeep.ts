import type { Command } from 'commander';
import { type CommonFlags, withCommon } from '../flags.ts';
import type { Session } from './program.ts';

/** What keeps a database in order. */
export function addUpkeep(program: Command, { exit }: Session): void {
  const db = program.command('db').description('look at a database of runs, bring it up to date, copy, check and empty it');
  withCommon(db.command('status'))
    .description('say how old its tables are, how large it is, and how many runs of which status it has; makes and changes nothing')
    .action(async (flags: CommonFlags) => {
      const { showStatus } = await import('../upkeep.ts');
      exit(await showStatus(flags));
    });
  withCommon(db.command('migrate'))
    .description('bring its tables up to date, all at once or not at all')
    .action(async (flags: CommonFlags) => {
      const { migrateDatabase } = await import('../upkeep.ts');
      exit(await migrateDatabase(flags));
    });
  withCommon(db.command('backup'))
    .description('copy a file as it is at one moment, also while it is used, and check the copy')
    .argument('<file>', 'a new file')
    .action(async (file: string, flags: CommonFlags) => {
      const { backupDatabase } = await import('../upkeep.ts');
      exit(await backupDatabase(file, flags));
    });
  withCommon(db.command('verify'))
    .description('check every run, journal and thread with its checksums; changes nothing')
    .action(async (flags: CommonFlags) => {
      const { verifyDatabase } = await import('../upkeep.ts');
      exit(await verifyDatabase(flags));
    });
}
