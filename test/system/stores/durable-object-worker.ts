// A worker whose Durable Objects have a store: `/contract`, or `/run/URL-OF-A-LEDGER`, in an object of that path.
import { durableObjectStore } from 'agent-machines/stores';
import { runStoreContract } from 'agent-machines/testing';
import { payingRun } from './paying-run.ts';

type Storage = Parameters<typeof durableObjectStore>[0] & { deleteAll(): Promise<void> };

interface Environment {
  readonly OBJECTS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export class Home {
  readonly #storage: Storage;

  constructor({ storage }: { readonly storage: Storage }) {
    this.#storage = storage;
  }

  async fetch({ url }: Request): Promise<Response> {
    const [, task = '', ledger = ''] = new URL(url).pathname.split('/').map(decodeURIComponent);
    return Response.json(task === 'contract' ? await this.#contract() : await this.#run(ledger));
  }

  /** Only the store knows when: nobody asks for the run any more. */
  async alarm(): Promise<void> {
    const [kept] = this.#storage.sql.exec('SELECT url FROM ledger').toArray();
    await this.#run(String(kept?.url));
  }

  async #run(url: string): Promise<object> {
    this.#storage.sql.exec('CREATE TABLE IF NOT EXISTS ledger (url TEXT PRIMARY KEY)');
    this.#storage.sql.exec('INSERT OR IGNORE INTO ledger VALUES (?)', url);
    return payingRun({ store: durableObjectStore(this.#storage, { alarm: true }), url, leaseMs: 1_000 });
  }

  async #contract(): Promise<object> {
    const failed: string[] = [];
    const cases = runStoreContract(async () => {
      await this.#storage.deleteAll();
      return durableObjectStore(this.#storage);
    });
    for (const { name, run } of cases) await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`));
    return { cases: cases.length, failed };
  }
}

// biome-ignore lint/style/noDefaultExport: workerd looks for it
export default {
  fetch: (request: Request, { OBJECTS }: Environment): Promise<Response> =>
    OBJECTS.get(OBJECTS.idFromName(new URL(request.url).pathname)).fetch(request),
};
