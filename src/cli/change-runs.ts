import { type BulkAction, type BulkOutcome, bulkRuns, createRuntime, type RunStore } from '../index.ts';
import { appModule } from './app-module.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openDatabase, shownDatabase } from './database.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommonFlags } from './flags.ts';
import { createLineReader } from './line-reader.ts';
import { createOpenResources } from './open-resources.ts';
import { type RunFilterFlags, toRunFilter } from './run-filter.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface BulkFlags extends CommonFlags, RunFilterFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Module with the workflows to migrate to. */
  readonly app?: string;
}

type Options = Omit<Parameters<typeof bulkRuns>[0], 'before' | 'dryRun' | 'onRun'>;

const words: Readonly<Record<BulkAction, { readonly done: string; readonly after: string }>> = {
  retry: { done: 'Retried', after: ' The next worker resumes them.' },
  cancel: { done: 'Cancelled', after: '' },
  release: { done: 'Released', after: ' The next worker resumes them.' },
  migrate: { done: 'Migrated', after: '' },
};

/** Changes all runs that match the filter, or lists them. Returns the exit code. */
export async function changeRuns(action: BulkAction, flags: BulkFlags): Promise<number> {
  const { db, json = false, all = false, dryRun = false, yes = false } = flags;
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!dryRun && !yes && !isTerminal) throw new UsageError(`Add --yes to ${action} the runs, or --dry-run to list them.`);
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${shownDatabase(db)}.`);
  const workflows = flags.app === undefined ? [] : (await appModule(flags.app).load()).workflows;
  const opened = createOpenResources();
  const stopping = stopOnSignal();
  try {
    const store = await openDatabase(db);
    opened.add(() => store.close());
    const runtime = createRuntime({ store });
    opened.add(() => runtime.close());
    const options: Options = {
      store,
      runtime: runtime.as(cliActor()),
      workflows: workflows.map((one) => ('workflow' in one ? one.workflow : one)),
      action,
      where: toRunFilter(flags),
      all,
      signal: stopping.signal,
      ...(await newestOf(store)),
    };
    if (dryRun) return await listMatching(options, json);
    if (!yes && !(await isConfirmed(options))) return exitCodes.failed;
    return await change(options, json);
  } finally {
    stopping.end();
    await opened.close();
  }
}

/** Runs that start later are left alone. */
async function newestOf(store: RunStore): Promise<Pick<Options, 'from'>> {
  const [newest] = await store.list({ limit: 1 });
  return newest ? { from: newest.id } : {};
}

/** Yields each page of a bulk action. */
async function* pagesOf(options: Parameters<typeof bulkRuns>[0]): AsyncGenerator<Awaited<ReturnType<typeof bulkRuns>>, void, undefined> {
  let before: string | undefined;
  do {
    const page = await bulkRuns({ ...options, ...(before === undefined ? {} : { before }) });
    yield page;
    before = page.next;
  } while (before !== undefined && !options.signal?.aborted);
}

async function listMatching(options: Options, json: boolean): Promise<number> {
  let count = 0;
  for await (const { runIds, outcomes } of pagesOf({ ...options, dryRun: true })) {
    count += runIds.length;
    for (const outcome of outcomes) print(json ? printableJson({ type: 'run', ...outcome }) : lineOf(outcome));
    if (outcomes.length === 0) for (const runId of runIds) print(json ? printableJson({ type: 'run', runId }) : runId);
  }
  if (json) print(printableJson({ type: 'summary', action: options.action, dryRun: true, matched: count }));
  else process.stderr.write(`${count} ${count === 1 ? 'run matches' : 'runs match'}. Nothing was changed.\n`);
  return exitCodes.done;
}

async function isConfirmed(options: Options): Promise<boolean> {
  let count = 0;
  for await (const { runIds } of pagesOf({ ...options, dryRun: true })) count += runIds.length;
  const reader = createLineReader();
  try {
    const answer = await reader.ask(`${options.action} ${count} ${count === 1 ? 'run' : 'runs'}? [y/N] `);
    return /^y(?:es)?$/i.test(answer?.trim() ?? '');
  } finally {
    reader.close();
  }
}

async function change(options: Options, json: boolean): Promise<number> {
  const counts = { done: 0, skipped: 0, failed: 0 };
  const onRun = (outcome: BulkOutcome): void => {
    counts[outcome.result]++;
    print(json ? printableJson({ type: 'run', ...outcome }) : lineOf(outcome));
  };
  for await (const _ of pagesOf({ ...options, dryRun: false, onRun }));
  const { action, signal } = options;
  const stopped = signal?.aborted ?? false;
  if (json) print(printableJson({ type: 'summary', action, dryRun: false, ...counts, ...(stopped ? { stopped } : {}) }));
  else {
    const { done, after } = words[action];
    const more = stopped ? ' Stopped: run the command again for the rest.' : '';
    process.stderr.write(
      `${done} ${counts.done} ${counts.done === 1 ? 'run' : 'runs'}, skipped ${counts.skipped}, failed ${counts.failed}.${counts.done > 0 ? after : ''}${more}\n`,
    );
  }
  if (stopped) return exitCodes.interrupted;
  return counts.failed > 0 ? exitCodes.failed : exitCodes.done;
}

function lineOf({ runId, result, error }: BulkOutcome): string {
  return escapeControls(error ? `${runId}  ${result}: ${error.code}: ${error.message}` : `${runId}  ${result}`);
}
