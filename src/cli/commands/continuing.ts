import { type Command, Option } from 'commander';
import type { Json, JsonObject } from '../../index.ts';
import {
  type CommonFlags,
  type ResumingFlags,
  toCount,
  toJsonObject,
  toJsonValue,
  withAcceptance,
  withCommon,
  withSettings,
  withTelemetry,
} from '../flags.ts';
import type { Settings } from '../settings.ts';
import type { Session } from './program.ts';

type Flags = CommonFlags & ResumingFlags & Settings;

/** Commands that resume, answer or end a run. */
export function addContinuing(program: Command, { exit }: Session): void {
  withAcceptance(withTelemetry(withSettings(withCommon(program.command('resume')))))
    .description('go on with a run that was paused, or whose process died')
    .argument('<run>')
    .option('--force', 'take it even from a live owner, and even after three crashes')
    .action(async (runId: string, flags: Flags & { readonly force?: boolean }) => {
      const { resumeRun } = await import('../continue-run.ts');
      exit(await resumeRun(runId, flags));
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('send')))))
    .description('answer a run that waits for you')
    .argument('<run>')
    .argument('<event>', 'for example APPROVE')
    .argument('[json]', 'fields of the event', toJsonObject)
    .option('--interrupt <id>', 'the question that is answered')
    .action(async (runId: string, type: string, fields: JsonObject | undefined, flags: Flags & { readonly interrupt?: string }) => {
      const { sendToRun } = await import('../continue-run.ts');
      exit(await sendToRun(runId, { ...fields, type }, flags));
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('resolve')))))
    .description('say what became of a call in doubt')
    .argument('<run>')
    .argument('<call>')
    .addOption(new Option('--done <json>', 'it happened, and returned this').argParser(toJsonValue).conflicts(['retry', 'abort']))
    .addOption(new Option('--retry', 'it did not happen: call it again').conflicts(['done', 'abort']))
    .addOption(new Option('--abort', 'go on as if it had failed').conflicts(['done', 'retry']))
    .action(
      async (runId: string, callId: string, flags: Flags & { readonly done?: Json; readonly retry?: true; readonly abort?: true }) => {
        const { resolveCall } = await import('../continue-run.ts');
        exit(await resolveCall(runId, callId, flags));
      },
    );

  withTelemetry(withCommon(program.command('release')))
    .description('leave a run to workers again that is parked after three crashes')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      const { releaseRun } = await import('../continue-run.ts');
      await releaseRun(runId, flags);
    });

  withTelemetry(withCommon(program.command('cancel')))
    .description('end a run for good')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      const { cancelRun } = await import('../continue-run.ts');
      await cancelRun(runId, flags);
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('work')))))
    .description('look after the runs of a database: go on with those whose process died or whose timer is due, and with queued ones')
    .option('--concurrency <number>', 'how many runs at a time', toCount, 8)
    .option('--per-workflow <number>', 'how many of each workflow, over all workers of the database (default: as many as of all)', toCount)
    .option('--drain <seconds>', 'how long it waits for them when it is stopped', toCount, 10)
    .action(async (flags: Flags & { readonly concurrency: number; readonly perWorkflow?: number; readonly drain: number }) => {
      const { work } = await import('../work.ts');
      exit(await work(flags));
    });
}
