import { listWorkers, type WorkerStatus } from '../index.ts';
import { databaseMayExist } from './database.ts';
import { commandLine } from './error-hints.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { openReadOnly } from './open-read-only.ts';
import { columnsOf, print, printableJson, table } from './terminal.ts';

/** Prints the workers and servers of a database, the oldest first. A missing database is not created and has none. */
export async function printWorkers(flags: CommonFlags): Promise<void> {
  const workers = databaseMayExist(flags.db) ? await workersOf(flags.db) : [];
  if (flags.json) {
    for (const worker of workers) print(printableJson(worker));
    return;
  }
  if (workers.length === 0) {
    print(`No worker. Start one: ${commandLine('work', dbFlag(flags))}`);
    return;
  }
  const now = Date.now();
  const rows = workers.map(({ id, role, state, version = '', host, pid, used, slots, since, seenAt, workflows, runs }) => [
    id,
    role,
    state,
    version,
    `${host}/${pid}`,
    `${used}/${slots}`,
    ageOf(now - since),
    ageOf(now - seenAt),
    state === 'lost' ? runs.join(' ') : workflows.join(', '),
  ]);
  print(
    table(
      [['WORKER', 'ROLE', 'STATE', 'VERSION', 'HOST/PID', 'USED', 'SINCE', 'SEEN', 'WORKFLOWS, OR RUNS LEFT'], ...rows],
      columnsOf(process.stdout),
    ),
  );
}

async function workersOf(db: string): Promise<readonly WorkerStatus[]> {
  const { store, close } = await openReadOnly(db);
  try {
    return await listWorkers(store);
  } finally {
    await close();
  }
}

/** `3 s`, `5 min`, `2 h` or `4 d`. The clocks of two machines may differ, so it is never negative. */
function ageOf(ageMs: number): string {
  const seconds = Math.max(0, Math.round(ageMs / 1_000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 200_000 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
