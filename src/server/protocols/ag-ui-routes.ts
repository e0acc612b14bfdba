import { Hono } from 'hono';
import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { asJson } from '../../core/util/as-json.ts';
import { assertId } from '../../core/util/ids.ts';
import { isObject } from '../../core/util/is-object.ts';
import { errorResponse } from '../http/error-response.ts';
import { type AgUiEncoder, agUiEncoder } from './ag-ui-encoder.ts';
import { notAccepted, parseTyped, toApproval } from './approval-question.ts';
import { encodedFrames, eventStream, toFrame } from './event-stream.ts';
import { isAfter } from './protocol-event.ts';
import { findWorkflow, type ProtocolOptions, type ProtocolSpace } from './protocol-space.ts';
import { readBody, unsupported } from './read-body.ts';
import { ReaderCount } from './reader-count.ts';
import { answerRun, resolveRun, startRun } from './run-commands.ts';
import type { RunRecording } from './run-recording.ts';
import { findInterrupt, findOwnRun, type ThreadRun } from './thread-run.ts';
import { answerTyped, countReader, type Turn } from './typed-answer.ts';

const message = z.object({ id: z.string(), role: z.string(), content: z.json().optional() }).catchall(z.json());
const runInput = z.looseObject({
  threadId: z.string(),
  runId: z.string(),
  messages: z.array(message),
  state: z.unknown().optional(),
  tools: z.array(z.unknown()).default([]),
  context: z.array(z.unknown()).default([]),
  forwardedProps: z.unknown().optional(),
  resume: z
    .array(z.looseObject({ interruptId: z.string(), status: z.enum(['resolved', 'cancelled']), payload: z.json().optional() }))
    .optional(),
});
type RunInput = z.infer<typeof runInput>;
type Resume = NonNullable<RunInput['resume']>[number];

/**
 * Serves AG-UI 1.0: `POST /api/ag-ui/:workflow`, for `HttpAgent`. A waiting run ends with the outcome `interrupt`, and the next one answers
 * it in `resume`. Only the last message is read, and from the client's state the ids of open questions, which a typed decision refers to.
 *
 * @example serve({ fetch: agUiRoutes({ runtime, workflows: [{ id: 'chat', workflow }] }).fetch, port: 8080 });
 */
export function agUiRoutes(space: ProtocolSpace, { goneMs = 0, heartbeatMs = 15_000 }: ProtocolOptions = {}): Hono {
  const readers = new ReaderCount(space.runtime, goneMs);
  const app = new Hono();
  app.onError((error) => errorResponse(error));
  app.post('/api/ag-ui/:workflow', async ({ req }) => {
    const served = findWorkflow(space, req.param('workflow'));
    const input = await readBody(req.raw, runInput);
    assertId(input.threadId, 'thread');
    assertSupported(input);
    const { threadId, runId, messages } = input;
    const encoder = agUiEncoder({ threadId, runId, before: messages });
    const run = await findOwnRun(space.runtime, threadId, served);
    const turn = await resume(space, run, input);
    if (turn) return eventStream(resumedFrames(turn, encoder), { heartbeatMs, ...countReader(readers, turn) });
    const recording = await startRun(space, served, { text: textOf(input), threadId });
    return eventStream(encodedFrames(recording, encoder), { heartbeatMs, ...readers.add(recording.runId) });
  });
  return app;
}

