import { messageOf } from '../core/errors/message-of.ts';
import {
  type AnyWorkflow,
  createRuntime,
  createWorker,
  type MigrateOptions,
  migrateRuns,
  type RunRecord,
  type RunStore,
  type Runtime,
  type Worker,
} from '../index.ts';
import type { AgentApp } from '../server/agent-app.ts';
import { type AgentServer, createServer } from '../server/create-server.ts';
import { toWorkflow } from '../server/http/served-workflow.ts';
import type { Listener } from '../server/node/listen.ts';
import { appModule } from './app-module.ts';
import { cliActor } from './cli-actor.ts';
import { openStore } from './database.ts';
import type { OpenResources } from './open-resources.ts';
import { listenAt, type ServeFlags, served, servedMetrics } from './serving.ts';
import { traced, tracedServer } from './telemetry.ts';
import { escapeControls } from './terminal.ts';
import { commandMetrics } from './worker-metrics.ts';

/** Options for starting a server. */
export interface AppServing {
  readonly flags: ServeFlags;
  readonly token: string;
  readonly opened: OpenResources;
  /** Stops the workers. */
  readonly signal: AbortSignal;
}

/** One loaded version of the app. */
interface Generation {
  readonly workflows: readonly AnyWorkflow[];
  readonly runtime: Runtime;
  readonly server: AgentServer;
  readonly worker: Worker;
}

/**
 * Serves a user's module. After a reload, new runs use the new version. Active runs continue in their version, and waiting runs resume with
 * the machine that they started with.
 */
export async function serveApp(
  { flags, token, opened, signal }: AppServing,
  file: string,
): Promise<{ listener: Listener; closed: () => Promise<unknown> }> {
  const module = appModule(file);
  const first = await module.load(signal);
  const metrics = commandMetrics(opened, first.prices);
  const store = metrics.store(first.store ? traced(first.store) : await openStore(flags.db, opened));
  const generations: Generation[] = [];
  const older = ({ workflow, version, structure }: RunRecord): AnyWorkflow | undefined =>
    generations
      .flatMap(({ workflows }) => workflows)
      .findLast((one) => one.id === workflow && one.version === version && one.structureHash === structure);
  const begin = (app: AgentApp, hosts: readonly string[]): void => {
    const workflows = workflowsOf(app);
    // reloading a changed file is meant to affect waiting runs
    const acceptChanges = flags.acceptChanges ?? flags.watch ?? false;
    const budget = app.budget?.(store);
    const runtime = createRuntime({ store, workflows, workflowFor: older, acceptChanges, ...(budget ? { budget } : {}) });
    opened.add(() => runtime.close());
    const { tools = [], model, documents, evals, memories, version } = app;
    const server = tracedServer(
      createServer({
        ...(evals ? { evals } : {}),
        ...served(flags),
        ...servedMetrics(metrics),
        ...(documents ? { documents } : {}),
        ...(memories ? { memories } : {}),
        ...(model ? { model: () => ({ name: model.name, offline: false }) } : {}),
        hosts,
        tokens: token,
        runtime,
        store,
        workflows: app.workflows,
        workflowOf: older,
        tools: () => tools,
      }),
    );
    const worker = createWorker({
      runtime,
      role: 'server',
      ...(version === undefined ? {} : { version }),
      concurrency: flags.concurrency,
      drainMs: 1000 * flags.drain,
      signal,
      metrics,
    });
    void generations.at(-1)?.worker.close(); // the old worker finishes its runs or hands them over
    generations.push({ workflows, runtime, server, worker });
  };
  await takeOver(store, first, older);
  const listener = await listenAt(flags, (hosts) => {
    begin(first, hosts);
    if (flags.watch)
      opened.add(
        module.watch(
          inTurn(signal, (left) =>
            again(file, left, async () => {
              const app = await module.load(left);
              await takeOver(store, app, older);
              begin(app, hosts);
            }),
          ),
        ),
      );
    return newest(generations);
  });
  opened.add(() => listener.close());
  const drainMs = 1000 * flags.drain;
  const closed = () => Promise.all(generations.flatMap(({ worker, runtime }) => [worker.closed, runtime.close({ drainMs })]));
  return { listener, closed };
}

/** Migrates waiting runs to the new versions that accept them. Rejected runs stay in their version. */
async function takeOver(store: RunStore, app: AgentApp, workflowFor: MigrateOptions['workflowFor'] & object): Promise<void> {
  const { moved, refused } = await migrateRuns({ store, workflows: workflowsOf(app), workflowFor, by: cliActor() });
  for (const { runId, from, to } of moved) process.stderr.write(`${runId}  resumes in version ${escapeControls(`${to}, was ${from}`)}\n`);
  for (const { error } of refused) process.stderr.write(`${escapeControls(`${error.code}: ${error.message}`)}\n`);
}

const workflowsOf = ({ workflows }: AgentApp): readonly AnyWorkflow[] => workflows.map(toWorkflow);

/** The newest version answers. All versions close together, because older ones may still be streaming. */
const newest = (generations: readonly Generation[]): AgentServer => ({
  get routes() {
    return generations.at(-1)?.server.routes ?? [];
  },
  fetch: (request, peer) => generations.at(-1)?.server.fetch(request, peer) ?? new Response(null, { status: 503 }),
  close: async () => void (await Promise.all(generations.map(({ server }) => server.close()))),
});

/** Runs one reload at a time. A new change, or the end, aborts the previous reload, which may never finish. */
function inTurn(end: AbortSignal, work: (left: AbortSignal) => Promise<void>): () => void {
  let last = Promise.resolve();
  let current = new AbortController();
  return () => {
    current.abort();
    current = new AbortController();
    const signal = AbortSignal.any([current.signal, end]);
    last = last.then(() => (signal.aborted ? undefined : work(signal)));
  };
}

async function again(file: string, left: AbortSignal, load: () => Promise<void>): Promise<void> {
  try {
    await load();
    process.stderr.write(`Loaded ${escapeControls(file)} again.\n`);
  } catch (cause) {
    if (left.aborted) return; // a newer change has aborted this reload
    const why = messageOf(cause);
    process.stderr.write(`The previous version keeps running. ${escapeControls(why)}\n`);
  }
}
