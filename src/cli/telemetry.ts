import { WorkflowError } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import { hasCode } from '../core/util/has-code.ts';
import { isObject } from '../core/util/is-object.ts';
import { parseJson } from '../core/util/parse-json.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { withTimeout } from '../core/util/with-timeout.ts';
import type { RunStore } from '../index.ts';
import type { MetricsMeter } from '../inspect/metrics/metrics-meter.ts';
import type { AgentServer } from '../server/create-server.ts';
import type { TelemetryFlags } from './flags.ts';
import { escapeControls } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Spans and metrics of one command's runs. */
export interface Telemetry {
  /** Sends what is pending. Returns false if this takes longer than 2 seconds; pending attempts then keep the process alive. */
  close(): Promise<boolean>;
}

interface Tracing {
  store<TStore extends RunStore>(store: TStore): TStore;
  server(server: AgentServer): AgentServer;
  readonly meter: MetricsMeter | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Loaded = Awaited<ReturnType<typeof loadOpenTelemetry>>;

const closeMs = 2_000;

/** Singleton, because OpenTelemetry has one provider per process. */
let tracing: Tracing | undefined;

/** Wraps a store so that its runs are traced, if telemetry was started. */
export const traced = <TStore extends RunStore>(store: TStore): TStore => tracing?.store(store) ?? store;

/** Meter of OpenTelemetry, if telemetry was started with metrics. */
export const telemetryMeter = (): MetricsMeter | undefined => tracing?.meter;

/** Wraps a server, if telemetry was started: a run then belongs to the trace that its request names (`traceparent`). */
export const tracedServer = (server: AgentServer): AgentServer => tracing?.server(server) ?? server;

/**
 * Starts telemetry if a flag or the environment requests it, with the environment variables of OpenTelemetry's SDK. Otherwise returns
 * `undefined` and loads nothing.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` if the flag requests it. If only the environment does, the missing packages are reported and
 * telemetry stays off.
 */
export async function startTelemetry(
  { otel, measures = false }: TelemetryFlags & { readonly measures?: boolean },
  env: Environment = process.env,
): Promise<Telemetry | undefined> {
  if (otel === false || isTrue(env.OTEL_SDK_DISABLED)) return undefined;
  const spans = otel === true ? '--otel' : spanRequest(env);
  const metrics = measures && exportersOf(env.OTEL_METRICS_EXPORTER).includes('otlp') ? 'OTEL_METRICS_EXPORTER' : undefined;
  const request = spans ?? metrics;
  if (request === undefined) return undefined;
  if (exportersOf(env.OTEL_TRACES_EXPORTER).includes('console')) {
    throw new UsageError('OTEL_TRACES_EXPORTER=console would mix spans with the answers. Set it to otlp, or unset it.');
  }
  try {
    return start(await loadOpenTelemetry(), { spans: spans !== undefined, metrics: metrics !== undefined }, env);
  } catch (error) {
    if (otel || !hasCode(error, 'ADAPTER_MISSING')) throw error;
    const what = spans === undefined ? 'metrics' : 'spans';
    process.stderr.write(`${request} is set, but no ${what} are sent (${error.code}). ${error.hint} (or use --no-otel)\n`);
    return undefined;
  }
}

function start(
  { NodeSDK, api, runIdGenerator, tracedStore }: Loaded,
  sent: { readonly spans: boolean; readonly metrics: boolean },
  env: Environment,
): Telemetry {
  const { context, diag, metrics, propagation } = api;
  const sdk = underOwnVariables(
    env,
    () =>
      new NodeSDK({
        idGenerator: runIdGenerator(),
        logRecordProcessors: [],
        // without these options, the SDK reads the variables
        ...(sent.metrics ? {} : { metricReaders: [] }),
        ...(sent.spans ? {} : { spanProcessors: [] }),
        ...(namesService(env) ? {} : { serviceName: 'agent-machines' }),
      }),
  );
  diag.setLogger(loggerTo(process.stderr), { logLevel: levelOf(api, env), suppressOverrideMessage: true });
  sdk.start();
  const options = { content: /^(?:true|span_only|span_and_event)$/i.test(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? '') };
  tracing = {
    meter: sent.metrics ? metrics.getMeter('agent-machines') : undefined,
    store: (store) => (sent.spans ? tracedStore(store, options) : store),
    server: (server) => ({
      ...server,
      fetch: (request, peer) =>
        context.with(propagation.extract(context.active(), Object.fromEntries(request.headers)), () => server.fetch(request, peer)),
    }),
  };
  return {
    async close() {
      tracing = undefined;
      const isSent = sdk.shutdown().then(
        () => true,
        () => true, // already reported
      );
      const isClosed = await withTimeout(
        () => isSent,
        closeMs,
        systemClock,
        async () => false,
      );
      if (!isClosed)
        process.stderr.write(
          `Some ${sent.spans ? 'spans' : 'metrics'} were not sent within ${closeMs / 1000} seconds. Is a collector at ${collectorOf(env)}?\n`,
        );
      return isClosed;
    },
  };
}

/** The variable that requests spans. `OTEL_TRACES_EXPORTER=console` requests none of ours: it is meant for other programs. */
function spanRequest(env: Environment): string | undefined {
  const exporters = exportersOf(env.OTEL_TRACES_EXPORTER);
  if (exporters.length > 0) return exporters.includes('otlp') ? 'OTEL_TRACES_EXPORTER' : undefined;
  return ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].find((name) => (env[name] ?? '').trim() !== '');
}

