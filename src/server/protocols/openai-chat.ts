import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { encodeRecording, eventStream, toFrame } from './event-stream.ts';
import { openaiChatEncoder, toCompletion } from './openai-chat-encoder.ts';
import { noRetry, toOpenaiError, Unsupported } from './openai-error.ts';
import { chatTuning, ignoredHeaders } from './openai-settings.ts';
import { RunFailed, readRequest, readTurn, startTurn } from './openai-turn.ts';
import { toChatUsage } from './openai-usage.ts';
import { findWorkflow, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import type { ReaderCount } from './reader-count.ts';
import { type HistoryMessage, ThreadTips } from './thread-tips.ts';
import { countReader, idsInText, type Turn } from './typed-answer.ts';

const content = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)]);
const chatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: content.nullish() }).catchall(z.unknown())).min(1),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() }).optional(),
  n: z.literal(1, { error: 'only 1 answer is supported' }).optional(),
  metadata: z.object({ thread_id: z.string().optional(), interrupt_id: z.string().optional() }).catchall(z.string()).optional(),
  user: z.string().optional(),
  store: z.boolean().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
});
type ChatRequest = z.infer<typeof chatRequest>;

export function openaiChat(space: ProtocolSpace, readers: ReaderCount, heartbeatMs: number): (request: Request) => Promise<Response> {
  const tips = new ThreadTips();
  return async (request) => {
    const { body, ignored } = await readRequest(request, chatRequest, chatTuning);
    const served = findWorkflow(space, body.model);
    const history = toHistory(body);
    const text = history.at(-1)?.content ?? '';
    const before = history.slice(0, -1);
    const given = body.metadata?.thread_id ?? request.headers.get('x-thread-id') ?? undefined;
    const threadId = given ?? (await threadOf(tips, body.model, before));
    assertId(threadId, 'thread');
    let turn: Turn;
    try {
      turn = await startTurn(space, served, { threadId, text, shown: () => shownIn(body, before) });
    } catch (cause) {
      if (given === undefined && before.length > 0) await tips.put(body.model, before, threadId); // the run has not answered
      throw cause;
    }
    const remember = async (answer: string): Promise<void> => {
      if (given === undefined) await tips.put(body.model, [...history, { role: 'assistant', content: answer }], threadId);
    };
    const headers = ignoredHeaders(ignored);
    if (!body.stream) return whole(turn, served, { headers, readers, request, remember });
    const includeUsage = body.stream_options?.include_usage === true;
    return eventStream(frames(turn, { model: served.id, includeUsage, remember }), {
      heartbeatMs,
      headers,
      ...countReader(readers, turn),
    });
  };
}

/** Id of the question that the client sends back: from its metadata, else from the last answer before the new message. */
function shownIn({ metadata }: ChatRequest, before: readonly HistoryMessage[]): readonly string[] {
  const { interrupt_id: named } = metadata ?? {};
  if (named !== undefined) return [named];
  return idsInText(before.findLast(({ role }) => role === 'assistant')?.content ?? '');
}

/** @throws {WorkflowError} `THREAD_UNKNOWN` for a history that this server has not produced. */
async function threadOf(tips: ThreadTips, model: string, before: readonly HistoryMessage[]): Promise<string> {
  if (before.length === 0) return newId('t');
  const found = await tips.take(model, before);
  if (found !== undefined) return found;
  throw new WorkflowError({
    code: 'THREAD_UNKNOWN',
    message: 'The earlier messages match no conversation of this server.',
    hint: 'Send them unchanged, or name the conversation in metadata.thread_id and send only the new message.',
  });
}

/** @throws {Unsupported} for messages that a workflow cannot receive. */
function toHistory({ messages }: ChatRequest): readonly HistoryMessage[] {
  const history = messages.map(({ role, content: parts, ...rest }, index): HistoryMessage => {
    const { tool_calls: calls } = rest;
    if ((role !== 'user' && role !== 'assistant') || (Array.isArray(calls) && calls.length > 0))
      throw new Unsupported(
        `messages.${index} (${role === 'assistant' ? 'tool calls' : `role "${role.slice(0, 20)}"`})`,
        'A workflow has its own instructions and tools.',
      );
    return { role, content: typeof parts === 'string' ? parts : (parts ?? []).map(({ text }) => text).join('\n') };
  });
  if (history.at(-1)?.role !== 'user') throw new Unsupported('a last message that is not a user message', 'Add one.');
  return history;
}

interface WholeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly readers: ReaderCount;
  readonly request: Request;
  readonly remember: (answer: string) => Promise<void>;
}

async function whole(turn: Turn, served: ProtocolWorkflow, { headers, readers, request, remember }: WholeOptions): Promise<Response> {
  try {
    const parts = await readTurn(turn, readers, request.signal);
    const text = toCompletion(parts);
    await remember(text);
    const end = parts.findLast((one) => one.type === 'end');
    const body = {
      id: `chatcmpl-${turn.recording.runId}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: served.id,
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage: toChatUsage(end?.usage ?? []),
    };
    return Response.json(body, { headers });
  } catch (cause) {
    if (cause instanceof RunFailed) return Response.json(toOpenaiError(cause.failed.error), { status: 500, headers: noRetry });
    throw cause;
  }
}

interface FrameOptions {
  readonly model: string;
  readonly includeUsage: boolean;
  readonly remember: (answer: string) => Promise<void>;
}

async function* frames(
  { recording, after }: Turn,
  { model, includeUsage, remember }: FrameOptions,
): AsyncGenerator<string, void, undefined> {
  let text = '';
  for await (const chunk of encodeRecording(recording, openaiChatEncoder({ model, after, includeUsage }))) {
    const [choice] = 'choices' in chunk ? chunk.choices : [];
    text += choice?.delta.content ?? '';
    if (choice?.finish_reason) await remember(text);
    yield toFrame(chunk);
  }
  yield 'data: [DONE]\n\n';
}
