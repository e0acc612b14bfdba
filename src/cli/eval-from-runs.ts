import { writeFile } from 'node:fs/promises';
import type { EvalCase } from 'agent-machines/evals';
import { systemClock } from '../core/util/system-clock.ts';
import type { AnyWorkflow, Json, RunInfo, RunRating, RunStore, Runtime } from '../index.ts';
import { databaseMayExist, defaultDb } from './database.ts';
import type { EvalFlags } from './eval.ts';
import type { LoadedEval } from './eval-file.ts';
import { exitCodes } from './exit-codes.ts';
import { openReadOnly } from './open-read-only.ts';
import { print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes the stored runs of the eval's workflow as cases, one line of JSON each, newest first. Secrets are removed.
 *
 * @throws {UsageError} for a missing database, an existing file, no usable run, and runs with personal data unless they are allowed.
 */
export async function writeCases({ definition }: LoadedEval, flags: EvalFlags): Promise<number> {
  const { db = defaultDb, out, since, rated, limit, personalData = false, json = false } = flags;
  if (out === undefined) throw new UsageError('--from-runs needs --out FILE.jsonl for the cases.');
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${db}. Name it with --db.`);
  const { createTape, cassetteModel } = await import('../testing/evals/index.ts');
  const { createRuntime } = await import('../index.ts');
  const workflow = await definition.workflow(cassetteModel(createTape()), {
    clock: systemClock,
    tool: (tool) => tool,
    model: () => cassetteModel(createTape()),
  });
  const database = await openReadOnly(db);
  try {
    const runtime = createRuntime({ store: database.store });
    const found = await casesOf(runtime, workflow, {
      limit,
      since,
      isWanted: wantedBy(database.store, rated),
      toExpected: (output) => definition.expectedFromOutput?.(output) ?? output,
    });
    const held = found.cases.filter(({ hasPersonalData }) => hasPersonalData);
    if (held.length > 0 && !personalData) {
      throw new UsageError(
        `${held.length} of ${found.cases.length} runs hold personal data, such as an address or a number: ${held
          .slice(0, 3)
          .map(({ one }) => one.name)
          .join(', ')}${held.length > 3 ? ', …' : ''}. Nothing was written. --personal-data writes them as they are.`,
      );
    }
    const skipped = [...found.skipped].map(([why, count]) => `${count} skipped: ${why}`);
    if (found.cases.length === 0) {
      throw new UsageError(`${db} has no run of ${workflow.id} to make a case of. ${skipped.join('. ')}`.trim());
    }
    await writeNew(out, `${found.cases.map(({ one }) => JSON.stringify(one)).join('\n')}\n`);
    if (json)
      print(printableJson({ file: out, cases: found.cases.length, personalData: held.length, skipped: Object.fromEntries(found.skipped) }));
    else
      print(
        [
          `${found.cases.length} ${found.cases.length === 1 ? 'case' : 'cases'} in ${out}.`,
          ...skipped,
          `Use them in the eval: cases: './${out}'`,
        ].join('\n'),
      );
    return exitCodes.done;
  } finally {
    await database.close();
  }
}

interface Found {
  readonly cases: readonly { readonly one: EvalCase<Json, Json>; readonly hasPersonalData: boolean }[];
  /** Number of runs by the reason why they make no case. */
  readonly skipped: ReadonlyMap<string, number>;
}

interface Choice {
  readonly limit: number;
  /** Largest age of a run in milliseconds. */
  readonly since: number | undefined;
  /** Selects the runs with the wanted rating. */
  readonly isWanted: (runIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly toExpected: (output: Json) => unknown;
}

async function casesOf(runtime: Runtime, workflow: AnyWorkflow, { limit, since, isWanted, toExpected }: Choice): Promise<Found> {
  const { caseOfRun } = await import('../testing/evals/index.ts');
  const runs = await runtime.list({ workflow: workflow.id, limit });
  const wanted = await isWanted(runs.map(({ id }) => id));
  const oldest = since === undefined ? 0 : Date.now() - since;
  const cases: Found['cases'][number][] = [];
  const skipped = new Map<string, number>();
  for (const run of runs) {
    if (run.startedAt < oldest || !wanted.has(run.id)) continue;
    const info: RunInfo = await runtime.get(run.id);
    const made = caseOfRun(workflow, { info, history: await runtime.history(run.id), toExpected });
    if ('one' in made) cases.push(made);
    else skipped.set(made.skipped, (skipped.get(made.skipped) ?? 0) + 1);
  }
  return { cases, skipped };
}

/** @throws {UsageError} for a store without ratings. */
function wantedBy(store: RunStore, rated: RunRating | undefined): Choice['isWanted'] {
  return async (runIds) => {
    if (rated === undefined) return new Set(runIds);
    const ratings = await store.ratings?.(runIds);
    if (!ratings) throw new UsageError('The store keeps no ratings. Remove --rated.');
    return new Set(runIds.filter((id) => ratings.get(id) === rated));
  };
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}. Name a new file.`);
  }
}