const exportersOf = (names = ''): readonly string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Address of the collector without user, path or query, which may contain a key. */
function collectorOf(env: Environment): string {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  const named = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const address = named || `http://localhost:${protocol === 'grpc' ? 4317 : 4318}`;
  return URL.canParse(address) && /^https?:/.test(address) ? new URL(address).origin : escapeControls(address.replace(/^.*@/, ''));
}

const isTrue = (value: string | undefined): boolean => value?.trim().toLowerCase() === 'true';

const namesService = ({ OTEL_SERVICE_NAME: name = '', OTEL_RESOURCE_ATTRIBUTES: attributes = '' }: Environment): boolean =>
  name.trim() !== '' || /(?:^|,)\s*service\.name\s*=/.test(attributes);

/**
 * Disables the SDK's process and host attributes unless requested, because a process's arguments contain the question. Also silences the
 * SDK's logger, which would write between the answers.
 */
function underOwnVariables<T>(env: Environment, make: () => T): T {
  const own = { OTEL_NODE_RESOURCE_DETECTORS: env.OTEL_NODE_RESOURCE_DETECTORS?.trim() || 'env', OTEL_LOG_LEVEL: '' };
  const before = Object.keys(own).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, own);
  try {
    return make();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const levelOf = ({ DiagLogLevel }: Loaded['api'], { OTEL_LOG_LEVEL: name = '' }: Environment): number =>
  ({ NONE: DiagLogLevel.NONE, WARN: DiagLogLevel.WARN, INFO: DiagLogLevel.INFO, DEBUG: DiagLogLevel.DEBUG, ALL: DiagLogLevel.ALL })[
    name.trim().toUpperCase()
  ] ?? DiagLogLevel.ERROR;

/** Logger for the SDK's messages that prints each one once: an unreachable collector fails at every attempt. */
function loggerTo(output: NodeJS.WritableStream) {
  const said = new Set<string>();
  const say = (message: string): void => {
    const line = `OpenTelemetry: ${escapeControls(sentenceOf(message))}`;
    if (said.has(line)) return;
    said.add(line);
    output.write(`${line}\n`);
  };
  return { error: say, warn: say, info: say, debug: say, verbose: say };
}

/** Extracts the message from the SDK's errors, which are JSON with a stack. */
function sentenceOf(message: string): string {
  const error = parseJson(message);
  if (!isObject(error)) return message;
  const { message: text, code, name } = error;
  return [text, code].filter((part) => typeof part === 'string' && part !== '').join(' ') || String(name ?? message);
}

/** The part of `@opentelemetry/sdk-node` that this package uses. */
interface OpenTelemetrySdk {
  readonly NodeSDK: new (
    options: object,
  ) => {
    /** Registers the SDK as the provider of `@opentelemetry/api`. */
    start(): void;
    /** Sends the pending spans. */
    shutdown(): Promise<void>;
  };
}

type LoadedTelemetry = OpenTelemetrySdk & {
  readonly api: typeof import('@opentelemetry/api');
} & typeof import('../inspect/telemetry/index.ts');

const packages = ['@opentelemetry/api', '@opentelemetry/sdk-node'] as const;

/**
 * Loads the exporter of spans, and the code that creates them from runs.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` with the packages to install.
 */
async function loadOpenTelemetry(): Promise<LoadedTelemetry> {
  const sdk: string = packages[1]; // not a literal, because the package may be missing when types are checked
  try {
    const [{ NodeSDK }, api, telemetry] = await Promise.all([
      import(sdk) as Promise<OpenTelemetrySdk>,
      import('@opentelemetry/api'),
      import('../inspect/telemetry/index.ts'),
    ]);
    return { NodeSDK, api, ...telemetry };
  } catch (cause) {
    throw new WorkflowError({
      code: 'ADAPTER_MISSING',
      message: `The packages that send spans cannot be loaded: ${messageOf(cause)}`,
      hint: `Run: npm install ${packages.join(' ')}`,
      data: { packages: [...packages] },
      cause,
    });
  }
}
