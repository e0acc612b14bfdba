import type { Json, JsonObject } from '../../ports/json.ts';
import type { RunEvent } from '../../ports/run-event.ts';
import { ApiError, toApiError } from './api-error.ts';
import {
  fieldsOf,
  joinWaiting,
  listOf,
  readComparison,
  readDocument,
  readEntry,
  readRun,
  readThread,
  readThreadItem,
  readWaiting,
  readWorkflow,
  textOf,
} from './read-wire.ts';
import { createSseParser } from './sse-parser.ts';
import type {
  Comparison,
  DocumentItem,
  Entry,
  ModelInfo,
  RunItem,
  ThreadDetails,
  ThreadItem,
  WaitingItem,
  WorkflowDetails,
  WorkflowInfo,
} from './wire.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A word on a call in doubt. */
export type Word = { readonly as: 'done'; readonly output: Json } | { readonly as: 'retry' } | { readonly as: 'abort' };

interface FollowOptions {
  /** Number of the first event. */
  readonly from: number;
  /** Id of the last message that was read: the server knows by it what of that was never written down. */
  readonly lastId?: string | undefined;
  readonly signal: AbortSignal;
  onOpen(): void;
  onEvents(events: readonly RunEvent[], lastId: string | undefined): void;
}

/** The server's public API, as this page uses it. All methods throw `ApiError`. */
export interface StudioApi {
  session(token: string): Promise<void>;
  workflows(): Promise<readonly WorkflowInfo[]>;
  workflow(id: string): Promise<WorkflowDetails>;
  model(): Promise<ModelInfo>;
  threads(query?: { readonly q?: string }): Promise<readonly ThreadItem[]>;
  thread(id: string): Promise<ThreadDetails>;
  rename(threadId: string, title: string): Promise<void>;
  removeThread(threadId: string): Promise<void>;
  start(request: {
    readonly workflow: string;
    readonly input: Json;
    readonly threadId: string;
    readonly ifBusy: 'reject' | 'queue';
    readonly settings?: JsonObject;
    readonly key: string;
  }): Promise<RunItem>;
  run(id: string): Promise<RunItem>;
  waiting(): Promise<readonly WaitingItem[]>;
  journal(runId: string, from: number): Promise<readonly Entry[]>;
  state(runId: string, at?: number): Promise<JsonObject>;
  answer(runId: string, interruptId: string, event: JsonObject): Promise<void>;
  resolve(runId: string, callId: string, resolution: Word): Promise<void>;
  act(runId: string, what: 'cancel' | 'resume' | 'pause'): Promise<void>;
  fork(runId: string, options: { at: string; patch?: JsonObject; repeatOnce?: boolean }): Promise<RunItem>;
  asTest(runId: string): Promise<string>;
  documents(): Promise<readonly DocumentItem[]>;
  document(id: string): Promise<DocumentItem & { readonly text: string }>;
  upload(file: File): Promise<DocumentItem>;
  compare(id: string, other: string): Promise<Comparison>;
  /** Tells of events from a number on until the server ends the stream. @returns whether it did. */
  events(runId: string, options: FollowOptions): Promise<boolean>;
}

const part = encodeURIComponent;
const shownThreads = 100;
const maxPages = 20;

