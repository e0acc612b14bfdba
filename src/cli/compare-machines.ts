import { type Forecast, forecastRuns } from '../index.ts';
import { appModule } from './app-module.ts';
import { databaseMayExist, shownDatabase } from './database.ts';
import { exitCodes } from './exit-codes.ts';
import { openReadOnly } from './open-read-only.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface CompareMachinesFlags {
  readonly db: string;
  readonly json?: boolean;
  /** Path of the module to deploy. */
  readonly against: string;
}

/**
 * Shows how a module would handle the unfinished runs of a database, without writing anything. Exit code 1 if any run would be stranded.
 */
export async function compareMachines({ db, json = false, against: file }: CompareMachinesFlags): Promise<number> {
  const app = await appModule(file).load();
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${db}.`);
  const workflows = app.workflows.map((one) => ('workflow' in one ? one.workflow : one));
  const { store, close } = await openReadOnly(db);
  try {
    const forecasts = await forecastRuns({ store, workflows });
    for (const forecast of forecasts) print(json ? printableJson(forecast) : escapeControls(lineOf(forecast)));
    const count = (verdict: Forecast['verdict']): number => forecasts.filter((one) => one.verdict === verdict).length;
    const stranded = count('stranded');
    if (!json)
      print(
        `${shownDatabase(db)}: ${count('goes-on')} would continue, ${count('migrates')} would be migrated, ${stranded} would be stranded.`,
      );
    return stranded > 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    await close();
  }
}

function lineOf({ runId, threadId, workflow, version, status, verdict, to, error }: Forecast): string {
  const run = `run ${runId}${threadId === undefined ? '' : ` of thread ${threadId}`}: ${workflow} ${version}, ${status}`;
  const why = error && `${error.code}: ${error.message}`;
  if (verdict === 'stranded') return `✗ ${run}; stranded: ${why}`;
  if (verdict === 'migrates') return `✓ ${run}; would be migrated to ${to}${why ? `, and not further: ${why}` : ''}`;
  return why ? `· ${run}; would continue in ${to}, and is not migrated: ${why}` : `✓ ${run}; would continue`;
}