/** Rest of a run, as a separate AG-UI run. */
async function* resumedFrames({ recording, after }: Turn, encoder: AgUiEncoder): AsyncGenerator<string, void, undefined> {
  let hasBegun = false;
  for await (const event of recording.read()) {
    const isRest = isAfter(event, after);
    if (isRest && !hasBegun) for (const first of encoder.begin()) yield toFrame(first);
    hasBegun ||= isRest;
    const events = encoder.push(event);
    if (isRest) for (const one of events) yield toFrame(one);
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` for unsupported input that would be ignored. */
function assertSupported({ tools, context, forwardedProps }: RunInput): void {
  if (tools.length > 0) throw unsupported('tools of the client', 'The workflow has its own tools.');
  if (context.length > 0) throw unsupported('context', 'Put it into the message.');
  if (forwardedProps && Object.keys(forwardedProps).length > 0) throw unsupported('forwardedProps', 'Remove them.');
}

/** Continues a run with the client's answers. Returns `undefined` if no question was answered. */
async function resume(space: ProtocolSpace, run: ThreadRun | undefined, input: RunInput): Promise<Turn | undefined> {
  let recording: RunRecording | undefined;
  for (const entry of input.resume ?? []) {
    if (!run) throw unknownInterrupt();
    recording = await answer(space, run, entry);
  }
  if (recording) return { recording, after: run?.seq ?? 0 };
  return run ? answerTyped(space, run, textOf(input), shownIn(input)) : undefined;
}

/** Ids of the open questions in the state that the client sends back. */
function shownIn({ state }: RunInput): readonly string[] {
  const interrupts = isObject(state) && isObject(state.interrupts) ? state.interrupts : {};
  return Object.entries(interrupts).flatMap(([id, shown]) => (isObject(shown) && shown.status === 'open' ? [id] : []));
}

async function answer(space: ProtocolSpace, run: ThreadRun, { interruptId, status, payload }: Resume): Promise<RunRecording> {
  const doubt = run.inDoubt.find(({ callId }) => callId === interruptId);
  if (doubt) return resolveRun(space, run.runId, interruptId, status === 'cancelled' ? { as: 'abort' } : (payload as { as: 'retry' }));
  const interrupt = findInterrupt(run, interruptId);
  const send = (event: Parameters<typeof answerRun>[3]): Promise<RunRecording> => answerRun(space, run.runId, interruptId, event);
  if (status === 'cancelled') return send(toApproval(interrupt, false, undefined));
  if (typeof payload === 'boolean') return send(toApproval(interrupt, payload, undefined));
  if (typeof payload === 'string') return send(parseTyped(interrupt, payload));
  if (typeof payload === 'object' && payload !== null && 'approved' in payload && !('type' in payload))
    return send(toDecision(interrupt, payload));
  return send(parseTyped(interrupt, JSON.stringify(payload ?? null)));
}

// Decision 432: strict, because an unknown field may limit what is approved.
const decision = z.strictObject({
  approved: z.boolean(),
  reason: z.string().optional(),
  editedArgs: z.record(z.string(), z.json()).optional(),
});

/**
 * Parses an approval, a rejection, or an approval with other arguments. Unknown fields make it invalid, because they may limit what the
 * human approves.
 */
function toDecision(interrupt: Interrupt, payload: object): HumanEvent {
  const read = decision.safeParse(payload);
  if (!read.success) throw notAccepted(interrupt.accepts);
  const { approved, reason, editedArgs } = read.data;
  if (!approved || !editedArgs) return toApproval(interrupt, approved, reason);
  if (!interrupt.accepts.includes('EDIT')) throw notAccepted(interrupt.accepts);
  return { type: 'EDIT', arguments: editedArgs };
}

const unknownInterrupt = (): WorkflowError =>
  new WorkflowError({ code: 'INTERRUPT_UNKNOWN', message: 'The thread has no open question.', hint: 'Remove resume.' });

/** @throws {WorkflowError} `INPUT_INVALID` when the last message is not a user's, or contains more than text. */
function textOf({ messages }: RunInput): string {
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: 'The last message is not a user message.',
      hint: 'Add one, or answer in resume.',
    });
  const content = asJson(last.content ?? null);
  if (typeof content === 'string') return content;
  const parts = z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).safeParse(content);
  if (!parts.success) throw unsupported('a message with more than text', 'Send text.');
  return parts.data.map(({ text }) => text).join('\n');
}
