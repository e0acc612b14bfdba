// What an OpenTelemetry collector is for a program that sends spans and metrics as JSON over HTTP.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

/** A metric of OTLP; a point has one of the numbers. */
interface ReceivedMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly dataPoints: readonly ReceivedPoint[] };
  readonly gauge?: { readonly dataPoints: readonly ReceivedPoint[] };
  readonly histogram?: { readonly dataPoints: readonly ReceivedPoint[] };
}

interface ReceivedPoint {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly count?: string | number;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  /** Of JSON. */
  readonly spans: readonly ReceivedSpan[];
  /** The last value of each series of JSON, by `name {labels}`; of a histogram the number of values. */
  readonly metrics: ReadonlyMap<string, number>;
  /** What has come, as it came. */
  readonly requests: readonly { readonly path: string; readonly type: string; readonly authorization: string; readonly body: string }[];
  /** Of the resources of all spans. */
  readonly services: readonly string[];
}

interface Batch {
  readonly resourceMetrics?: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[] }[];
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** @param answers whether it answers at all. */
export async function otlpReceiver({ answers = true }: { readonly answers?: boolean } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const services = new Set<string>();
  const metrics = new Map<string, number>();
  const requests: { path: string; type: string; authorization: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { 'content-type': type = '', authorization = '' } = request.headers;
    requests.push({ path: request.url ?? '', type, authorization, body });
    if (type === 'application/json') {
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Batch;
      for (const metric of resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)))
        for (const point of (metric.sum ?? metric.gauge ?? metric.histogram)?.dataPoints ?? [])
          metrics.set(seriesOf(metric, point), Number(point.count ?? point.asInt ?? point.asDouble));
      for (const { resource, scopeSpans } of resourceSpans) {
        services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '');
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
    }
    if (answers) response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    requests,
    get services() {
      return [...services];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const seriesOf = ({ name }: ReceivedMetric, { attributes }: ReceivedPoint): string =>
  `${name} ${JSON.stringify(Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])))}`;
