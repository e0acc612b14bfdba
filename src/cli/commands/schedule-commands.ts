import { type Command, Option } from 'commander';
import { entries } from '../../../machines/index.ts';
import { type CommonFlags, withCommon, withSettings } from '../flags.ts';
import type { AddScheduleFlags, BackfillFlags } from '../schedules.ts';
import { toAge } from '../to-age.ts';
import { toMoment } from '../to-moment.ts';

/** Commands for the schedules that a database keeps. */
export function addScheduleCommands(program: Command): void {
  const schedules = program.command('schedules').description('runs at certain times, which every worker of the database starts');
  withCommon(schedules.command('list'))
    .description('list the schedules with their last and next time')
    .action(async (flags: CommonFlags) => {
      const { listSchedules } = await import('../schedules.ts');
      await listSchedules(flags);
    });
  withSettings(withCommon(schedules.command('add')))
    .description('add a schedule; --time-zone is also the time zone of its times')
    .argument('<workflow>', entries.map(({ name }) => name).join(', '))
    .argument('<question>', 'the question of each run, in quotes')
    .requiredOption('--cron <pattern>', "minute, hour, day, month and day of the week, such as '0 9 * * 1-5'")
    .option('--name <name>', 'name of the schedule, in the ids of its runs (default: that of the workflow)')
    .addOption(new Option('--missed <rule>', 'times without a worker to start later').choices(['skip', 'once', 'all']).default('once'))
    .addOption(
      new Option('--overlap <rule>', 'times at which the run before has not ended')
        .choices(['skip', 'queue', 'replace', 'allow'])
        .default('skip'),
    )
    .option('--jitter <age>', 'maximum delay of a start: 30s, 5m, 1h at most', toAge, 0)
    .action(async (workflow: string, question: string, flags: AddScheduleFlags) => {
      const { addSchedule } = await import('../schedules.ts');
      await addSchedule(workflow, question, flags);
    });
  for (const [does, description] of [
    ['pause', 'start no more runs until `schedules resume`'],
    ['resume', 'end a pause; its times are dropped, except with --missed all'],
    ['remove', 'remove a schedule; its runs stay'],
  ] as const) {
    withCommon(schedules.command(does))
      .description(description)
      .argument('<name>')
      .action(async (name: string, flags: CommonFlags) => {
        const { changeSchedule } = await import('../schedules.ts');
        await changeSchedule(does, name, flags);
      });
  }
  withCommon(schedules.command('trigger'))
    .description('start a run now, for the workers')
    .argument('<name>')
    .option('--key <key>', 'a repeated key starts no second run')
    .action(async (name: string, flags: CommonFlags & { readonly key?: string }) => {
      const { triggerSchedule } = await import('../schedules.ts');
      await triggerSchedule(name, flags);
    });
  withCommon(schedules.command('backfill'))
    .description('start the times of a past interval, 1,000 at most; a time whose run exists is not started again')
    .argument('<name>')
    .requiredOption('--from <time>', 'first moment, such as 2026-03-01 (UTC) or 2026-03-01T09:00+09:00', toMoment)
    .requiredOption('--to <time>', 'end, which is not part of the interval', toMoment)
    .option('--dry-run', 'only print the times')
    .action(async (name: string, flags: BackfillFlags) => {
      const { backfillSchedule } = await import('../schedules.ts');
      await backfillSchedule(name, flags);
    });
}
