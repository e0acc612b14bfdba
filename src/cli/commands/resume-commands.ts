import { type Command, Option } from 'commander';
import type { Json, JsonObject } from '../../index.ts';
import {
  type CommonFlags,
  type ResumingFlags,
  toCount,
  toMetricsAddress,
  withAcceptance,
  withCommon,
  withSettings,
  withTelemetry,
} from '../flags.ts';
import type { Settings } from '../settings.ts';
import { toJsonObject, toJsonValue } from '../to-json-object.ts';
import type { WorkFlags } from '../work.ts';
import type { Session } from './program.ts';

type Flags = CommonFlags & ResumingFlags & Settings;

/** Commands that resume, answer or end a run. */
export function addResumeCommands(program: Command, { exit }: Session): void {
  withAcceptance(withTelemetry(withSettings(withCommon(program.command('resume')))))
    .description('resume a run that is paused or whose process died')
    .argument('<run>')
    .option('--force', 'resume even if its owner is alive or it crashed three times')
    .action(async (runId: string, flags: Flags & { readonly force?: boolean }) => {
      const { resumeRun } = await import('../continue-run.ts');
      exit(await resumeRun(runId, flags));
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('retry')))))
    .description('continue failed runs from their last committed step')
    .argument('<runs...>')
    .option('--patch <json>', 'replace these fields in the result of the node that ended last', toJsonObject)
    .action(async (runIds: readonly string[], flags: Flags & { readonly patch?: JsonObject }) => {
      const { retryRuns } = await import('../continue-run.ts');
      exit(await retryRuns(runIds, flags));
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('send')))))
    .description('answer a waiting run')
    .argument('<run>')
    .argument('<event>', 'event type, for example APPROVE')
    .argument('[json]', 'fields of the event', toJsonObject)
    .option('--interrupt <id>', 'id of the question to answer')
    .action(async (runId: string, type: string, fields: JsonObject | undefined, flags: Flags & { readonly interrupt?: string }) => {
      const { sendToRun } = await import('../continue-run.ts');
      exit(await sendToRun(runId, { ...fields, type }, flags));
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('resolve')))))
    .description('record the outcome of a call in doubt')
    .argument('<run>')
    .argument('<call>')
    .addOption(new Option('--done <json>', 'it happened, with this result').argParser(toJsonValue).conflicts(['retry', 'abort']))
    .addOption(new Option('--retry', 'it did not happen; call it again').conflicts(['done', 'abort']))
    .addOption(new Option('--abort', 'continue as if it had failed').conflicts(['done', 'retry']))
    .action(
      async (runId: string, callId: string, flags: Flags & { readonly done?: Json; readonly retry?: true; readonly abort?: true }) => {
        const { resolveCall } = await import('../continue-run.ts');
        exit(await resolveCall(runId, callId, flags));
      },
    );

  withTelemetry(withCommon(program.command('release')))
    .description('return a run that is parked after three crashes to the workers')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      const { releaseRun } = await import('../continue-run.ts');
      await releaseRun(runId, flags);
    });

  withTelemetry(withCommon(program.command('cancel')))
    .description('cancel a run')
    .argument('<run>')
    .action(async (runId: string, flags: CommonFlags) => {
      const { cancelRun } = await import('../continue-run.ts');
      await cancelRun(runId, flags);
    });

  withAcceptance(withTelemetry(withSettings(withCommon(program.command('work')))))
    .description('resume the runs of a database that are due, queued, or whose process died')
    .option('--concurrency <number>', 'maximum number of runs at a time', toCount, 8)
    .option('--per-workflow <number>', 'maximum of each workflow, over all workers of the database (default: --concurrency)', toCount)
    .option('--drain <seconds>', 'seconds to wait for runs when stopped', toCount, 10)
    .option('--metrics <[host:]port>', 'serve /metrics for Prometheus, and /health; the host is 127.0.0.1 by default', toMetricsAddress)
    .action(async (flags: WorkFlags) => {
      const { work } = await import('../work.ts');
      exit(await work(flags));
    });
}
