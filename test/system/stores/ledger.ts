import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** What was paid and written, told by runs of paying-run.ts, which it has killed where it was told to. */
export interface Ledger extends AsyncDisposable {
  readonly url: string;
  readonly paid: readonly string[];
  /** All that was told, in order. */
  readonly told: readonly string[];
  /** Settles when that is paid. */
  whenPaid(key: string): Promise<void>;
  /** Calls `kill` at that payment or write from now on, from 1, and does not answer: whoever waits for the answer is dead by then. */
  killAt(number: number, kill: () => void): void;
  /** What is served under other paths, by name. */
  readonly files: Map<string, { readonly type: string; readonly body: string | Uint8Array }>;
}

export async function openLedger(): Promise<Ledger> {
  const paid: string[] = [];
  const told: string[] = [];
  const files: Ledger['files'] = new Map();
  const waiting = new Map<string, () => void>();
  let left = Number.POSITIVE_INFINITY;
  let kill = (): void => {};
  const server = createServer((request, response) => {
    const [, what = '', key = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (what === 'paid') return void response.end(paid.includes(key) ? 'yes' : 'no');
    if (what === 'pay' || what === 'wrote') {
      if (what === 'pay') {
        paid.push(key);
        waiting.get(key)?.();
      }
      told.push(`${what} ${key}`);
      if (--left === 0) return kill();
      return void response.end(key);
    }
    const file = files.get(what);
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' }).end(file?.body ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    paid,
    told,
    files,
    whenPaid: (key) => new Promise((resolve) => waiting.set(key, resolve)),
    killAt(number, given) {
      left = number;
      kill = given;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
