import { entries } from '../../machines/index.ts';
import { createRuntime, createWorker, type RunResult, type Worker, type WorkerEvent } from '../index.ts';
import type { Metrics } from '../inspect/metrics/create-metrics.ts';
import { openDatabase, shownDatabase } from './database.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, type ResumingFlags, toSettings } from './flags.ts';
import { createOpenResources, type OpenResources } from './open-resources.ts';
import { readOwnManifest } from './own-manifest.ts';
import type { Settings } from './settings.ts';
import { stackToShow } from './stack-of.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { escapeControls, print, printableJson } from './terminal.ts';
import { commandMetrics, type MetricsAddress, serveWorkerMetrics } from './worker-metrics.ts';
import { createWorkflowMaker } from './workflow-maker.ts';

/** These settings override those that a run was started with. */
export interface WorkFlags extends CommonFlags, ResumingFlags, Settings {
  readonly concurrency: number;
  readonly perWorkflow?: number;
  /** Seconds to wait for active runs when stopping. */
  readonly drain: number;
  /** Address to serve metrics and health at. */
  readonly metrics?: MetricsAddress;
}

/** Resumes the runs of a database until SIGTERM or Ctrl-C; a second signal ends the process at once. Returns the exit code. */
export async function work(flags: WorkFlags): Promise<number> {
  const { db, concurrency: total, perWorkflow, drain, json = false } = flags;
  const opened = createOpenResources();
  const stopping = stopOnSignal();
  try {
    const metrics = commandMetrics(opened);
    const store = metrics.store(await openDatabase(db));
    opened.add(() => store.close());
    const { ofRun } = createWorkflowMaker(toSettings(flags), opened);
    const runtime = createRuntime({ store, workflowFor: ofRun, acceptChanges: flags.acceptChanges ?? false });
    opened.add(() => runtime.close());
    const onEvent = (event: WorkerEvent): void => (json ? print(printableJson(event)) : void process.stderr.write(`${lineOf(event)}\n`));
    const worker = createWorker({
      runtime,
      version: readOwnManifest().version,
      offers: entries.map(({ name }) => name.replaceAll('-', '_')),
      concurrency: { total, ...(perWorkflow === undefined ? {} : { perWorkflow }) },
      drainMs: 1000 * drain,
      signal: stopping.signal,
      onEvent,
      metrics,
    });
    if (flags.metrics) await announceMetrics(flags.metrics, { metrics, worker, opened, json });
    process.stderr.write(`Resuming the runs of ${escapeControls(shownDatabase(db))}. Ctrl-C stops.\n`);
    await worker.closed;
    return exitCodes.done;
  } finally {
    stopping.end();
    await opened.close();
  }
}

interface Measured {
  readonly metrics: Metrics;
  readonly worker: Worker;
  readonly opened: OpenResources;
  readonly json: boolean;
}

async function announceMetrics(address: MetricsAddress, { metrics, worker, opened, json }: Measured): Promise<void> {
  let isHealthy = true;
  const stopped = (): void => {
    isHealthy = false;
  };
  worker.closed.then(stopped, stopped);
  const url = await serveWorkerMetrics(address, { metrics, opened, isHealthy: () => isHealthy });
  if (json) print(printableJson({ type: 'metrics', url: `${url}/metrics` }));
  else process.stderr.write(`Metrics are at ${url}/metrics\n`);
}

function lineOf(event: WorkerEvent): string {
  switch (event.type) {
    case 'taken':
      return `${event.runId}  resumes: ${{ dead: 'its process died', due: 'it is due', queued: 'it is next in its thread' }[event.why]}`;
    case 'fired':
      return `${event.runId}  started by the schedule ${escapeControls(event.schedule)}`;
    case 'rested':
      return [`${event.runId}  ${outcomeOf(event.result)}`, ...stackLines(event.result)].join('\n');
    case 'left':
      return `${event.runId}  left alone: ${event.error.code}: ${escapeControls(event.error.message)}`;
    case 'trouble':
      return `${event.error.code}: ${escapeControls(event.error.message)} ${event.final ? 'The worker stops.' : 'It is tried again.'}`;
  }
}

function stackLines(result: RunResult<unknown>): readonly string[] {
  const stack = result.status === 'failed' ? stackToShow(result.error) : undefined;
  return stack === undefined ? [] : stack.split('\n').map((line) => `  ${line}`);
}

const outcomeOf = (result: RunResult<unknown>): string => {
  if (result.status === 'failed') return `failed: ${result.error.code}: ${escapeControls(result.error.message)}`;
  return result.status === 'done' ? `done: ${result.finalState}` : result.status;
};
