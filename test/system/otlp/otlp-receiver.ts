// What an OpenTelemetry collector is for a program that sends spans as JSON over HTTP.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  /** Of JSON. */
  readonly spans: readonly ReceivedSpan[];
  /** What has come, as it came. */
  readonly requests: readonly { readonly path: string; readonly type: string; readonly authorization: string; readonly body: string }[];
  /** Of the resources of all spans. */
  readonly services: readonly string[];
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** @param answers whether it answers at all. */
export async function otlpReceiver({ answers = true }: { readonly answers?: boolean } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const services = new Set<string>();
  const requests: { path: string; type: string; authorization: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { 'content-type': type = '', authorization = '' } = request.headers;
    requests.push({ path: request.url ?? '', type, authorization, body });
    if (type === 'application/json') {
      for (const { resource, scopeSpans } of (JSON.parse(body) as Batch).resourceSpans) {
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
