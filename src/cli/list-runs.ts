import type { ListedRun, RunQuery } from '../index.ts';
import { databaseMayExist } from './database.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { withRuntime } from './open-runtime.ts';
import { type RunFilterFlags, toRunFilter } from './run-filter.ts';
import { noRuns, printRuns } from './tables.ts';
import { print } from './terminal.ts';
import { draftsOfRuns, isOurs } from './workflows.ts';

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
      if (unknown.length === 0) await printRuns(runtime, records, json, context);
      return unknown;
    });
    needed = [...needed, ...more];
  } while (more.length > 0);
}

const lacksVersion = ({ workflow, missing }: ListedRun): boolean => missing === 'workflow' && isOurs(workflow);