/** What this page asks of the server that it came from. */
export function createStudioApi(ask: typeof fetch = (...request) => fetch(...request)): StudioApi {
  const send = async (method: Method, path: string, body?: Json | FormData, headers: Record<string, string> = {}): Promise<Response> => {
    const isForm = body instanceof FormData;
    try {
      const response = await ask(`/api/${path}`, {
        method,
        headers: { ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      if (!response.ok) throw await refusal(response);
      return response;
    } catch (cause) {
      throw toApiError(cause);
    }
  };
  const get = async (path: string): Promise<unknown> => (await send('GET', path)).json();
  const post = async (path: string, body: Json = {}, headers?: Record<string, string>): Promise<unknown> => {
    const text = await (await send('POST', path, body, headers)).text();
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    session: async (token) => void (await post('session', { token })),
    workflows: async () => listOf(await get('workflows'), 'workflows').map(readWorkflow),
    workflow: async (id) => {
      const value = fieldsOf(await get(`workflows/${part(id)}`));
      const invariants = Array.isArray(value.invariants) ? value.invariants.map(textOf) : [];
      return { ...readWorkflow(value), graph: value.graph as WorkflowDetails['graph'], invariants };
    },
    model: async () => {
      const { name, address, offline } = fieldsOf(await get('model'));
      return { name: textOf(name), offline: offline === true, ...(typeof address === 'string' ? { address } : {}) };
    },
    threads: async ({ q } = {}) => {
      const found: ThreadItem[] = [];
      let before = '';
      // a search looks through some of them at a time
      for (let page = 0; page < maxPages && found.length < shownThreads; page++) {
        const answer = await get(`threads?limit=${shownThreads}${q ? `&q=${part(q)}` : ''}${before && `&before=${part(before)}`}`);
        found.push(...listOf(answer, 'threads').map(readThreadItem));
        before = textOf(fieldsOf(answer).next);
        if (before === '') break;
      }
      return found;
    },
    thread: async (id) => readThread(fieldsOf(await get(`threads/${part(id)}`))),
    rename: async (id, title) => void (await send('PATCH', `threads/${part(id)}`, { title })),
    removeThread: async (id) => void (await send('DELETE', `threads/${part(id)}`)),
    start: async ({ key, ...request }) => readRun(fieldsOf(await post('runs', request, { 'idempotency-key': key }))),
    run: async (id) => readRun(fieldsOf(await get(`runs/${part(id)}`))),
    waiting: async () => joinWaiting(listOf(await get('runs/waiting'), 'runs').map(readWaiting)),
    journal: async (id, from) => listOf(await get(`runs/${part(id)}/journal?from=${from}&limit=1000`), 'entries').map(readEntry),
    state: async (id, at) => fieldsOf(await get(`runs/${part(id)}/state${at === undefined ? '' : `?at=${at}`}`)) as JsonObject,
    answer: async (id, interruptId, event) => void (await post(`runs/${part(id)}/answer`, { interruptId, event })),
    resolve: async (id, callId, resolution) => void (await post(`runs/${part(id)}/resolve`, { callId, resolution: { ...resolution } })),
    act: async (id, what) => void (await post(`runs/${part(id)}/${what}`)),
    fork: async (id, options) => readRun(fieldsOf(await post(`runs/${part(id)}/fork`, options))),
    asTest: async (id) => (await send('GET', `runs/${part(id)}/test`)).text(),
    documents: async () => listOf(await get('documents'), 'documents').map(readDocument),
    document: async (id) => {
      const value = fieldsOf(await get(`documents/${part(id)}`));
      return { ...readDocument(value), text: textOf(value.text) };
    },
    upload: async (file) => {
      const form = new FormData();
      form.append('file', file, file.name);
      return readDocument(fieldsOf(await (await send('POST', 'documents', form)).json()));
    },
    compare: async (id, other) => readComparison(fieldsOf(await get(`documents/${part(id)}/compare?with=${part(other)}`))),
    events: (id, options) => followEvents(ask, id, options),
  };
}

async function refusal(response: Response): Promise<ApiError> {
  const value = fieldsOf(await response.json().catch(() => undefined));
  const hint = textOf(value.hint);
  const message = textOf(value.message) || `${response.status} ${response.statusText}`;
  return new ApiError({
    code: textOf(value.code) || `HTTP_${response.status}`,
    message,
    status: response.status,
    ...(hint ? { hint } : {}),
  });
}

const followEvents: (ask: typeof fetch, ...rest: Parameters<StudioApi['events']>) => ReturnType<StudioApi['events']> = async (
  ask,
  runId,
  { from, lastId, signal, onOpen, onEvents },
) => {
  const response = await ask(`/api/runs/${part(runId)}/events?from=${from}`, {
    signal,
    headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
  });
  if (!response.ok || !response.body) throw await refusal(response);
  onOpen();
  let ended = false;
  let events: RunEvent[] = [];
  let read = lastId;
  const parse = createSseParser(({ event, data, id }) => {
    read = id ?? read;
    if (event === 'end') ended = true;
    else if (event === 'error')
      throw new ApiError({ code: textOf(fieldsOf(JSON.parse(data)).code) || 'STREAM_ERROR', message: data, status: 200 });
    else events.push(JSON.parse(data) as RunEvent);
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  while (!ended) {
    const { done, value } = await reader.read();
    if (done) break;
    parse(value);
    if (events.length > 0) onEvents(events, read);
    events = [];
  }
  await reader.cancel().catch(() => undefined);
  return ended;
};
