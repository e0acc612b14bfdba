import type { ListedRun, RunQuery, Runtime } from '../index.ts';
import { databaseMayExist } from './database.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { withRuntime } from './open-runtime.ts';
import { type RunFilterFlags, toRunFilter } from './run-filter.ts';
import { noRuns, printRuns } from './tables.ts';
import { escapeControls, print } from './terminal.ts';
import { draftsOfRuns, isOurs } from './workflows.ts';

/** Number of runs that a hint looks at, and of those whose journal it reads. */
const newest = 200;
const readJournals = 20;

export interface ListFlags extends CommonFlags, RunFilterFlags {
  readonly limit: number;
}

/** Lists the runs of a database. A missing database is not created and has no runs. */
export async function listRuns(flags: ListFlags): Promise<void> {
  const { limit, json = false } = flags;
  const context = { dbFlag: dbFlag(flags) };
  if (!databaseMayExist(flags.db)) {
    if (!json) print(noRuns(context));
    return;
  }
  const query: RunQuery = { ...toRunFilter(flags), limit };
  // only unfinished runs need their workflow, to check whether this program can resume them
  let needed: readonly string[] = [];
  let more: readonly string[];
  do {
    more = await withRuntime(flags, await draftsOfRuns(needed), async (runtime) => {
      const records = await runtime.list(query);
      const unknown = records.filter(lacksVersion).map(({ workflow }) => workflow);
      if (unknown.length > 0) return unknown;
      await printRuns(runtime, records, json, context);
      if (records.length === 0) await hintAtKnown(runtime, flags);
      return [];
    });
    needed = [...needed, ...more];
  } while (more.length > 0);
}

/** Names what a filter could have meant. Looks at the newest runs only. */
async function hintAtKnown(runtime: Runtime, { workflow, code }: ListFlags): Promise<void> {
  if (workflow !== undefined && (await runtime.list({ workflow, limit: 1 })).length === 0) {
    const known = (await runtime.list({ limit: newest })).map((record) => record.workflow);
    tell(`No run has the workflow ${JSON.stringify(workflow)}.`, 'Workflows with runs', known);
  }
  if (code !== undefined && (await runtime.list({ code, limit: 1 })).length === 0) {
    const failed = await runtime.list({ status: 'failed', limit: readJournals });
    const results = await Promise.all(failed.map(async ({ id }) => (await runtime.get(id)).result));
    const known = results.flatMap((result) => (result?.status === 'failed' ? [result.error.code] : []));
    tell(`No run has the error code ${JSON.stringify(code)}.`, 'Codes of failed runs', known);
  }
}

function tell(issue: string, title: string, known: readonly string[]): void {
  const names = [...new Set(known)].sort().join(', ');
  process.stderr.write(`${escapeControls(names === '' ? issue : `${issue} ${title}: ${names}.`)}\n`);
}

const lacksVersion = ({ workflow, missing }: ListedRun): boolean => missing === 'workflow' && isOurs(workflow);
