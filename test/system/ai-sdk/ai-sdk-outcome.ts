import type { MadeReply, ServerBehaviour } from '../../fixtures/model-servers.ts';
import { installedFile } from '../install-folder.ts';

/** What the AI SDK's provider makes of a reply. */
export type AiSdkOutcome = Required<MadeReply> | { readonly error: string };

/** A part of a reply, as far as it is looked at. */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly input?: string;
  readonly error?: unknown;
  readonly finishReason?: { readonly unified: string };
  readonly usage?: Usage;
}

interface Usage {
  readonly inputTokens: { readonly total: number | undefined };
  readonly outputTokens: { readonly total: number | undefined };
}

interface LanguageModel {
  doGenerate(
    options: object,
  ): Promise<{ readonly content: readonly Part[]; readonly finishReason: { readonly unified: string }; readonly usage: Usage }>;
  doStream(options: object): Promise<{ readonly stream: ReadableStream<Part> }>;
}

interface ProviderPackage {
  createOpenAICompatible(options: object): { chatModel(id: string): LanguageModel };
}

const importProvider = (): Promise<ProviderPackage> => import(installedFile('ai-sdk', '@ai-sdk/openai-compatible/dist/index.js').href);

/** Asks a server through it. */
export async function aiSdkOutcome(url: string, { stream }: Pick<ServerBehaviour, 'stream'>): Promise<AiSdkOutcome> {
  const { createOpenAICompatible } = await importProvider();
  const model = createOpenAICompatible({ name: 'x', baseURL: url, apiKey: 'none', includeUsage: true }).chatModel('m');
  const request = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
  try {
    return stream ? await streamed(model, request) : await whole(model, request);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function whole(model: LanguageModel, request: object): Promise<AiSdkOutcome> {
  const { content, finishReason, usage } = await model.doGenerate(request);
  if (finishReason.unified === 'error') return { error: 'error' };
  return toOutcome(content, usage);
}

async function streamed(model: LanguageModel, request: object): Promise<AiSdkOutcome> {
  const { stream } = await model.doStream(request);
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  const failed = parts.find(({ type, finishReason }) => type === 'error' || finishReason?.unified === 'error');
  if (failed) return { error: 'error' };
  return toOutcome(parts, parts.find(({ type }) => type === 'finish')?.usage);
}

function toOutcome(parts: readonly Part[], usage: Usage | undefined): AiSdkOutcome {
  const joined = (kind: string): string =>
    parts.flatMap(({ type, text = '', delta = '' }) => (type === kind || type === `${kind}-delta` ? [text + delta] : [])).join('');
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    calls: parts.flatMap(({ type, toolName = '', input = '' }) =>
      type === 'tool-call' ? [[toolName, JSON.parse(input || '{}')] as const] : [],
    ),
    usage: [usage?.inputTokens.total ?? 0, usage?.outputTokens.total ?? 0],
  };
}
