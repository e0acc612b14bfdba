import { machineTimeZone } from '../core/util/local-datetime.ts';
import { scheduleUnknown } from '../engine/schedules/schedule-errors.ts';
import { type NewSchedule, type ScheduleInfo, type StoredSchedules, storedSchedules } from '../engine/schedules/stored-schedules.ts';
import { createRuntime } from '../index.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openDatabase } from './database.ts';
import { commandLine } from './error-hints.ts';
import { type CommonFlags, dbFlag, toSettings } from './flags.ts';
import { createOpenResources } from './open-resources.ts';
import { toInput } from './question-and-answer.ts';
import { type Settings, toMetadata } from './settings.ts';
import { timeOf } from './tables.ts';
import { columnsOf, escapeControls, print, printableJson, table } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { withConfigFile } from './with-config-file.ts';
import { createWorkflowMaker, type WorkflowMaker } from './workflow-maker.ts';
import { checkInputFlags, workflowNamed } from './workflows.ts';

export interface AddScheduleFlags extends CommonFlags, Settings, Pick<NewSchedule, 'name' | 'missed' | 'overlap'> {
  readonly cron: string;
  readonly jitter: number;
}

export interface BackfillFlags extends CommonFlags {
  readonly from: number;
  readonly to: number;
  readonly dryRun?: boolean;
}

/** Lists the schedules of a database. A missing database is not created and has none. */
export async function listSchedules(flags: CommonFlags): Promise<void> {
  const schedules = databaseMayExist(flags.db) ? await withSchedules(flags, (stored) => stored.list()) : [];
  if (flags.json) {
    for (const one of schedules) print(printableJson(one));
    return;
  }
  if (schedules.length === 0) {
    print(`No schedules yet. Add one: ${commandLine(`schedules add plan-execute "123 * 456" --cron '0 9 * * *'`, dbFlag(flags))}`);
    return;
  }
  const rows = schedules.map(({ name, status, workflow, cron = '', timeZone = '', lastMs, nextMs, lastError }) => [
    name,
    lastError === undefined ? status : `${status}, last: ${lastError.code}`,
    workflow,
    `${cron} ${timeZone}`.trim(),
    lastMs === undefined ? '' : timeOf(lastMs),
    nextMs === undefined ? '' : timeOf(nextMs),
  ]);
  print(
    table(
      [['SCHEDULE', 'STATUS', 'WORKFLOW', 'TIMES', 'LAST', 'NEXT'], ...rows.map((row) => row.map(escapeControls))],
      columnsOf(process.stdout),
    ),
  );
}

export async function addSchedule(name: string, question: string, flags: AddScheduleFlags): Promise<void> {
  const workflow = workflowNamed(name);
  const settings = await withConfigFile(toSettings(flags), workflow);
  const missing = workflow.missing?.(settings);
  if (missing !== undefined) throw new UsageError(missing);
  if (settings.mcp) throw new UsageError('A schedule stores no commands of MCP servers. Remove --mcp, and give it to the worker.');
  checkInputFlags(workflow, flags);
  const { cron, missed = 'once', overlap = 'skip', jitter: jitterMs, timeZone = machineTimeZone() } = flags;
  await withSchedules(flags, async (schedules, maker) => {
    const added = await schedules.add({
      ...(flags.name === undefined ? {} : { name: flags.name }),
      workflow: await maker.make(workflow, settings),
      input: toInput(question, workflow.knowsUsers ? settings : {}),
      cron,
      timeZone,
      missed,
      overlap,
      jitterMs,
      metadata: toMetadata(settings),
    });
    printSchedule('added', added, flags);
  });
}

export async function changeSchedule(does: 'pause' | 'resume' | 'remove', name: string, flags: CommonFlags): Promise<void> {
  await withStored(name, flags, async (schedules) => {
    if (does !== 'remove') return printSchedule(does === 'pause' ? 'paused' : 'resumed', await schedules[does](name), flags);
    await schedules.remove(name);
    print(flags.json ? printableJson({ name, removed: true }) : `${name}  removed`);
  });
}

export async function triggerSchedule(name: string, flags: CommonFlags & { readonly key?: string }): Promise<void> {
  const { key, json } = flags;
  const run = await withStored(name, flags, (schedules) => schedules.trigger(name, key === undefined ? {} : { key }));
  print(json ? printableJson(run) : `${run.runId}  ${run.isNew ? 'left to the workers' : 'exists already'}`);
}

export async function backfillSchedule(name: string, flags: BackfillFlags): Promise<void> {
  const { from: fromMs, to: toMs, dryRun = false, json } = flags;
  const runs = await withStored(name, flags, (schedules) => schedules.backfill(name, { fromMs, toMs, dryRun }));
  const news = dryRun ? 'would start' : 'left to the workers';
  for (const run of runs) print(json ? printableJson(run) : `${run.runId}  ${run.isNew ? news : 'exists already'}`);
  if (runs.length === 0 && !json) print('No time is in this interval.');
}

/** @throws {WorkflowError} `SCHEDULE_UNKNOWN` without creating a missing database. */
async function withStored<T>(name: string, flags: CommonFlags, work: (schedules: StoredSchedules) => Promise<T>): Promise<T> {
  if (!databaseMayExist(flags.db)) throw scheduleUnknown(name);
  return withSchedules(flags, work);
}

async function withSchedules<T>(flags: CommonFlags, work: (schedules: StoredSchedules, maker: WorkflowMaker) => Promise<T>): Promise<T> {
  const opened = createOpenResources();
  try {
    const maker = createWorkflowMaker(toSettings({ db: flags.db }), opened);
    const store = await openDatabase(flags.db);
    opened.add(() => store.close());
    const runtime = createRuntime({ store, workflowFor: maker.ofRun });
    opened.add(() => runtime.close());
    return await work(storedSchedules(runtime.as(cliActor())), maker);
  } finally {
    await opened.close();
  }
}

function printSchedule(did: string, schedule: ScheduleInfo, { json }: CommonFlags): void {
  const { name, nextMs } = schedule;
  print(json ? printableJson(schedule) : `${name}  ${did}${nextMs === undefined ? '' : `, next at ${new Date(nextMs).toISOString()}`}`);
}
