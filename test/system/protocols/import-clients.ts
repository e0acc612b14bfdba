import { installedFile, installFolder } from '../install-folder.ts';

// The parts of the clients that the tests use: they are not among the package's own dependencies.

export interface UiPart {
  readonly type: string;
  readonly text?: string;
  readonly state?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean };
  readonly data?: unknown;
}

export interface UiMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly UiPart[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ChatTransport {
  sendMessages(options: {
    readonly chatId: string;
    readonly messages: readonly UiMessage[];
    readonly trigger: 'submit-message' | 'regenerate-message';
    readonly messageId?: string | undefined;
    readonly abortSignal?: AbortSignal | undefined;
    readonly body?: object;
  }): Promise<ReadableStream<unknown>>;
  reconnectToStream(options: { readonly chatId: string }): Promise<ReadableStream<unknown> | null>;
}

export interface AiSdk {
  readonly DefaultChatTransport: new (options: { readonly api: string }) => ChatTransport;
  readUIMessageStream(options: {
    readonly stream: ReadableStream<unknown>;
    readonly message?: UiMessage;
    readonly terminateOnError?: boolean;
  }): AsyncIterable<UiMessage>;
  readonly uiMessageChunkSchema: () => { validate(value: unknown): Promise<{ readonly success: boolean; readonly error?: unknown }> };
}

/** The AI SDK's chat, as a page has it. */
export interface UiChat {
  messages: readonly UiMessage[];
  readonly error: Error | undefined;
  sendMessage(message?: {
    readonly text: string;
    readonly files?: readonly object[];
    readonly messageId?: string | undefined;
  }): Promise<void>;
  regenerate(options?: { readonly messageId?: string | undefined; readonly body?: object }): Promise<void>;
  addToolApprovalResponse(response: { readonly id: string; readonly approved: boolean; readonly reason?: string }): Promise<void>;
  stop(): Promise<void>;
}

/** The class of the AI SDK's chat, installed when it is not there. */
export async function importChat(): Promise<new (options: { readonly id: string; readonly transport: ChatTransport }) => UiChat> {
  installFolder('protocols');
  const { Chat } = await import(installedFile('protocols', '@ai-sdk/react/dist/index.js').href);
  return Chat as never;
}

/** The AI SDK, installed when it is not there. */
export async function importAiSdkUi(): Promise<AiSdk> {
  installFolder('protocols');
  return (await import(installedFile('protocols', 'ai/dist/index.js').href)) as AiSdk;
}

interface AgUiMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

/** An agent of AG-UI, over HTTP. */
export interface HttpAgent {
  readonly messages: readonly AgUiMessage[];
  readonly state: unknown;
  readonly pendingInterrupts: readonly { readonly id: string; readonly reason: string; readonly toolCallId?: string }[];
  addMessage(message: AgUiMessage): void;
  runAgent(
    options?: {
      readonly resume?: readonly object[];
      readonly tools?: readonly object[];
      readonly context?: readonly object[];
      readonly forwardedProps?: object;
    },
    subscriber?: object,
  ): Promise<{ readonly result: unknown }>;
  abortRun(): void;
}

interface Observable {
  pipe(operator: unknown): { subscribe(observer: { next(event: unknown): void; error(error: unknown): void; complete(): void }): unknown };
}

export interface AgUi {
  readonly HttpAgent: new (options: { readonly url: string; readonly threadId: string }) => HttpAgent;
  verifyEvents(): unknown;
}

/** The client of AG-UI, installed when it is not there. */
export async function importAgUi(): Promise<AgUi & { from(events: readonly unknown[]): Observable }> {
  installFolder('protocols');
  const client = (await import(installedFile('protocols', '@ag-ui/client/dist/index.mjs').href)) as AgUi;
  const { from } = (await import(installedFile('protocols', 'rxjs/dist/esm5/index.js').href)) as {
    from(events: readonly unknown[]): Observable;
  };
  return { ...client, verifyEvents: client.verifyEvents, HttpAgent: client.HttpAgent, from };
}
