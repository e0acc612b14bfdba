import { Hono } from 'hono';
import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Source } from '../../core/util/source.ts';
import { errorResponse } from '../http/error-response.ts';
import { inputText } from '../http/thread-title.ts';
import type { AiSdkChunk } from './ai-sdk-chunk.ts';
import { aiSdkEncoder } from './ai-sdk-encoder.ts';
import { type AiSdkMessage, toAiSdkMessage } from './ai-sdk-message.ts';
import { type CallApproval, toApproval, toDecisions } from './approval-question.ts';
import { encodedFrames, encodeRecording, eventStream } from './event-stream.ts';
import { followRun } from './follow-run.ts';
import { findWorkflow, type ProtocolOptions, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import { readBody, unsupported } from './read-body.ts';
import { ReaderCount } from './reader-count.ts';
import { answerRun, startRun } from './run-commands.ts';
import type { RunRecording } from './run-recording.ts';
import { findInterrupt, findOwnRun, type ThreadRun } from './thread-run.ts';
import { answerTyped, countReader, type Turn } from './typed-answer.ts';

/** Maximum number of turns returned of a conversation, newest first. */
const maxTurns = 100;

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  data: z.unknown().optional(),
  state: z.string().optional(),
  approval: z.looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() }).optional(),
});
const message = z.looseObject({ id: z.string().optional(), role: z.enum(['system', 'user', 'assistant']), parts: z.array(part) });
const chatBody = z.looseObject({
  id: z.string(),
  messages: z.array(message).min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().nullish(),
  answer: z.strictObject({ interruptId: z.string(), event: z.object({ type: z.string() }).catchall(z.json()) }).optional(),
});
type ChatBody = z.infer<typeof chatBody>;
type Message = z.infer<typeof message>;

/**
 * Serves the AI SDK's chat. `POST /api/ai-sdk/:workflow` is for `DefaultChatTransport`. `GET …/:thread/stream` reconnects to a run that is
 * active or waits, `GET …/:thread/messages` returns the messages so far, and `POST …/:thread/stop` ends the run at once.
 *
 * The chat's id is the thread. The server has the history, so only the last message is read, and the questions in the answer before it. An
 * approval in that answer counts only if the run asks for it.
 *
 * @example serve({ fetch: aiSdkRoutes({ runtime, workflows: [{ id: 'chat', workflow }] }).fetch, port: 8080 });
 */
export function aiSdkRoutes(space: ProtocolSpace, { goneMs = 2_000, heartbeatMs = 15_000 }: ProtocolOptions = {}): Hono {
  const readers = new ReaderCount(space.runtime, goneMs);
  const stream = (turn: Turn): Response =>
    eventStream(framesOf(turn), {
      heartbeatMs,
      ...countReader(readers, turn),
      headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    });
  const app = new Hono();
  app.onError((error) => errorResponse(error));
  app.post('/api/ai-sdk/:workflow', async ({ req }) => {
    const served = findWorkflow(space, req.param('workflow'));
    const body = await readBody(req.raw, chatBody);
    assertId(body.id, 'thread');
    const run = await findOwnRun(space.runtime, body.id, served);
    const isTyped = run && !body.answer && body.messages.at(-1)?.role === 'user';
    const answered = isTyped ? await answerTyped(space, run, textOf(body), shownIn(body)) : undefined;
    if (answered) return stream({ ...answered, after: 0 });
    const answers = answersOf(body, run);
    if (run && answers.length > 0) {
      const [recording] = (await answerAll(space, run, answers)).slice(-1);
      if (recording) return stream({ recording, after: hasMessageOf(run, body.messages, answers) ? run.seq : 0 });
    }
    return stream({ recording: await startRun(space, served, { text: textOf(body), threadId: body.id }), after: 0 });
  });
  app.get('/api/ai-sdk/:workflow/:thread/stream', async ({ req }) => {
    const run = await runOf(space, req.param('workflow'), req.param('thread'));
    const goesOn = run && ['queued', 'running', 'waiting', 'in_doubt'].includes(run.status);
    return goesOn ? stream({ recording: followRun(space, run.runId), after: 0 }) : new Response(null, { status: 204 });
  });
  app.get('/api/ai-sdk/:workflow/:thread/messages', async ({ req }) => {
    const served = findWorkflow(space, req.param('workflow'));
    assertId(req.param('thread'), 'thread');
    return Response.json(await messagesOf(space, served, req.param('thread')));
  });
  app.post('/api/ai-sdk/:workflow/:thread/stop', async ({ req }) => {
    const run = await runOf(space, req.param('workflow'), req.param('thread'));
    await stop(space, run);
    return new Response(null, { status: 204 });
  });
  return app;
}

const framesOf = ({ recording, after }: Turn): Source<string> =>
  encodedFrames(recording, aiSdkEncoder(), { after, last: 'data: [DONE]\n\n' });

