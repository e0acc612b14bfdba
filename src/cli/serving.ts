import { fileURLToPath } from 'node:url';
import type { Metrics } from '../inspect/metrics/create-metrics.ts';
import type { ServerOptions } from '../server/create-server.ts';
import type { ServerLimitOptions } from '../server/http/server-limits.ts';
import { mcpRoutes } from '../server/mcp/index.ts';
import { isLoopback, type Listener, type ListenOptions, listen } from '../server/node/listen.ts';
import { staticFiles } from '../server/node/static-files.ts';
import { a2aRoutes, agUiRoutes, aiSdkRoutes, langGraphRoutes, openaiRoutes } from '../server/protocols/index.ts';
import { shownDatabase } from './database.ts';
import { evalFolder } from './eval-folder.ts';
import type { CommonFlags, ResumingFlags } from './flags.ts';
import { type LimitFlags, serverLimits } from './server-limits.ts';
import type { Settings } from './settings.ts';
import { stackOf } from './stack-of.ts';
import { escapeControls, print } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ServeFlags extends CommonFlags, ResumingFlags, LimitFlags, Settings {
  readonly port?: number;
  readonly host?: string;
  readonly name?: readonly string[];
  readonly token?: string;
  /** Header in which a proxy sends the client's address. */
  readonly addressHeader?: string;
  readonly concurrency: number;
  /** Limits of the config file. */
  readonly configured?: ServerLimitOptions;
  /** Time limit for draining, in seconds. */
  readonly drain: number;
  /** A user's module; its workflows replace the package's. */
  readonly app?: string;
  readonly watch?: boolean;
  /** Folder with the reports of evals. */
  readonly evals?: string;
  /** True opens the page in the browser. */
  readonly open?: boolean;
}

const usualPort = 4680;
/** Minimum length: a token that is set by hand protects a server that a whole network can reach. */
const minTokenChars = 16;

/** Variable with the clients' token: other users of the machine see the arguments of a process, but not its environment. */
const tokenVariable = 'AGENT_MACHINES_TOKEN';

/** True when the token is in the environment only. It is then not printed, because output ends up in logs. */
const isTokenHidden = ({ token }: Pick<ServeFlags, 'token'>): boolean => token === undefined && process.env[tokenVariable] !== undefined;

/** Variable with the token of a scraper. */
export const metricsTokenVariable = 'AGENT_MACHINES_METRICS_TOKEN';

/** @param source flag or variable that has it. */
export function checkToken(source: string, token: string): void {
  if (token.length < minTokenChars) throw new UsageError(`${source} is shorter than ${minTokenChars} characters.`);
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${source} has characters that a header cannot contain.`);
}

/** Options of a server for the metrics of its process. */
export function servedMetrics(metrics: Metrics): Pick<ServerOptions, 'metrics' | 'metricsToken'> {
  const metricsToken = process.env[metricsTokenVariable];
  if (metricsToken !== undefined) checkToken(metricsTokenVariable, metricsToken);
  return { metrics, ...(metricsToken === undefined ? {} : { metricsToken }) };
}

export function tokenOf({ token: given, host }: ServeFlags): string {
  const source = given === undefined ? tokenVariable : '--token';
  const token = given ?? process.env[tokenVariable];
  if (token !== undefined) checkToken(source, token);
  if (token === undefined && host !== undefined && !isLoopback(host)) {
    throw new UsageError(
      `--host ${host} opens the server to other machines. Set ${tokenVariable} or --token to at least ${minTokenChars} characters.`,
    );
  }
  return token ?? Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** Listens at the usual port; at another one if requested, or if the usual port is in use. */
export async function listenAt(
  { port, host, name, drain, addressHeader }: ServeFlags,
  server: Parameters<typeof listen>[0]['server'],
): Promise<Listener> {
  const options = { server, host, names: name, drainMs: 1000 * drain, addressOf: addressIn(addressHeader) };
  try {
    return await listen({ ...options, port: port ?? usualPort });
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code === 'EADDRINUSE' && port === undefined) return listen(options);
    if (code === 'EADDRINUSE') throw new UsageError(`The port ${port} is in use. Leave out --port to use a free one.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError(`This machine has no address ${host}.`);
    throw cause;
  }
}

/** Reads the client's address from the header that a proxy sets. A request without it counts for the proxy. */
function addressIn(header: string | undefined): ListenOptions['addressOf'] {
  if (header === undefined) return undefined;
  if (!/^[\w-]+$/.test(header)) throw new UsageError(`--address-header "${header}" is not the name of a header, such as x-real-ip.`);
  return ({ headers }, peer) => headers.get(header) ?? peer;
}

/** Server options that are the same for all apps. */
export const served = (flags: ServeFlags): Pick<ServerOptions, 'evals' | 'limits' | 'mounts' | 'page' | 'onError'> => ({
  ...(flags.evals === undefined ? {} : { evals: evalFolder(flags.evals) }),
  limits: serverLimits(flags, flags.configured),
  mounts: [
    (space) => aiSdkRoutes(space),
    (space) => agUiRoutes(space),
    (space) => openaiRoutes(space),
    (space) => langGraphRoutes(space),
    (space) => a2aRoutes(space),
    (space) => mcpRoutes(space),
  ],
  page: studioPage(),
  onError: printFailure,
});

/** The studio's files are next to the command line in a built package. */
const studioPage = (): ReturnType<typeof staticFiles> =>
  staticFiles(
    fileURLToPath(new URL('../studio/page', import.meta.url)),
    'The studio is not built. Run `npm run build`. The API is below /api/, and /api/openapi.json describes it.\n',
  );

export function printAddress({ url }: Listener, token: string, flags: Pick<ServeFlags, 'json' | 'db' | 'token'>): void {
  const isHidden = isTokenHidden(flags);
  const address = isHidden ? url : `${url}/#token=${token}`;
  print(flags.json ? JSON.stringify(isHidden ? { url } : { url, token, studio: address }) : address);
  if (flags.json) return;
  const access = isHidden ? `The token is that of ${tokenVariable}.` : 'Anyone with this address can do what you can.';
  process.stderr.write(`Serving the runs of ${escapeControls(shownDatabase(flags.db))}. ${access} Ctrl-C stops.\n`);
}

const printFailure = ({
  requestId,
  method,
  path,
  error,
}: {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly error: unknown;
}): void => {
  process.stderr.write(`${requestId} ${method} ${escapeControls(path)}: ${stackOf(error, true)}\n`);
};

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
