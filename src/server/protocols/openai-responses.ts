import { z } from 'zod';
import { type ErrorCode, WorkflowError } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { eventStream } from './event-stream.ts';
import { followRun } from './follow-run.ts';
import { KeyedRequests } from './keyed-requests.ts';
import type { MessageDetails } from './message-details.ts';
import { detailsOf, fileAddressOf } from './openai-details.ts';
import { Unsupported } from './openai-error.ts';
import { parseResponseId, type ResponseId, toResponseId } from './openai-response-id.ts';
import { ignoredHeaders, responseTuning } from './openai-settings.ts';
import { findResponse, lastResponse, responseFrames, snapshotOf } from './openai-stored-responses.ts';
import { countUnkeyed, type OpenaiContext, readRequest, repeatTurn, startTurn, threadIdOfKey, uncounted } from './openai-turn.ts';
import { findWorkflow, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import { findKeyedRun, startRun } from './run-commands.ts';
import type { TurnEnd } from './run-turns.ts';
import { findThreadRun, interruptIdsAfter } from './thread-run.ts';
import { answerTyped, repeatTyped, type Turn } from './typed-answer.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional(),
});
const responseRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({}).optional(),
  previous_response_id: z.string().optional(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  store: z.literal(true, { error: 'runs are always stored' }).optional(),
  background: z.boolean().optional(),
  user: z.string().optional(),
  safety_identifier: z.string().optional(),
  prompt_cache_key: z.string().optional(),
});
type ResponseRequest = z.infer<typeof responseRequest>;
type Item = z.infer<typeof item>;

export function openaiResponses(context: OpenaiContext): (request: Request) => Promise<Response> {
  const { space, heartbeatMs, isStrict } = context;
  const keyed = new KeyedRequests<Turn>();
  return async (request) => {
    const { body, ignored, sent } = await readRequest(request, responseRequest, responseTuning, isStrict);
    const served = findWorkflow(space, body.model);
    const message = messageOf(body, isStrict);
    const isIgnoring = body.instructions !== undefined && !served.uses?.includes('instructions');
    if (isIgnoring && isStrict) throw new Unsupported('instructions', 'A workflow has its own.');
    const key = idempotencyKeyOf(request);
    let isRepeated = true;
    const first = await keyed.once(key, sent, () => {
      isRepeated = false;
      return takeTurn(space, served, { body, text: message.text, details: inputDetails(served, body), key });
    });
    const turn = isRepeated ? await repeatTurn(space, first) : first;
    const { previous_response_id: previousResponseId, metadata, background = false } = body;
    const options = {
      model: served.id,
      after: turn.after,
      ...(turn.repeatedInterrupt === undefined ? {} : { repeatedInterrupt: turn.repeatedInterrupt }),
      ...(metadata ? { metadata } : {}),
      ...(previousResponseId === undefined ? {} : { previousResponseId }),
    };
    const headers = ignoredHeaders([...ignored, ...(isIgnoring ? ['instructions'] : []), ...message.ignored]);
    if (background && !body.stream) return Response.json({ ...(await snapshotOf(space, turn, options)), background }, { headers });
    const { onEnd, onGone } = background ? uncounted : countUnkeyed(context, turn, key);
    if (body.stream) return eventStream(responseFrames(turn, options), { heartbeatMs, headers, onEnd, onGone });
    request.signal.addEventListener('abort', onGone, { once: true });
    const response = await lastResponse(turn, options);
    onEnd();
    return Response.json(response, { headers });
  };
}

interface ResponseInput {
  readonly body: ResponseRequest;
  readonly text: string;
  readonly details: MessageDetails;
  readonly key: string | undefined;
}

/** Gives the message to the conversation that the request names. */
async function takeTurn(space: ProtocolSpace, served: ProtocolWorkflow, { body, text, details, key: given }: ResponseInput): Promise<Turn> {
  const { conversation, previous_response_id: previousId, metadata } = body;
  const key = given === undefined ? {} : { key: `openai-response ${given}` };
  if (previousId === undefined) {
    const named = typeof conversation === 'string' ? conversation : conversation?.id;
    const threadId = named ?? (given === undefined ? newId('t') : await threadIdOfKey(given));
    assertId(threadId, 'thread');
    const { interrupt_id: shown } = metadata ?? {};
    return startTurn(space, served, { threadId, text, details, shown: () => (shown === undefined ? [] : [shown]), ...key });
  }
  if (conversation !== undefined) throw new Unsupported('conversation together with previous_response_id', 'Give one.');
  return continueAfter(space, served, {
    previous: parseResponseId(previousId),
    text,
    details,
    named: metadata?.interrupt_id,
  });
}

