import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { eventStream, toFrame } from './event-stream.ts';
import { KeyedRequests } from './keyed-requests.ts';
import { openaiChatEncoder, toCompletion } from './openai-chat-encoder.ts';
import { detailsOf, fileAddressOf } from './openai-details.ts';
import { noRetry, toOpenaiError, Unsupported } from './openai-error.ts';
import { chatTuning, ignoredHeaders } from './openai-settings.ts';
import {
  countUnkeyed,
  encodeTurn,
  type OpenaiContext,
  RunFailed,
  readRequest,
  readTurn,
  repeatTurn,
  startTurn,
  threadIdOfKey,
} from './openai-turn.ts';
import { toChatUsage } from './openai-usage.ts';
import { findWorkflow, type ProtocolWorkflow } from './protocol-space.ts';
import type { ReaderCount } from './reader-count.ts';
import { type HistoryMessage, ThreadTips } from './thread-tips.ts';
import { idsInText, type Turn } from './typed-answer.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part).min(1)]).nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
});
const chatRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
  n: z.literal(1, { error: 'only 1 answer is supported' }).optional(),
  metadata: z.looseObject({ thread_id: z.string().optional(), interrupt_id: z.string().optional() }).optional(),
  user: z.string().optional(),
  store: z.boolean().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
});
type ChatRequest = z.infer<typeof chatRequest>;
type ChatMessage = z.infer<typeof message>;

/** A turn that a request has started, and how its thread is found again. */
interface ChatTurn {
  readonly turn: Turn;
  /** Called with the answer, also of repeated requests; the first call counts. */
  readonly remember: (answer: string) => Promise<void>;
  /** Ignored parts of the request. */
  readonly ignored: readonly string[];
}

export function openaiChat(context: OpenaiContext): (request: Request) => Promise<Response> {
  const { space, heartbeatMs, isStrict } = context;
  const tips = new ThreadTips();
  const keyed = new KeyedRequests<ChatTurn>();
  return async (request) => {
    const { body, ignored, sent } = await readRequest(request, chatRequest, chatTuning, isStrict);
    const served = findWorkflow(space, body.model);
    const key = idempotencyKeyOf(request);
    let isRepeated = true;
    const first = await keyed.once(key, sent, () => {
      isRepeated = false;
      return takeTurn(context, served, { body, tips, threadId: request.headers.get('x-thread-id') ?? undefined, key });
    });
    const turn = isRepeated ? await repeatTurn(space, first.turn) : first.turn;
    const headers = ignoredHeaders([...ignored, ...first.ignored]);
    const { remember } = first;
    const reader = countUnkeyed(context, turn, key);
    if (!body.stream) return whole(turn, served, { headers, reader, request, remember });
    const includeUsage = body.stream_options?.include_usage === true;
    return eventStream(frames(turn, { model: served.id, includeUsage, remember }), {
      heartbeatMs,
      headers,
      ...reader,
    });
  };
}

interface ChatInput {
  readonly body: ChatRequest;
  readonly tips: ThreadTips;
  /** Thread that a header names. */
  readonly threadId: string | undefined;
  readonly key: string | undefined;
}

/** Gives the last message to the thread that the request or its history names; a history that is not known begins another thread. */
async function takeTurn(
  { space, isStrict }: OpenaiContext,
  served: ProtocolWorkflow,
  { body, tips, threadId: named, key }: ChatInput,
): Promise<ChatTurn> {
  const usesInstructions = served.uses?.includes('instructions') === true;
  const { history, ignored } = isStrict && !usesInstructions ? strictHistory(body) : lenientHistory(body, usesInstructions);
  const before = history.slice(0, -1);
  const given = body.metadata?.thread_id ?? named;
  const known = given ?? (await tips.take(body.model, before));
  if (known === undefined && before.length > 0 && isStrict) throw historyUnknown();
  const threadId = known ?? (key === undefined ? newId('t') : await threadIdOfKey(key));
  assertId(threadId, 'thread');
  const isForeign = known === undefined && before.length > 0;
  try {
    const text = history.at(-1)?.content ?? '';
    const keyed = key === undefined ? {} : { key: `openai-chat ${key}` };
    const details = detailsOf(served, body.messages.at(-1)?.content, instructionsOf(body));
    const turn = await startTurn(space, served, { threadId, text, details, shown: () => shownIn(body, before), ...keyed });
    let isRemembered = given !== undefined;
    return {
      turn,
      ignored: isForeign ? [...ignored, 'messages.history'] : ignored,
      remember: async (answer) => {
        if (isRemembered) return;
        isRemembered = true;
        await tips.put(body.model, [...history, { role: 'assistant', content: answer }], threadId);
      },
    };
  } catch (cause) {
    if (given === undefined && known !== undefined) await tips.put(body.model, before, threadId); // the run has not answered
    throw cause;
  }
}

