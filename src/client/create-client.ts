import type { Calls, DocumentDetails } from '../api/calls.ts';
import { type RouteName, routes } from '../api/routes.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { RunStatus } from '../ports/run-store.ts';
import { ApiFailure } from './api-failure.ts';
import { openRunStream } from './run-stream.ts';
import { pathOf, type Send, sender } from './sender.ts';

export interface ClientOptions {
  /** For example `http://127.0.0.1:4680`. */
  readonly baseUrl: string;
  /** Absent: the cookie of a page that has a session. */
  readonly token?: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** The first pause before a stream that was cut is opened again, in milliseconds; each time it is twice as long, up to 10 seconds. @default 250 */
  readonly retryMs?: number;
}

/** What may be said with every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of a start: the same key again is the same run. */
  readonly idempotencyKey?: string;
}

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Number of the first event. @default 1 */
  readonly from?: number;
  /** Stay while the run waits for a human. @default false */
  readonly follow?: boolean;
}

type Given<TName extends RouteName> = Omit<Calls[TName], 'answer'>;
type AnswerOf<TName extends RouteName> = Calls[TName] extends { readonly answer: infer TAnswer } ? TAnswer : never;
type CallName = Exclude<RouteName, 'streamEvents' | 'addDocument'>;

/** A call of the API: what it takes is in its `params`, `query` and `body`. */
type Call<TName extends RouteName> =
  Record<never, never> extends Given<TName>
    ? (given?: Given<TName>, options?: CallOptions) => Promise<AnswerOf<TName>>
    : (given: Given<TName>, options?: CallOptions) => Promise<AnswerOf<TName>>;

/** A server of `agent-machines serve`, for any runtime that has `fetch`. Every method throws `ApiFailure`, or what `fetch` throws. */
export type AgentClient = { readonly [TName in CallName]: Call<TName> } & {
  /**
   * The events of a run, each numbered one once: a stream that is cut is opened again behind the last one.
   * @returns the run's status at the end.
   */
  events(runId: string, options?: EventsOptions): AsyncGenerator<RunEvent, RunStatus, undefined>;
  /** Gives the server a document. */
  addDocument(file: File, options?: CallOptions): Promise<DocumentDetails>;
};

/**
 * Makes a client of the HTTP API.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4680', token });
 * const run = await client.startRun({ body: { workflow: 'plan_execute', input: { input: '6*7' } } });
 * for await (const event of client.events(run.id)) console.log(event.type);
 */
export function createClient({ baseUrl, token, fetch: given = fetch, retryMs = 250 }: ClientOptions): AgentClient {
  const send = sender({ baseUrl, token, fetch: given });
  const call = async (name: CallName, parts: Parts = {}, { signal, idempotencyKey }: CallOptions = {}): Promise<unknown> => {
    const { method } = routes[name];
    const sends = method === 'POST' || method === 'PATCH';
    const headers: Record<string, string> = {
      ...(sends ? { 'content-type': 'application/json' } : {}),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const body = sends ? { body: JSON.stringify(parts.body ?? {}) } : {};
    const response = await send(pathOf(routes[name].path, parts), { method, headers, ...body, ...(signal ? { signal } : {}) });
    return response.headers.get('content-type')?.startsWith('application/json') ? response.json() : response.text();
  };
  const names = Object.keys(routes).filter((name): name is CallName => name !== 'streamEvents' && name !== 'addDocument');
  const made: unknown = Object.fromEntries(
    names.map((name) => [name, (parts?: Parts, options?: CallOptions) => call(name, parts, options)]),
  );
  const calls = made as { readonly [TName in CallName]: Call<TName> };
  return {
    ...calls,
    events: (runId, options = {}) => streamOf(send, retryMs, runId, options),
    async addDocument(file, { signal } = {}) {
      const form = new FormData();
      form.set('file', file);
      const response = await send(routes.addDocument.path, { method: 'POST', body: form, ...(signal ? { signal } : {}) });
      return (await response.json()) as DocumentDetails;
    },
  };
}

interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const longestRetryMs = 10_000;

/** A stream that ends without having said so was cut: it is opened again behind the last event. */
async function* streamOf(
  send: Send,
  retryMs: number,
  runId: string,
  { signal, from, follow }: EventsOptions,
): AsyncGenerator<RunEvent, RunStatus, undefined> {
  let lastId: string | undefined;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      const stream = await openRunStream(send, runId, { signal, from, follow, lastId });
      try {
        for (let next = await stream.next(); ; next = await stream.next()) {
          if (next.done && next.value !== undefined) return next.value;
          if (next.done) break;
          failures = 0;
          lastId = next.value.lastId;
          yield* next.value.events;
        }
      } finally {
        await stream.return(undefined); // whoever listens may stop
      }
    } catch (cause) {
      const isFinal = cause instanceof ApiFailure && cause.status !== 429 && cause.status !== 503;
      if (isFinal || signal?.aborted) throw cause;
    }
    await pause(Math.min(longestRetryMs, retryMs * 2 ** Math.min(failures, 10)), signal);
  }
}

const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
