import { readAudit } from '../stores/index.ts';
import { databaseMayExist } from './database.ts';
import type { CommonFlags } from './flags.ts';
import { openReadOnly } from './open-read-only.ts';
import { columnsOf, print, printableJson, table } from './terminal.ts';

export interface AuditFlags extends CommonFlags {
  /** Age of the oldest entry, in milliseconds. */
  readonly since: number;
  readonly limit: number;
}

/** Prints who has asked for what, the oldest first. A missing database is not created and has no entries. */
export async function printAudit({ db, json, since, limit }: AuditFlags): Promise<void> {
  if (!databaseMayExist(db)) return;
  const { store, close } = await openReadOnly(db);
  try {
    const entries = await readAudit(store, { since: Date.now() - since, limit });
    if (json) {
      for (const entry of entries) print(printableJson(entry));
      return;
    }
    const rows = entries.map(({ at, action, by, runId, threadId, schedule, outcome }) => [
      new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      action,
      outcome,
      runId ?? threadId ?? schedule ?? '',
      by.via,
      by.name ?? '',
      by.tenant ?? '',
      by.client ?? '',
    ]);
    print(table([['AT', 'ACTION', 'OUTCOME', 'SUBJECT', 'VIA', 'NAME', 'TENANT', 'CLIENT'], ...rows], columnsOf(process.stdout)));
  } finally {
    await close();
  }
}