/** Id of the question that the client sends back: from its metadata, else from the last answer before the new message. */
function shownIn({ metadata }: ChatRequest, before: readonly HistoryMessage[]): readonly string[] {
  const { interrupt_id: named } = metadata ?? {};
  if (named !== undefined) return [named];
  return idsInText(before.findLast(({ role }) => role === 'assistant')?.content ?? '');
}

const historyUnknown = (): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_UNKNOWN',
    message: 'The earlier messages match no conversation of this server.',
    hint: 'Send them unchanged, or name the conversation in metadata.thread_id and send only the new message.',
  });

interface ReadHistory {
  readonly history: readonly HistoryMessage[];
  readonly ignored: readonly string[];
}

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

const instructionsOf = ({ messages }: ChatRequest): string =>
  messages.every(isInstruction) ? '' : messages.filter(isInstruction).map(contentOf).join('\n\n');

/** Reads what a client sends, without instructions: a workflow has its own. A title is often requested by a lone system message. */
function lenientHistory({ messages }: ChatRequest, usesInstructions: boolean): ReadHistory {
  const spoken = messages.filter((one) => !isInstruction(one));
  const last = spoken.at(-1) ?? messages.at(-1);
  if (last && spoken.length > 0 && last.role !== 'user') throw noUserMessage();
  const before = spoken.slice(0, -1).map((one): HistoryMessage => ({ role: one.role, content: contentOf(one) }));
  const text = last ? textOf(last, messages.indexOf(last)) : '';
  return {
    history: [...before, { role: 'user', content: text }],
    ignored: !usesInstructions && messages.some((one) => isInstruction(one) && one !== last) ? ['messages.system'] : [],
  };
}

/** @throws {Unsupported} for messages that a workflow cannot receive. */
function strictHistory({ messages }: ChatRequest): ReadHistory {
  const history = messages.map((one, index): HistoryMessage => {
    const { role, tool_calls: calls } = one;
    if ((role !== 'user' && role !== 'assistant') || (calls?.length ?? 0) > 0)
      throw new Unsupported(
        `messages.${index} (${role === 'assistant' ? 'tool calls' : `role "${role.slice(0, 20)}"`})`,
        'A workflow has its own instructions and tools.',
      );
    return { role, content: textOf(one, index) };
  });
  if (history.at(-1)?.role !== 'user') throw noUserMessage();
  return { history, ignored: [] };
}

const noUserMessage = (): Unsupported => new Unsupported('a last message that is not a user message', 'Add one.');

/** @throws {Unsupported} for a part that is neither text nor a file with its content. */
function textOf({ content }: ChatMessage, index: number): string {
  if (typeof content === 'string') return content;
  const other = content?.find((one) => (one.type !== 'text' || one.text === undefined) && fileAddressOf(one) === undefined);
  if (other) throw new Unsupported(`messages.${index}.content (${other.type.slice(0, 40)})`, 'Send text.');
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n');
}

/** Content of an earlier message, which only identifies a conversation: other parts and calls make it a different one. */
function contentOf({ content, tool_calls: calls }: ChatMessage): string {
  const called = calls && calls.length > 0 ? JSON.stringify(calls) : '';
  if (typeof content === 'string') return `${content}${called}`;
  return `${(content ?? []).map((one) => (one.type === 'text' ? (one.text ?? '') : JSON.stringify(one))).join('\n')}${called}`;
}

interface WholeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly reader: ReturnType<ReaderCount['add']>;
  readonly request: Request;
  readonly remember: (answer: string) => Promise<void>;
}

async function whole(turn: Turn, served: ProtocolWorkflow, { headers, reader, request, remember }: WholeOptions): Promise<Response> {
  try {
    const parts = await readTurn(turn, reader, request.signal);
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

async function* frames(turn: Turn, { model, includeUsage, remember }: FrameOptions): AsyncGenerator<string, void, undefined> {
  let text = '';
  for await (const chunk of encodeTurn(turn, openaiChatEncoder({ model, after: turn.after, includeUsage }))) {
    const [choice] = 'choices' in chunk ? chunk.choices : [];
    text += choice?.delta.content ?? '';
    if (choice?.finish_reason) await remember(text);
    yield toFrame(chunk);
  }
  yield 'data: [DONE]\n\n';
}
