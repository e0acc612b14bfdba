import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedOnce } from '../core/util/loaded-once.ts';
import { createRuntime, createWorker } from '../index.ts';
import { createServer } from '../server/create-server.ts';
import type { ModelInfo } from '../server/index.ts';
import { documentFolder } from '../server/node/document-folder.ts';
import type { Listener } from '../server/node/listen.ts';
import { readConfigFile } from './config-file.ts';
import { localPathOf, memoryPathOf, openStore } from './database.ts';
import { exitCodes } from './exit-codes.ts';
import { toSettings } from './flags.ts';
import { folderOf } from './folder-of.ts';
import { openMemory } from './long-term-memory.ts';
import { modelOf } from './model-of.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import { readOwnManifest } from './own-manifest.ts';
import { type AppServing, serveApp } from './serve-app.ts';
import { servedWorkflows } from './served-workflows.ts';
import { aborted, listenAt, printAddress, type ServeFlags, served, servedMetrics, tokenOf } from './serving.ts';
import type { Settings } from './settings.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tracedServer } from './telemetry.ts';
import { UsageError } from './usage-error.ts';
import { commandMetrics } from './worker-metrics.ts';
import { createWorkflowMaker } from './workflow-maker.ts';
import { allTools } from './workflows.ts';

/** Serves the workflows until SIGTERM or Ctrl-C; a second signal ends the process at once. Returns the exit code. */
export async function serve(flags: ServeFlags): Promise<number> {
  const { app, watch } = flags;
  if (watch && app === undefined) throw new UsageError('--watch needs --app FILE.');
  if (flags.evals !== undefined) folderOf('--evals', flags.evals);
  const token = tokenOf(flags);
  const opened = createOpenResources();
  const stopping = stopOnSignal();
  try {
    const config = await readConfigFile(process.cwd());
    const configured = config?.server.limits;
    const serving = { flags: { ...flags, ...(configured ? { configured } : {}) }, token, opened, signal: stopping.signal };
    const { listener, closed } = await (app === undefined ? serveOwn(serving) : serveApp(serving, app));
    printAddress(listener, token, flags);
    if (flags.open) openInBrowser(`${listener.url}/#token=${token}`);
    await aborted(stopping.signal);
    await listener.close();
    await closed();
    return exitCodes.done;
  } catch (cause) {
    if (cause === stopping.signal.reason) return exitCodes.done; // stopped during startup
    throw cause;
  } finally {
    stopping.end();
    await opened.close();
  }
}

async function serveOwn({ flags, token, opened, signal }: AppServing): Promise<{ listener: Listener; closed: () => Promise<unknown> }> {
  const { db, concurrency, drain } = flags;
  const metrics = commandMetrics(opened);
  const store = metrics.store(await openStore(db, opened));
  const settings = toSettings(flags);
  const maker = createWorkflowMaker(settings, opened);
  const documents = documentFolder({
    folder: `${resolve(localPathOf(db)).replace(/\.db$/, '')}.uploads`,
    standard: settings.standard ?? exampleContract('standard-service.md'),
  });
  const workflows = await servedWorkflows(withExample(settings), maker, documents);
  const runtime = createRuntime({ store, workflowFor: maker.ofRun, acceptChanges: flags.acceptChanges ?? false });
  opened.add(() => runtime.close());
  const listener = await listenAt(flags, (hosts) =>
    tracedServer(
      createServer({
        ...served(flags),
        ...servedMetrics(metrics),
        hosts,
        tokens: token,
        runtime,
        store,
        workflows,
        workflowOf: maker.ofRun,
        documents,
        memories: memoriesOf(settings, db, opened),
        tools: () => allTools(settings),
        model: () => modelInfoOf(settings),
      }),
    ),
  );
  opened.add(() => listener.close());
  const version = readOwnManifest().version;
  const offers = workflows.map(({ id, workflow }) => `${id} ${workflow.version}`);
  const worker = createWorker({ runtime, role: 'server', version, offers, concurrency, drainMs: 1000 * drain, signal, metrics });
  return { listener, closed: () => Promise.all([worker.closed, runtime.close({ drainMs: 1000 * drain })]) };
}

/** Opens the memories on first use. */
function memoriesOf(settings: Settings, db: string, opened: OpenResources): () => ReturnType<typeof openMemory> {
  return loadedOnce(() => openMemory({ ...settings, path: memoryPathOf(db) }, opened));
}

/** A sample contract of the package, for users who have uploaded none. */
function exampleContract(name: string): string | undefined {
  const path = fileURLToPath(new URL(`../../machines/contract-agent/examples/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

function withExample(settings: Settings): Settings {
  const contract = settings.contract ?? exampleContract('service.md');
  const standard = settings.standard ?? (settings.contract === undefined ? exampleContract('standard-service.md') : undefined);
  return { ...settings, ...(contract === undefined ? {} : { contract }), ...(standard === undefined ? {} : { standard }) };
}

/** The default model, for nodes without their own. */
async function modelInfoOf(settings: Settings): Promise<ModelInfo> {
  const model = await modelOf(settings);
  const address = settings.baseUrl ?? process.env.OPENAI_BASE_URL;
  if (!model) return { offline: true };
  return { name: model.name, ...(address === undefined ? {} : { address: new URL(address).host }), offline: false };
}

/** Opens a URL in the browser, if there is one. The URL was printed before. */
function openInBrowser(url: string): void {
  const [command, ...first] = { darwin: ['open'], win32: ['cmd', '/c', 'start', '""'] }[process.platform as string] ?? ['xdg-open'];
  if (command === undefined) return;
  const child = spawn(command, [...first, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // servers have no browser
  child.unref();
}
