import { Hono } from 'hono';
import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Source } from '../../core/util/source.ts';
import { errorResponse } from '../http/error-response.ts';
import { inputText } from '../http/thread-title.ts';
import { branchOf, branchTurns, tipOf } from './ai-sdk-branch.ts';
import type { AiSdkChunk } from './ai-sdk-chunk.ts';
import { aiSdkEncoder } from './ai-sdk-encoder.ts';
import { type AiSdkMessage, toAiSdkMessage } from './ai-sdk-message.ts';
import { type CallApproval, toApproval, toDecisions } from './approval-question.ts';
import { encodedFrames, encodeRecording, eventStream } from './event-stream.ts';
import { followRun } from './follow-run.ts';
import { fileOfUrl } from './message-input.ts';
import { actingSpace, findWorkflow, type ProtocolOptions, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import { readBody, unsupported } from './read-body.ts';
import { ReaderCount } from './reader-count.ts';
import { answerRun, type StartMessage, startRun } from './run-commands.ts';
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
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
  approval: z.looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() }).optional(),
});
const message = z.looseObject({ id: z.string().optional(), role: z.enum(['system', 'user', 'assistant']), parts: z.array(part) });
const chatBody = z.looseObject({
  id: z.string(),
  messages: z.array(message).min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().nullish(),
  /** True regenerates an answer although its run has made calls that happen once. */
  repeatOnce: z.boolean().optional(),
  answer: z.strictObject({ interruptId: z.string(), event: z.object({ type: z.string() }).catchall(z.json()) }).optional(),
});
type ChatBody = z.infer<typeof chatBody>;
type Message = z.infer<typeof message>;

/**
 * Serves the AI SDK's chat. `POST /api/ai-sdk/:workflow` is for `DefaultChatTransport`. `GET …/:thread/stream` reconnects to a run that is
 * active or waits, `GET …/:thread/messages` returns the messages so far, and `POST …/:thread/stop` ends the run at once.
 *
 * The chat's id is the thread. The server has the history, so only the last message is read, and the questions in the answer before it. An
 * approval in that answer counts only if the run asks for it. A regenerated answer and an edited message continue the thread after the answer
 * before them.
 *
 * @example serve({ fetch: aiSdkRoutes({ runtime, workflows: [{ id: 'chat', workflow }] }).fetch, port: 8080 });
 */
export function aiSdkRoutes(given: ProtocolSpace, { goneMs = 2_000, heartbeatMs = 15_000 }: ProtocolOptions = {}): Hono {
  const space = actingSpace(given, 'ai-sdk');
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
    const branch = await branchOf(space, run, body);
    if (branch) {
      const recording = await startRun(space, served, { ...messageOf(body), threadId: body.id, ...branch });
      return stream({ recording, after: 0 });
    }
    const isTyped = run && !body.answer && body.messages.at(-1)?.role === 'user';
    const answered = isTyped ? await answerTyped(space, run, messageOf(body).text, shownIn(body)) : undefined;
    if (answered) return stream({ ...answered, after: 0 });
    const answers = answersOf(body, run);
    if (run && answers.length > 0) {
      const [recording] = (await answerAll(space, run, answers)).slice(-1);
      if (recording) return stream({ recording, after: hasMessageOf(run, body.messages, answers) ? run.seq : 0 });
    }
    return stream({
      recording: await startRun(space, served, { ...messageOf(body), threadId: body.id, ...(await tipOf(space, run)) }),
      after: 0,
    });
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
  const messages: AiSdkMessage[] = [];
  for (const { id, status, input } of await branchTurns(
    space,
    await space.runtime.list({ threadId, workflow: workflow.id, limit: maxTurns }),
  )) {
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

/** The new message. @throws {WorkflowError} `OPTION_INVALID` for unsupported parts; `INPUT_INVALID` for an invalid file. */
function messageOf({ messages }: ChatBody): Pick<StartMessage, 'text' | 'details'> {
  const last = messages.at(-1);
  if (last?.role !== 'user') throw noAnswer();
  const files: MessageFile[] = [];
  const texts: string[] = [];
  for (const { type, text = '', url, mediaType, filename } of last.parts) {
    if (type === 'text') texts.push(text);
    else if (type === 'file' && url !== undefined)
      files.push(fileOfUrl(url, { ...(mediaType ? { mediaType } : {}), ...(filename ? { name: filename } : {}) }));
    else throw unsupported(`a part of type "${type.slice(0, 40)}"`, 'Send text and files.');
  }
  return { text: texts.join('\n'), ...(files.length > 0 ? { details: { files } } : {}) };
}