interface Continuation {
  readonly previous: ResponseId;
  readonly text: string;
  readonly details: MessageDetails;
  /** Id of the question that the client names. */
  readonly named: string | undefined;
}

/** Maximum number of attempts to continue after one response. */
const maxAttempts = 100;

/**
 * Continues after a response. The same message again gets the first continuation, unless that one has failed or was cancelled.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN` for an unknown response; `THREAD_MOVED_ON` when it was continued with another message.
 */
async function continueAfter(
  space: ProtocolSpace,
  served: ProtocolWorkflow,
  { previous, text, details, named }: Continuation,
): Promise<Turn> {
  const { runId, after, repeatedInterrupt } = previous;
  const { turn, threadId } = await findResponse(space, previous);
  if (turn.end) return repeatAnswer(space, runId, turn.end, text);
  const run = await findThreadRun(space.runtime, threadId);
  const mayContinue = new Set([runId]);
  for (let attempt = 0; run && attempt < maxAttempts; attempt++) {
    const key = `openai-response ${toResponseId({ runId, after })} ${attempt}`;
    const known = await findKeyedRun(space, key);
    if (known && (known.status === 'failed' || known.status === 'cancelled')) {
      mayContinue.add(known.id);
      continue;
    }
    if (!known && !mayContinue.has(run.runId)) break;
    const shown = named ?? repeatedInterrupt;
    const isAnswer = !known && run.workflow === served.workflow.id;
    const answered = isAnswer && (await answerTyped(space, run, text, shown === undefined ? interruptIdsAfter(run, after) : [shown]));
    if (answered) return answered;
    return { recording: await startRun(space, served, { text, details, threadId, key }).catch(asMovedOn('RUN_EXISTS')), after: 0 };
  }
  throw movedOn();
}

/** The turn that the same answer has begun. */
async function repeatAnswer(space: ProtocolSpace, runId: string, { seq, question }: TurnEnd, text: string): Promise<Turn> {
  await repeatTyped(space, runId, question, text).catch(asMovedOn('EVENT_NOT_ACCEPTED'));
  return repeatTurn(space, { recording: followRun(space, runId), after: seq });
}

const asMovedOn =
  (code: ErrorCode) =>
  (cause: unknown): never => {
    throw hasCode(cause, code) ? movedOn() : cause;
  };

const movedOn = (): WorkflowError =>
  new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: 'The conversation has continued after that response, with another message.',
    hint: 'Continue from its last response.',
  });

/** Files of the new message, and the instructions. */
function inputDetails(served: ProtocolWorkflow, { input, instructions = '' }: ResponseRequest): MessageDetails {
  const { content } = (typeof input === 'string' ? undefined : input.at(-1)) ?? {};
  return detailsOf(served, content, instructions);
}

interface ReadMessage {
  readonly text: string;
  /** Ignored parts of the input. */
  readonly ignored: readonly string[];
}

/**
 * Reads the new message. Other items are instructions and a history, which the server has itself.
 *
 * @throws {Unsupported} for an input whose last item is not a user's message of text; for any other item if `isStrict`.
 */
function messageOf({ input }: ResponseRequest, isStrict: boolean): ReadMessage {
  if (typeof input === 'string') return { text: input, ignored: [] };
  const isUsers = ({ type = 'message', role }: Item): boolean => type === 'message' && role === 'user';
  const last = input.at(-1);
  const isOther = isStrict && input.length > 1;
  if (!last || !isUsers(last) || isOther)
    throw new Unsupported('input', 'The last item must be the new user message, because the server keeps the history.');
  const { content = [] } = last;
  const ignored = input.length > 1 ? ['input.history'] : [];
  if (typeof content === 'string') return { text: content, ignored };
  const other = content.find((one) => (one.type !== 'input_text' || one.text === undefined) && fileAddressOf(one) === undefined);
  if (other) throw new Unsupported(`input.${input.length - 1}.content (${other.type.slice(0, 40)})`, 'Send text.');
  return { text: content.flatMap(({ type, text }) => (type === 'input_text' ? [text] : [])).join('\n'), ignored };
}
