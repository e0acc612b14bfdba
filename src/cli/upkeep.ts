import { isPostgresAddress } from '../core/util/postgres-address.ts';
import { audited } from '../engine/run/audit-log.ts';
import { systemClock } from '../index.ts';
import type { EndedStatus } from '../stores/upkeep/prune-runs.ts';
import type { StoreStatus } from '../stores/upkeep/store-status.ts';
import type { StoreVerdict } from '../stores/upkeep/verify-store.ts';
import type { BackupFolderFlags } from './backup-folder.ts';
import { cliActor } from './cli-actor.ts';
import { databaseMayExist, openDatabase, shownDatabase } from './database.ts';
import { commandLine, hintOf } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { shellWord } from './shell-words.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Shows the status of a database, without changing it. Exit code 1 if it is missing, or not usable with this program. */
export async function showStatus(flags: CommonFlags): Promise<number> {
  const status = await statusOf(flags.db);
  if (flags.json) print(printableJson({ type: 'status', database: shownDatabase(flags.db), ...status }));
  else for (const line of statusLines(flags, status)) print(escapeControls(line));
  return ['missing', 'foreign', 'unsupported', 'newer'].includes(status.state) ? exitCodes.failed : exitCodes.done;
}

/**
 * Migrates the tables, like every command that opens the database, and erases remains of removed text that earlier versions left. A missing
 * database is not created.
 */
export async function migrateDatabase(flags: CommonFlags): Promise<number> {
  const before = await statusOf(flags.db);
  if (before.state === 'missing') return showStatus(flags);
  const store = await openDatabase(flags.db);
  await store.tally(); // opens a file that was locked before
  await store.close();
  const { version, toScrub = false } = await statusOf(flags.db);
  if (toScrub) await (await import('../stores/sqlite/scrub-sqlite.ts')).scrubSqlite(flags.db);
  const from = before.version ?? 0;
  if (flags.json) {
    print(printableJson({ type: 'migrated', database: shownDatabase(flags.db), from, to: version, ...(toScrub && { scrubbed: true }) }));
  } else {
    print(from === version ? `Up to date: version ${version}.` : `Migrated: version ${from} → ${version}.`);
    if (toScrub) print('Rewrote the file. Text that was removed before is now gone from it.');
  }
  return exitCodes.done;
}

export interface BackupFlags extends CommonFlags, Partial<BackupFolderFlags> {
  readonly db: string;
}

/** Copies a SQLite file to another one, or into a folder. Exit code 1 if the copy has problems. */
export async function backupDatabase(file: string | undefined, flags: BackupFlags): Promise<number> {
  const { db, to, every, keep } = flags;
  if (isPostgresAddress(db)) throw new UsageError(dumpAdvice(file ?? 'agents.dump', shownDatabase(db)));
  if ((file === undefined) === (to === undefined)) throw new UsageError('Name a new file, or a folder with --to.');
  if (to === undefined && (every !== undefined || keep !== undefined)) throw new UsageError('--every and --keep need --to.');
  assertThere(db);
  if (to !== undefined) {
    const { backupToFolder } = await import('./backup-folder.ts');
    return backupToFolder({ ...flags, to }, (copy, verdict) => {
      if (!flags.json) print(`Copied to ${escapeControls(copy)}.`);
      return showVerdict('backed-up', verdict, { ...flags, file: copy });
    });
  }
  return backupToFile(file ?? '', flags);
}

async function backupToFile(file: string, flags: CommonFlags): Promise<number> {
  const { backupSqlite } = await import('../stores/sqlite/backup-sqlite.ts');
  const verdict = await backupSqlite(flags.db, file);
  if (!flags.json) print(`Copied to ${escapeControls(file)}.`);
  return showVerdict('backed-up', verdict, { ...flags, file });
}

/** Restores a SQLite file from a backup. Exit code 1 if the backup has problems; nothing is written then. */
export async function restoreDatabase(
  file: string,
  { replace = false, ...flags }: CommonFlags & { readonly replace?: boolean },
): Promise<number> {
  const { db } = flags;
  if (isPostgresAddress(db)) throw new UsageError('A server is restored with pg_restore. Then check it with `db verify`.');
  assertThere(file);
  if (databaseMayExist(db) && !replace)
    throw new UsageError(`The database ${db} already exists. Restore to another file, or pass --replace.`);
  const { restoreSqlite } = await import('../stores/sqlite/restore-sqlite.ts');
  const verdict = await restoreSqlite(file, db, { replace });
  if (!flags.json && verdict.problems.length === 0) print(`Restored ${escapeControls(db)}.`);
  return showVerdict('restored', verdict, { ...flags, file });
}

/** Checks the whole database. Exit code 1 if it has problems. */
export const verifyDatabase = async (flags: CommonFlags): Promise<number> => showVerdict('verified', await verdictOf(flags.db), flags);

