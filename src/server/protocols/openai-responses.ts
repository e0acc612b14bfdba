import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { encodeRecording, eventStream } from './event-stream.ts';
import { Unsupported } from './openai-error.ts';
import { type OpenaiResponsesEncoderOptions, openaiResponsesEncoder, type ResponseEvent } from './openai-responses-encoder.ts';
import { ignoredHeaders, responseTuning } from './openai-settings.ts';
import { readRequest, startTurn } from './openai-turn.ts';
import { findWorkflow, type ProtocolSpace } from './protocol-space.ts';
import type { ReaderCount } from './reader-count.ts';
import { findThreadRun, interruptIdsAfter } from './thread-run.ts';
import { countReader, type Turn } from './typed-answer.ts';

const content = z.union([z.string(), z.array(z.strictObject({ type: z.literal('input_text'), text: z.string() })).min(1)]);
const item = z.strictObject({ type: z.literal('message').optional(), role: z.literal('user'), content });
const responseRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.tuple([item], { error: 'only the new user message is accepted, because the server keeps the history' })]),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).optional(),
  previous_response_id: z.string().optional(),
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  store: z.literal(true, { error: 'runs are always stored' }).optional(),
  background: z.literal(false, { error: 'background runs are not supported' }).optional(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
});
type ResponseRequest = z.infer<typeof responseRequest>;

export async function openaiResponses(
  space: ProtocolSpace,
  readers: ReaderCount,
  heartbeatMs: number,
  request: Request,
): Promise<Response> {
  const { body, ignored } = await readRequest(request, responseRequest, responseTuning);
  const served = findWorkflow(space, body.model);
  const previous = previousOf(body);
  const threadId = await threadOf(space, body, previous);
  assertId(threadId, 'thread');
  const named = body.metadata?.interrupt_id ?? previous?.repeatedInterrupt;
  const turn = await startTurn(space, served, {
    threadId,
    text: textOf(body),
    shown: (run) => (named !== undefined ? [named] : previous ? interruptIdsAfter(run, previous.after) : []),
  });
  const { previous_response_id: previousResponseId, metadata } = body;
  const options = {
    model: served.id,
    after: turn.after,
    ...(turn.repeatedInterrupt === undefined ? {} : { repeatedInterrupt: turn.repeatedInterrupt }),
    ...(metadata ? { metadata } : {}),
    ...(previousResponseId === undefined ? {} : { previousResponseId }),
  };
  const headers = ignoredHeaders(ignored);
  const { onEnd, onGone } = countReader(readers, turn);
  if (body.stream) return eventStream(frames(turn, options), { heartbeatMs, headers, onEnd, onGone });
  request.signal.addEventListener('abort', onGone, { once: true });
  let last: ResponseEvent | undefined;
  for await (const event of encodeRecording(turn.recording, openaiResponsesEncoder(options))) last = event;
  onEnd();
  return Response.json(last?.response, { headers });
}

async function* frames({ recording }: Turn, options: OpenaiResponsesEncoderOptions): AsyncGenerator<string, void, undefined> {
  for await (const event of encodeRecording(recording, openaiResponsesEncoder(options)))
    yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function textOf({ input }: ResponseRequest): string {
  if (typeof input === 'string') return input;
  const [{ content: parts }] = input;
  return typeof parts === 'string' ? parts : parts.map(({ text }) => text).join('\n');
}

interface PreviousResponse {
  readonly runId: string;
  /** Sequence number of the last event before the response. */
  readonly after: number;
  /** Id of the question that the response has repeated. */
  readonly repeatedInterrupt?: string;
}

function previousOf({ previous_response_id: id }: ResponseRequest): PreviousResponse | undefined {
  if (id === undefined) return undefined;
  const [, runId = '', after = '', repeatedInterrupt] = /^resp_(.+)_(\d{1,9})(?:_(i_[0-9a-f]{16}))?$/.exec(id) ?? [];
  return { runId, after: Number(after), ...(repeatedInterrupt === undefined ? {} : { repeatedInterrupt }) };
}

/** @throws {WorkflowError} `THREAD_UNKNOWN` for an unknown response, `THREAD_MOVED_ON` if it is not the last of its thread. */
async function threadOf(space: ProtocolSpace, { conversation }: ResponseRequest, previous: PreviousResponse | undefined): Promise<string> {
  if (conversation !== undefined && previous !== undefined)
    throw new Unsupported('conversation together with previous_response_id', 'Give one.');
  if (conversation !== undefined) return typeof conversation === 'string' ? conversation : conversation.id;
  if (previous === undefined) return newId('t');
  const { runId, after } = previous;
  assertId(runId, 'response');
  const { threadId = '' } = await space.runtime.get(runId);
  const run = threadId === '' ? undefined : await findThreadRun(space.runtime, threadId);
  if (run?.runId === runId && after <= run.seq) return threadId;
  throw new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: 'The conversation has continued after that response.',
    hint: 'Continue from its last response.',
  });
}
