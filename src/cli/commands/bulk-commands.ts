import type { Command } from 'commander';
import type { BulkAction } from '../../index.ts';
import type { BulkFlags } from '../change-runs.ts';
import { withCommon } from '../flags.ts';
import { withRunFilter } from '../run-filter.ts';
import type { Session } from './program.ts';

const descriptions: Readonly<Record<BulkAction, string>> = {
  retry: 'leave failed runs to the workers, which continue them from their last committed step',
  cancel: 'end runs for good',
  release: 'return parked runs to the workers',
  migrate: 'move waiting runs to the newest version of their workflow',
};

/** Commands that change all runs that match a filter. Options before the subcommand apply to it too. */
export function addBulkCommands(runs: Command, { exit }: Pick<Session, 'exit'>): void {
  const add = (action: BulkAction): Command =>
    withRunFilter(withCommon(runs.command(action)))
      .description(`${descriptions[action]}; needs a filter`)
      .option('--all', 'without a filter: every run that the command is for')
      .option('--dry-run', 'list the runs and change nothing')
      .option('--yes', 'do not ask')
      .action(async (_: object, command: Command) => {
        const { changeRuns } = await import('../change-runs.ts');
        exit(await changeRuns(action, command.optsWithGlobals<BulkFlags>()));
      });
  add('retry');
  add('cancel');
  add('release');
  add('migrate').requiredOption('--app <file>', 'module with the workflows to move to');
}