function showVerdict(type: string, verdict: StoreVerdict, { db, json, file }: CommonFlags & { readonly file?: string }): number {
  const { problems, ...counts } = verdict;
  if (json) print(printableJson({ type, database: shownDatabase(db), ...(file === undefined ? {} : { file }), ...verdict }));
  else {
    for (const { code, message } of problems) print(escapeControls(`✗ ${code}: ${message}`));
    print(problems.length === 0 ? `✓ ${countsOf(counts)}: all sound.` : `${countsOf(counts)}: ${problems.length} of them damaged.`);
  }
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

export interface PruneFlags extends CommonFlags {
  /** In milliseconds. */
  readonly olderThan: number;
  readonly keep: number;
  readonly status?: readonly EndedStatus[];
  readonly threads?: boolean;
  readonly dryRun?: boolean;
}

/** Removes runs that ended long ago. */
export async function pruneDatabase({ olderThan, keep, status, threads = false, dryRun = false, ...flags }: PruneFlags): Promise<number> {
  assertThere(flags.db);
  const { pruneRuns } = await import('../stores/upkeep/prune-runs.ts');
  const store = await openDatabase(flags.db);
  try {
    const options = { olderThanMs: olderThan, keep, threads, dryRun, ...(status ? { statuses: status } : {}) };
    const prune = (): ReturnType<typeof pruneRuns> => pruneRuns(store, options);
    const pruned = dryRun ? await prune() : await audited({ store, clock: systemClock }, cliActor(), { action: 'prune' }, prune);
    if (flags.json) print(printableJson({ type: 'pruned', database: shownDatabase(flags.db), dryRun, ...pruned }));
    else {
      const what = `${pruned.runs} runs${pruned.threads > 0 ? `, and with them ${pruned.threads} threads` : ''}`;
      process.stderr.write(dryRun ? `Would remove ${what}.\n` : `Removed ${what}.\n`);
    }
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

async function statusOf(db: string): Promise<StoreStatus> {
  if (isPostgresAddress(db)) return (await import('../stores/postgres/postgres-status.ts')).postgresStatus({ connectionString: db });
  return (await import('../stores/sqlite/sqlite-status.ts')).sqliteStatus(db);
}

async function verdictOf(db: string): Promise<StoreVerdict> {
  if (isPostgresAddress(db)) return (await import('../stores/postgres/verify-postgres.ts')).verifyPostgres({ connectionString: db });
  assertThere(db);
  return (await import('../stores/sqlite/verify-sqlite.ts')).verifySqlite(db);
}

function assertThere(db: string): void {
  if (!databaseMayExist(db)) throw new UsageError(`There is no database ${db}.`);
}

const states: Readonly<Record<StoreStatus['state'], string>> = {
  missing: 'does not exist',
  empty: 'has no tables yet',
  foreign: 'belongs to another program',
  unsupported: 'is too old for this program',
  older: 'is older',
  current: 'is up to date',
  newer: 'is newer than this program',
};

function statusLines(flags: CommonFlags, status: StoreStatus): readonly string[] {
  const { kind, state, version, known, bytes = 0, logBytes = 0, threads, runs, parked, generation, oldestWaiting, toScrub } = status;
  const versions =
    version === undefined ? '' : state === 'current' ? `, version ${version}` : `, version ${version} (this program knows ${known})`;
  const head = `${shownDatabase(flags.db)} ${states[state]}${versions}`;
  if (state === 'unsupported') return [head, hintOf({ code: 'STORE_VERSION', data: { oldest: known } })];
  if (runs === undefined) return [head];
  const counts = Object.entries(runs)
    .sort()
    .map(([name, count]) => `${count} ${name}`);
  const total = Object.values(runs).reduce((sum, count) => sum + count, 0);
  return [
    head,
    `size: ${sizeOf(bytes)}${kind === 'sqlite' && logBytes > 0 ? `, ${sizeOf(logBytes)} of it log` : ''}`,
    `runs: ${total}${total > 0 ? ` (${counts.join(', ')})` : ''}`,
    ...(parked === undefined
      ? []
      : [`parked after three crashes: ${parked}; see why: ${commandLine('runs --status running', dbFlag(flags))}`]),
    `threads: ${threads}`,
    ...(generation === undefined ? [] : [`generation: ${generation}`]),
    ...(oldestWaiting
      ? [
          `waits longest: ${oldestWaiting.runId} (${oldestWaiting.workflow}, ${oldestWaiting.status}) since ${new Date(oldestWaiting.since).toISOString()}`,
        ]
      : []),
    ...(toScrub && state === 'current'
      ? [`Removed text may still be in the file. Clear it: ${commandLine('db migrate', dbFlag(flags))}`]
      : []),
    ...(state === 'older' ? [`Migrate it: ${commandLine('db migrate', dbFlag(flags))}`] : []),
  ];
}

const sizeOf = (bytes: number): string => (bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`);

const countsOf = ({ runs, entries, threads }: Omit<StoreVerdict, 'problems'>): string =>
  `${runs} runs with ${entries} entries, ${threads} threads`;

/** Advice to use the server's own tools, which know all related objects. */
const dumpAdvice = (file: string, address: string): string =>
  [
    'Copy a database on a server with its own tools. To copy and to restore:',
    `  pg_dump --format=custom --schema=agent_machines --file=${shellWord(file)} ${shellWord(address)}`,
    `  pg_restore --dbname=${shellWord(address)} ${shellWord(file)}`,
  ].join('\n');
