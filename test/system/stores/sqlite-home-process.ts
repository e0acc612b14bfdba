// A process with a store in a SQLite file, for Node, Bun and Deno. Arguments: `file` or `bun:sqlite`, `contract`, `refusal` or `run`, the path, and for a run the URL of its ledger.
import type { RunStore } from 'agent-machines';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { runStoreContract } from 'agent-machines/testing';
import { payingRun } from './paying-run.ts';

interface BunSqlite {
  readonly Database: new (path: string, options?: object) => SqliteConnection;
}

const [kind = '', task = '', path = '', url = ''] = process.argv.slice(2);

function open(file: string, options?: object): RunStore {
  if (kind === 'file') return sqliteStore({ path: file });
  const bun = process.getBuiltinModule(kind) as unknown as BunSqlite; // no types of Bun's are installed
  return sqliteStore({ database: options ? new bun.Database(file, options) : new bun.Database(file) });
}

async function contract(): Promise<object> {
  let files = 0;
  const failed: string[] = [];
  const cases = runStoreContract(async () => open(`${path}-${files++}`));
  for (const { name, run } of cases) await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
  return { cases: cases.length, failed };
}

/** What is said of a database that was opened in a way that does not fit. */
function refusal(): object {
  try {
    open(path, { safeIntegers: true });
    return {};
  } catch (error) {
    return error instanceof Error ? { message: error.message } : {};
  }
}

const said = task === 'contract' ? await contract() : task === 'refusal' ? refusal() : await payingRun({ store: open(path), url });
console.log(JSON.stringify(said));
