// A process with a store in a SQLite file, for Node, Bun and Deno. Arguments: `file` or `bun:sqlite`, `contract`, `forget`, `refusal` or `run`, the path, and for a run the URL of its ledger, or what is to be forgotten.
import { createRuntime, type RunStore } from 'agent-machines';
import { type SqliteConnection, sqliteStore } from 'agent-machines/stores/sqlite';
import { runStoreContract } from 'agent-machines/testing';
import { final, logWorkflow, node, says } from '../../fixtures/log-workflow.ts';
import { payingRun } from './paying-run.ts';

interface BunSqlite {
  readonly Database: new (path: string, options?: object) => SqliteConnection;
}

const said = logWorkflow({ id: 'said', states: { say: node('say', 'done'), done: final, failed: final }, nodes: { say: says('said') } });

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

/** Writes a text, changes it, removes it, and says how many runs were removed. The store stays open. */
async function forget(): Promise<object> {
  const store = open(path);
  const runtime = createRuntime({ store, workflows: [said] });
  for (const text of [url, url.repeat(300), url]) {
    const run = runtime.start(said, { log: [text] }, { threadId: 'forgotten' });
    await run.result;
  }
  return { removed: await store.remove({ threadId: 'forgotten' }) };
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

const done =
  task === 'contract'
    ? await contract()
    : task === 'forget'
      ? await forget()
      : task === 'refusal'
        ? refusal()
        : await payingRun({ store: open(path), url });
console.log(JSON.stringify(done));
