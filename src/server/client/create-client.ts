import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunStatus } from '../../core/ports/run-store.ts';
import type { Calls, DocumentDetails } from '../api/calls.ts';
import { type RouteName, routes } from '../api/routes.ts';
import { ApiFailure } from './api-failure.ts';
import { openRunStream } from './run-stream.ts';
import { pathOf, type Send, sender } from './sender.ts';

export interface ClientOptions {
  /** For example `http://127.0.0.1:4680`. */
  readonly baseUrl: string;
  /** Absent: the session cookie of the page is used. */
  readonly token?: string;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
  /** First delay before a broken stream is reopened, in milliseconds. It doubles each time, up to 10 seconds. @default 250 */
  readonly retryMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Key of a start: a repeated key returns the same run. */
  readonly idempotencyKey?: string;
}

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Number of the first event. @default 1 */
  readonly from?: number;
  /** Keep following while the run waits for a human. @default false */
  readonly follow?: boolean;
}

type InputOf<TName extends RouteName> = Omit<Calls[TName], 'answer'>;
type AnswerOf<TName extends RouteName> = Calls[TName] extends { readonly answer: infer TAnswer } ? TAnswer : never;
type CallName = Exclude<RouteName, 'streamEvents' | 'addDocument'>;

type Call<TName extends RouteName> =
  Record<never, never> extends InputOf<TName>
    ? (given?: InputOf<TName>, options?: CallOptions) => Promise<AnswerOf<TName>>
    : (given: InputOf<TName>, options?: CallOptions) => Promise<AnswerOf<TName>>;

/** Client of an `agent-machines serve` server, for any runtime with `fetch`. Every method throws `ApiFailure`, or the errors of `fetch`. */
export type AgentClient = { readonly [TName in CallName]: Call<TName> } & {
  /**
   * Yields the events of a run; each numbered event occurs once. A broken stream is reopened after the last event.
   * @returns the run's final status.
   */
  events(runId: string, options?: EventsOptions): AsyncGenerator<RunEvent, RunStatus, undefined>;
  /** @deprecated Call `send`. */
  readonly answerRun: Call<'send'>;
  /** Uploads a document. */
  addDocument(file: File, options?: CallOptions): Promise<DocumentDetails>;
};

/**
 * Creates a client of the HTTP API.
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
    answerRun: calls.send,
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

/** A stream without an end marker was cut, so it is reopened after the last event. */
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
        await stream.return(undefined); // the consumer may stop early
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
