/** A metric under its name in OpenTelemetry. The name for Prometheus follows from it. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One line. */
  readonly help: string;
  readonly labels: readonly string[];
  /** `s` seconds, `By` bytes, `1` a fraction. Default: a count. */
  readonly unit?: 's' | 'By' | '1';
  /** Upper bounds of a histogram's buckets, rising. */
  readonly bounds?: readonly number[];
}

export type CountedName =
  | 'runsStarted'
  | 'runsEnded'
  | 'runsSuspended'
  | 'runDuration'
  | 'runActive'
  | 'nodeDuration'
  | 'nodeErrors'
  | 'nodeRetries'
  | 'toolDuration'
  | 'toolErrors'
  | 'toolRetries'
  | 'modelDuration'
  | 'modelErrors'
  | 'modelCached'
  | 'modelTokens'
  | 'modelSavedTokens'
  | 'modelReasoning'
  | 'modelCost'
  | 'takeovers'
  | 'rateWait'
  | 'rateRefused'
  | 'storeDuration'
  | 'storeErrors'
  | 'workerTaken'
  | 'workerFired'
  | 'workerLeft'
  | 'workerTrouble';

export type ReadName =
  | 'workers'
  | 'storeUp'
  | 'runs'
  | 'failedRuns'
  | 'oldestRun'
  | 'threads'
  | 'loopDelayMedian'
  | 'loopDelayHigh'
  | 'loopDelayMax'
  | 'memory'
  | 'heap'
  | 'cpu'
  | 'uptime';

const workBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const runBounds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const storeBounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];
const waitBounds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Metrics that a process counts by itself. */
export const counted: Readonly<Record<CountedName, MetricDefinition>> = {
  runsStarted: counter('agent_machines.runs.started', 'Runs that this process has added.', ['workflow']),
  runsEnded: counter('agent_machines.runs.ended', 'Ends of runs; a failed run that is retried ends again.', ['workflow', 'status', 'code']),
  runsSuspended: counter('agent_machines.runs.suspended', 'Times that a run was left to wait.', ['workflow', 'status']),
  runDuration: histogram('agent_machines.run.duration', 'Time from the start of a run to its end.', ['workflow', 'status'], runBounds),
  runActive: histogram('agent_machines.run.active', 'Driving time of an ended run, without its waits.', ['workflow', 'status'], runBounds),
  nodeDuration: histogram('agent_machines.node.duration', 'Time of a node, with its retries.', ['workflow', 'node'], workBounds),
  nodeErrors: counter('agent_machines.node.errors', 'Nodes that ended with an error.', ['workflow', 'node', 'code']),
  nodeRetries: counter('agent_machines.node.retries', 'Repeated attempts of nodes, by the error before.', ['workflow', 'node', 'code']),
  toolDuration: histogram('agent_machines.tool.duration', 'Time of a tool call, with its retries.', ['tool'], workBounds),
  toolErrors: counter('agent_machines.tool.errors', 'Tool calls that ended with an error.', ['tool', 'code']),
  toolRetries: counter('agent_machines.tool.retries', 'Repeated attempts of tool calls.', ['tool']),
  modelDuration: histogram('agent_machines.model.duration', 'Time of a model call.', ['model'], workBounds),
  modelErrors: counter('agent_machines.model.errors', 'Model calls that ended with an error.', ['model', 'code']),
  modelCached: counter('agent_machines.model.cached_replies', 'Replies from a cache, without a request.', ['model']),
  modelTokens: counter('agent_machines.model.tokens', 'Tokens of model calls, by kind: input or output.', ['model', 'kind']),
  modelSavedTokens: counter('agent_machines.model.cached_input_tokens', "Input tokens from the provider's cache; part of input.", [
    'model',
  ]),
  modelReasoning: counter('agent_machines.model.reasoning_tokens', 'Tokens of reasoning; part of output.', ['model']),
  modelCost: counter('agent_machines.model.cost', 'Cost of model calls, in the currency of the prices.', ['model']),
  takeovers: counter('agent_machines.takeovers', 'Runs taken over from a dead owner.', ['workflow']),
  rateWait: histogram('agent_machines.rate_limit.wait', 'Time that a call waits for its place.', ['limit'], waitBounds),
  rateRefused: counter('agent_machines.rate_limit.refused', 'Calls refused because the wait was too long.', ['limit']),
  storeDuration: histogram('agent_machines.store.duration', 'Time of a call of the store.', ['operation'], storeBounds),
  storeErrors: counter('agent_machines.store.errors', 'Calls of the store that failed.', ['operation', 'code']),
  workerTaken: counter('agent_machines.worker.taken', 'Runs that a worker has resumed: dead, due or queued.', ['why']),
  workerFired: counter('agent_machines.worker.fired', 'Runs that a schedule has started.', ['schedule']),
  workerLeft: counter('agent_machines.worker.left', 'Times that a worker could not resume a run.', ['code']),
  workerTrouble: counter('agent_machines.worker.trouble', 'Polls of a worker that failed.', ['code']),
};

/** Metrics that are read when they are wanted. */
export const read: Readonly<Record<ReadName, MetricDefinition>> = {
  workers: gauge('agent_machines.workers', 'Workers of this process that look for work.', []),
  storeUp: gauge('agent_machines.store.up', '1 if every store of this process has answered, else 0.', []),
  runs: gauge('agent_machines.runs', 'Runs in the store, by workflow and status.', ['workflow', 'status']),
  failedRuns: gauge('agent_machines.failed_runs', 'Failed runs in the store, by error code.', ['workflow', 'code']),
  oldestRun: gauge('agent_machines.oldest_run.age', 'Time since the oldest run of a status has changed.', ['workflow', 'status'], 's'),
  threads: gauge('agent_machines.threads', 'Conversations in the store.', []),
  loopDelayMedian: gauge('nodejs.eventloop.delay.p50', 'Median delay of the event loop.', [], 's'),
  loopDelayHigh: gauge('nodejs.eventloop.delay.p99', '99th percentile of the delay of the event loop.', [], 's'),
  loopDelayMax: gauge('nodejs.eventloop.delay.max', 'Longest delay of the event loop.', [], 's'),
  memory: gauge('process.memory.usage', 'Resident memory of the process.', [], 'By'),
  heap: gauge('v8js.memory.heap.used', 'Used memory of the heap.', [], 'By'),
  cpu: { ...counter('process.cpu.time', 'CPU time of the process.', []), unit: 's' },
  uptime: gauge('process.uptime', 'Age of the process.', [], 's'),
};

/** Open event streams of a server. */
export const streams: MetricDefinition = gauge('agent_machines.streams', 'Open event streams.', []);

/** Name for Prometheus, by the rules of OpenTelemetry: `agent_machines.run.duration` in seconds → `agent_machines_run_duration_seconds`. */
export function prometheusName({ name, unit, type }: MetricDefinition): string {
  const suffix = { s: '_seconds', By: '_bytes', '1': '' }[unit ?? '1'];
  return `${name.replaceAll('.', '_')}${suffix}${type === 'counter' ? '_total' : ''}`;
}

function counter(name: string, help: string, labels: readonly string[]): MetricDefinition {
  return { name, type: 'counter', help, labels };
}

function gauge(name: string, help: string, labels: readonly string[], unit?: 's' | 'By'): MetricDefinition {
  return { name, type: 'gauge', help, labels, ...(unit === undefined ? {} : { unit }) };
}

function histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): MetricDefinition {
  return { name, type: 'histogram', help, labels, unit: 's', bounds };
}
