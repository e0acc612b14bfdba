import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime, createWorker } from '../index.ts';
import { mcpRoutes } from '../mcp/index.ts';
import { agUiRoutes, aiSdkRoutes, openaiRoutes } from '../protocols/index.ts';
import { createServer } from '../server/create-server.ts';
import type { ModelInfo } from '../server/index.ts';
import { documentFolder } from '../server/node/document-folder.ts';
import { isLoopback, type Listener, listen } from '../server/node/listen.ts';
import { staticFiles } from '../server/node/static-files.ts';
import { sqliteStore } from '../stores/sqlite-store.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, toSettings } from './flags.ts';
import { openMemory } from './long-term-memory.ts';
import { memoryPathOf } from './memory-path.ts';
import { modelOf } from './model-of.ts';
import { openInBrowser } from './open-in-browser.ts';
import { createOpened } from './opened.ts';
import { servedWorkflows } from './served-workflows.ts';
import type { Settings } from './settings.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { escapeControls, print } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { createWorkflowMaker } from './workflow-maker.ts';
import { allTools } from './workflows.ts';

export interface ServeFlags extends CommonFlags, Settings {
  readonly port?: number;
  readonly host?: string;
  readonly name?: readonly string[];
  readonly token?: string;
  readonly concurrency: number;
  /** Seconds. */
  readonly drain: number;
  /** Show it in the browser. */
  readonly open?: boolean;
}

const usualPort = 4680;
/** A token that is set by hand guards what a whole network can reach. */
const minTokenChars = 16;

/** Serves the workflows until SIGTERM or Ctrl-C. A second one ends the process at once. Returns the exit code. */
export async function serve(flags: ServeFlags): Promise<number> {
  const { db, concurrency, drain, json = false } = flags;
  const token = tokenOf(flags);
  const opened = createOpened();
  const stopping = stopOnSignal();
  try {
    const store = sqliteStore({ path: db });
    opened.add(() => store.close());
    const settings = toSettings(flags);
    const maker = createWorkflowMaker(settings, opened);
    const documents = documentFolder({
      folder: `${resolve(db).replace(/\.db$/, '')}.uploads`,
      standard: settings.standard ?? exampleContract('standard-service.md'),
    });
    const workflows = await servedWorkflows(withExample(settings), maker, documents);
    let memories: ReturnType<typeof openMemory> | undefined;
    const runtime = createRuntime({ store, workflowFor: maker.ofRun });
    opened.add(() => runtime.close());
    const listener = await listenAt(flags, (hosts) =>
      createServer({
        hosts,
        tokens: token,
        runtime,
        store,
        workflows,
        workflowOf: maker.ofRun,
        documents,
        memories: () => (memories ??= openMemory({ ...settings, path: memoryPathOf(db) }, opened)),
        tools: () => allTools(settings),
        model: () => modelInfoOf(settings),
        mounts: [(space) => aiSdkRoutes(space), (space) => agUiRoutes(space), (space) => openaiRoutes(space), (space) => mcpRoutes(space)],
        page: studioPage(),
        onError: tellFailure,
      }),
    );
    opened.add(() => listener.close());
    const worker = createWorker({ runtime, concurrency, drainMs: 1000 * drain, signal: stopping.signal });
    tellAddress(listener, token, { json, db });
    if (flags.open) openInBrowser(`${listener.url}/#token=${token}`);
    await aborted(stopping.signal);
    await listener.close();
    await worker.closed;
    return exitCodes.done;
  } finally {
    stopping.end();
    await opened.close();
  }
}

function tokenOf({ token, host }: ServeFlags): string {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new UsageError('--token has characters that no header can hold.');
  if (token !== undefined && token.length < minTokenChars) throw new UsageError(`--token is shorter than ${minTokenChars} characters.`);
  if (token === undefined && host !== undefined && !isLoopback(host)) {
    throw new UsageError(`--host ${host} lets other machines in: set a --token of at least ${minTokenChars} characters, too.`);
  }
  return token ?? Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** At the usual port, unless another one was asked for or somebody has it. */
async function listenAt({ port, host, name, drain }: ServeFlags, server: Parameters<typeof listen>[0]['server']): Promise<Listener> {
  const options = { server, host, names: name, drainMs: 1000 * drain };
  try {
    return await listen({ ...options, port: port ?? usualPort });
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code === 'EADDRINUSE' && port === undefined) return listen(options);
    if (code === 'EADDRINUSE') throw new UsageError(`The port ${port} is taken. Leave --port out for one that is free.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError(`This machine has no address ${host}.`);
    throw cause;
  }
}

/** A contract that is shipped: who has given none can ask about that one. */
function exampleContract(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../machines/contract-agent/examples/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function withExample(settings: Settings): Settings {
  const contract = settings.contract ?? exampleContract('service.md');
  const standard = settings.standard ?? (settings.contract === undefined ? exampleContract('standard-service.md') : undefined);
  return { ...settings, ...(contract === undefined ? {} : { contract }), ...(standard === undefined ? {} : { standard }) };
}

/** What answers where nothing else is said of a node. */
async function modelInfoOf(settings: Settings): Promise<ModelInfo> {
  const model = await modelOf(settings);
  const address = settings.baseUrl ?? process.env.OPENAI_BASE_URL;
  if (!model) return { offline: true };
  return { name: model.name, ...(address === undefined ? {} : { address: new URL(address).host }), offline: false };
}

/** The studio's files stand beside the command line when the package was built. */
const studioPage = (): ReturnType<typeof staticFiles> =>
  staticFiles(
    fileURLToPath(new URL('../studio', import.meta.url)),
    'The studio is not built here: run `npm run build`. The API is below /api/, and /api/openapi.json describes it.\n',
  );

function tellAddress({ url }: Listener, token: string, { json, db }: { readonly json: boolean; readonly db: string }): void {
  const address = `${url}/#token=${token}`;
  print(json ? JSON.stringify({ url, token, studio: address }) : address);
  if (json) return;
  process.stderr.write(`Serving the runs of ${escapeControls(db)}. Whoever has this address can do what you can. Ctrl-C stops.\n`);
}

const tellFailure = ({
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
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${requestId} ${method} ${escapeControls(path)}: ${escapeControls(said)}\n`);
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
