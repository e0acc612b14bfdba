import { installedFile, installFolder } from '../install-folder.ts';

// The part of LangGraph's client that the tests use: it is not among the package's own dependencies.

export interface StreamPart {
  readonly id?: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect to be there
  readonly data: any;
}

interface RunPayload {
  readonly input?: unknown;
  readonly command?: object;
  readonly streamMode?: string | readonly string[];
  readonly onDisconnect?: 'cancel' | 'continue';
  readonly raiseError?: boolean;
  readonly signal?: AbortSignal;
  readonly onRunCreated?: (run: { readonly run_id: string; readonly thread_id?: string }) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect to be there
type Answer = Promise<any>;

export interface LangGraphClient {
  readonly assistants: {
    search(query?: object): Answer;
    get(id: string): Answer;
    getGraph(id: string): Answer;
    getSchemas(id: string): Answer;
  };
  readonly threads: {
    create(payload?: object): Answer;
    get(id: string): Answer;
    search(query?: object): Answer;
    getState(id: string, checkpoint?: unknown): Answer;
    getHistory(id: string, options?: object): Answer;
    delete(id: string): Answer;
  };
  readonly runs: {
    stream(thread: string | null, assistant: string, payload: RunPayload): AsyncIterable<StreamPart>;
    wait(thread: string | null, assistant: string, payload: RunPayload): Answer;
    create(thread: string | null, assistant: string, payload: RunPayload): Answer;
    get(thread: string, run: string): Answer;
    list(thread: string): Answer;
    join(thread: string, run: string): Answer;
    joinStream(thread: string, run: string, options?: object): AsyncIterable<StreamPart>;
    cancel(thread: string, run: string, wait?: boolean): Answer;
  };
  readonly store: { putItem(namespace: readonly string[], key: string, value: object): Answer };
}

interface ClientOptions {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly callerOptions?: { readonly maxRetries?: number; readonly maxConcurrency?: number; readonly fetch?: typeof fetch };
}

/** LangGraph's client, installed when it is not there. */
export async function importLangGraph(): Promise<{ readonly Client: new (options: ClientOptions) => LangGraphClient }> {
  installFolder('langgraph');
  return import(installedFile('langgraph', '@langchain/langgraph-sdk/dist/index.js').href);
}