/** Messages for a page that opens. An active run's message is available in its stream only. */
async function messagesOf(space: ProtocolSpace, { workflow }: ProtocolWorkflow, threadId: string): Promise<readonly AiSdkMessage[]> {
  const newest = await space.runtime.list({ threadId, workflow: workflow.id, limit: maxTurns });
  const messages: AiSdkMessage[] = [];
  for (const { id, status } of newest.toReversed()) {
    const { input } = await space.runtime.get(id);
    messages.push({ id: `${id}-user`, role: 'user', parts: [{ type: 'text', text: inputText(input), state: 'done' }] });
    if (status === 'running' || status === 'queued') continue;
    const chunks: AiSdkChunk[] = [];
    for await (const chunk of encodeRecording(followRun(space, id), aiSdkEncoder())) chunks.push(chunk);
    messages.push(toAiSdkMessage(chunks));
  }
  return messages;
}

async function runOf(space: ProtocolSpace, workflow: string, threadId: string): Promise<ThreadRun | undefined> {
  const served = findWorkflow(space, workflow);
  assertId(threadId, 'thread');
  return findOwnRun(space.runtime, threadId, served);
}

async function stop({ runtime }: ProtocolSpace, run: ThreadRun | undefined): Promise<void> {
  try {
    if (run) await runtime.cancel(run.runId);
  } catch (cause) {
    if (!hasCode(cause, 'RUN_ENDED')) throw cause; // the run was stopped, or has just ended
  }
}

interface Answer {
  readonly interruptId: string;
  readonly event: HumanEvent;
}

/** Answers in the last message to the questions of a run. @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `EVENT_NOT_ACCEPTED`. */
function answersOf({ answer, messages }: ChatBody, run: ThreadRun | undefined): readonly Answer[] {
  if (answer) {
    if (!run) throw noAnswer();
    return [{ ...answer, interruptId: findInterrupt(run, answer.interruptId).id }];
  }
  const last = messages.at(-1);
  if (last?.role === 'user') return [];
  const given = (last?.parts ?? []).flatMap(({ state, approval }) => (state === 'approval-responded' && approval ? [approval] : []));
  if (given.length === 0 || !run) throw noAnswer();
  const isOpen = (id: string): boolean => run.interrupts.some((one) => one.id === interruptOf(id));
  const open = given.filter(({ id }) => isOpen(id));
  const answers: Answer[] = [];
  const together = new Map<string, CallApproval[]>();
  // a repeated answer is for the newest question of the message, with all of its calls
  const newest = interruptOf(given.at(-1)?.id ?? '');
  for (const { id, approved = false, reason } of open.length > 0 ? open : given.filter((one) => interruptOf(one.id) === newest)) {
    const interruptId = interruptOf(id);
    if (interruptId === id) answers.push({ interruptId, event: toApproval(findInterrupt(run, id), approved, reason) });
    else together.set(interruptId, [...(together.get(interruptId) ?? []), { key: id.slice(interruptId.length + 1), approved, reason }]);
  }
  for (const [interruptId, approvals] of together)
    answers.push({ interruptId, event: toDecisions(findInterrupt(run, interruptId), approvals) });
  return answers;
}

/** The question that an approval belongs to: see `approvalId` of a `PendingCall`. */
const interruptOf = (approvalId: string): string => approvalId.split('/')[0] ?? '';

/** Ids of the open questions in the last answer that the client shows. */
function shownIn({ messages }: ChatBody): readonly string[] {
  const { parts = [] } = messages.findLast(({ role }) => role === 'assistant') ?? {};
  return parts.flatMap(({ type, id, data }) =>
    type === 'data-interrupt' && id !== undefined && isObject(data) && data.status === 'open' ? [id] : [],
  );
}

const noAnswer = (): WorkflowError =>
  new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: 'The last message is neither a user message nor an answer to an open approval.',
    hint: 'Send a user message, or answer the open question.',
  });

async function answerAll(space: ProtocolSpace, run: ThreadRun, answers: readonly Answer[]): Promise<readonly RunRecording[]> {
  const recordings: RunRecording[] = [];
  for (const { interruptId, event } of answers) recordings.push(await answerRun(space, run.runId, interruptId, event));
  return recordings;
}

/** True when the client continues the run's existing message; otherwise it receives the whole message. */
function hasMessageOf({ runId }: ThreadRun, messages: readonly Message[], answers: readonly Answer[]): boolean {
  const last = messages.at(-1);
  const shown = new Set(last?.parts.flatMap(({ approval }) => (approval ? [interruptOf(approval.id)] : [])));
  return last?.role === 'assistant' && last.id === runId && answers.every(({ interruptId }) => shown.has(interruptId));
}

/** @throws {WorkflowError} `OPTION_INVALID` for unsupported input. */
function textOf({ messages, trigger, messageId }: ChatBody): string {
  const last = messages.at(-1);
  if (trigger === 'regenerate-message') throw unsupported('regenerate-message', 'Send the message again as a new turn.');
  if (messageId) throw unsupported('an edited message', 'Send it as a new message. The server keeps the history.');
  if (last?.role !== 'user') throw noAnswer();
  return textOfMessage(last);
}

/** @throws {WorkflowError} `OPTION_INVALID` for parts that are not text. */
function textOfMessage({ parts }: Message): string {
  const other = parts.find(({ type }) => type !== 'text');
  if (other) throw unsupported(`a part of type "${other.type.slice(0, 40)}"`, 'Send text.');
  return parts.map(({ text = '' }) => text).join('\n');
}
