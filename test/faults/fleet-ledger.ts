import { once } from 'node:events';
import { createServer } from 'node:http';

/** The world of a fleet: a service that counts what runs do to it. It is slow enough to lose callers in the middle of a call. */
export interface FleetLedger extends AsyncDisposable {
  readonly url: string;
  /** Number of calls under this name and key. */
  count(what: string, key: string): number;
}

/** Number of calls of a `load` that fail. */
const failing = 4;

export async function fleetLedger(random: () => number): Promise<FleetLedger> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const [, what = '', key = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    const number = (counts.get(`${what} ${key}`) ?? 0) + 1;
    counts.set(`${what} ${key}`, number);
    request.resume();
    const answer = (): void => {
      response.statusCode = what === 'load' && number <= failing ? 503 : 200;
      response.end(`${what} ${number}`);
    };
    setTimeout(answer, 40 * random());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    count: (what, key) => counts.get(`${what} ${key}`) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
