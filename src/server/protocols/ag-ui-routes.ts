import { Hono } from 'hono';
import { z } from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { asJson } from '../../core/util/as-json.ts';
import { assertId } from '../../core/util/ids.ts';
import { isObject } from '../../core/util/is-object.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { waitingStates } from '../../engine/define/graph.ts';
import { errorResponse } from '../http/error-response.ts';
import { type AgUiEncoder, agUiEncoder } from './ag-ui-encoder.ts';
import { notAccepted, parseTyped, toApproval } from './approval-question.ts';
import { encodedFrames, eventStream, toFrame } from './event-stream.ts';
import type { MessageDetails } from './message-details.ts';
import { fileOfUrl } from './message-input.ts';
import { isAfter } from './protocol-event.ts';
import { actingSpace, findWorkflow, type ProtocolOptions, type ProtocolSpace, type ProtocolWorkflow } from './protocol-space.ts';
import { readBody, unsupported } from './read-body.ts';
import { ReaderCount } from './reader-count.ts';
import { answerRun, resolveRun, type StartMessage, startRun } from './run-commands.ts';
import type { RunRecording } from './run-recording.ts';
import { findInterrupt, findOwnRun, type ThreadRun } from './thread-run.ts';
import { answerTyped, countReader, type Turn } from './typed-answer.ts';

const message = z.object({ id: z.string(), role: z.string(), content: z.json().optional() }).catchall(z.json());
const runInput = z.looseObject({
  threadId: z.string(),
  runId: z.string(),
  messages: z.array(message),
  state: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  context: z.array(z.object({ description: z.string(), value: z.string() })).default([]),
  forwardedProps: z.record(z.string(), z.json()).nullish(),
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
export function agUiRoutes(given: ProtocolSpace, { goneMs = 0, heartbeatMs = 15_000 }: ProtocolOptions = {}): Hono {
  const space = actingSpace(given, 'ag-ui');
  const readers = new ReaderCount(space.runtime, goneMs);
  const app = new Hono();
  app.onError((error) => errorResponse(error));
  app.post('/api/ag-ui/:workflow', async ({ req }) => {
    const served = findWorkflow(space, req.param('workflow'));
    const input = await readBody(req.raw, runInput);
    assertId(input.threadId, 'thread');
    const { threadId, runId, messages, tools } = input;
    const details = detailsOf(input, served);
    const encoder = agUiEncoder({ threadId, runId, before: messages, tools: tools.map(({ name }) => name) });
    const run = await findOwnRun(space.runtime, threadId, served);
    const turn = await resume(space, run, input);
    if (turn) return eventStream(resumedFrames(turn, encoder), { heartbeatMs, ...countReader(readers, turn) });
    const recording = await startRun(space, served, { ...messageOf(input, details), threadId });
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

/**
 * The client's context, if it sends any. A tool of the client can only be a state that asks: the client answers with the tool's result.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for another tool; it would never be called.
 */
function detailsOf({ tools, context, forwardedProps }: RunInput, { workflow }: ProtocolWorkflow): MessageDetails {
  const states = [...waitingStates(workflow.machine).keys()].map((id) => id.slice(`${workflow.machine.id}.`.length));
  const other = tools.find(({ name }) => !states.includes(name));
  const asking = states.length === 0 ? 'None does here.' : `Those are: ${states.join(', ')}.`;
  if (other) {
    throw unsupported(
      `the tool "${other.name.slice(0, 64)}" of the client`,
      `The workflow has its own tools. A tool of the client must have the name of a state that asks. ${asking}`,
    );
  }
  return {
    ...(context.length > 0 ? { context } : {}),
    ...(forwardedProps && Object.keys(forwardedProps).length > 0 ? { forwardedProps } : {}),
  };
}

/** Continues a run with the client's answers. Returns `undefined` if no question was answered. */
async function resume(space: ProtocolSpace, run: ThreadRun | undefined, input: RunInput): Promise<Turn | undefined> {
  let recording: RunRecording | undefined;
  for (const entry of input.resume ?? []) {
    if (!run) throw unknownInterrupt();
    recording = await answer(space, run, entry);
  }
  if (recording) return { recording, after: run?.seq ?? 0 };
  const result = toolResultOf(input);
  if (result && run) return { recording: await answerTool(space, run, result), after: run.seq };
  return run ? answerTyped(space, run, messageOf(input).text, shownIn(input)) : undefined;
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

interface ToolResult {
  readonly toolCallId: string;
  readonly content: string;
}

/** Result of a tool that the client has executed: its last message. */
function toolResultOf({ messages }: RunInput): ToolResult | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return undefined;
  const { toolCallId, content } = last;
  return typeof toolCallId === 'string' && typeof content === 'string' ? { toolCallId, content } : undefined;
}

/**
 * Answers a question with the result of the client's tool. If the state accepts one event, the result is that event without its type.
 *
 * @throws {WorkflowError} `INTERRUPT_UNKNOWN` for a call that the run has not asked for; the errors of `runtime.send`.
 */
function answerTool(space: ProtocolSpace, run: ThreadRun, { toolCallId, content }: ToolResult): Promise<RunRecording> {
  const interrupt = findInterrupt(run, toolCallId.slice(`${run.runId}/`.length));
  const [type = '', ...others] = interrupt.accepts;
  const result = parseJson(content);
  const isEvent = isObject(result) && 'type' in result;
  const event = others.length > 0 || isEvent || !isObject(result) ? parseTyped(interrupt, content) : { ...(result as JsonObject), type };
  return answerRun(space, run.runId, interrupt.id, event);
}

/**
 * The new message, with its files.
 *
 * @throws {WorkflowError} `INPUT_INVALID` when the last message is not a user's; `OPTION_INVALID` for unsupported content.
 */
function messageOf({ messages }: RunInput, details: MessageDetails = {}): Pick<StartMessage, 'text' | 'details'> {
  const last = messages.at(-1);
  if (last?.role !== 'user')
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: 'The last message is not a user message.',
      hint: 'Add one, or answer in resume.',
    });
  const content = asJson(last.content ?? null);
  if (typeof content === 'string') return { text: content, details };
  const parts = z.array(contentPart).safeParse(content);
  if (!parts.success) throw unsupported('a message with other parts than texts and files', 'Send text, and files with their content.');
  const files = parts.data.flatMap((one) => (one.type === 'text' ? [] : [fileOfPart(one)]));
  const text = parts.data.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n');
  return { text, details: { ...details, ...(files.length > 0 ? { files } : {}) } };
}

const filePart = z.looseObject({
  type: z.enum(['image', 'audio', 'video', 'document']),
  source: z.looseObject({ type: z.literal('data'), value: z.string(), mimeType: z.string() }),
});
const contentPart = z.union([z.looseObject({ type: z.literal('text'), text: z.string() }), filePart]);

const fileOfPart = ({ source: { value, mimeType } }: z.infer<typeof filePart>): MessageFile =>
  fileOfUrl(`data:${mimeType};base64,${value}`);
