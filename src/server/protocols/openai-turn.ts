import type { z } from 'zod';
import type { Json } from '../../core/ports/json.ts';
import { asJson } from '../../core/util/as-json.ts';
import { sha256 } from '../../core/util/sha256.ts';
import { checkMediaType } from '../http/read-body.ts';
import { followRun } from './follow-run.ts';
import { Unsupported } from './openai-error.ts';
import { isAfter, type RunEncoder } from './protocol-event.ts';
import type { ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
import { readJsonBody } from './read-body.ts';
import type { ReaderCount } from './reader-count.ts';
import { findKeyedRun, type StartMessage, startRun } from './run-commands.ts';
import { createRunNarrator, type Move } from './run-narrator.ts';
import { eventsUntil, turnsOf } from './run-turns.ts';
import { type TextPart, toTextParts } from './text-parts.ts';
import { findOwnRun, type ThreadRun } from './thread-run.ts';
import { answerTyped, countReader, type Turn } from './typed-answer.ts';

/** Settings of the routes and what they share. */
export interface OpenaiContext {
  readonly space: ProtocolSpace;
  readonly readers: ReaderCount;
  readonly heartbeatMs: number;
  /** True rejects what would be ignored. */
  readonly isStrict: boolean;
}

export interface UserMessage extends StartMessage {
  /** Ids of the questions that the client was shown last. */
  readonly shown: (run: ThreadRun) => readonly string[];
}

/** Passes a message to a thread: as the answer to its run's question, else as the input of a new run. @throws {WorkflowError} */
export async function startTurn(space: ProtocolSpace, served: ProtocolWorkflow, { shown, ...message }: UserMessage): Promise<Turn> {
  const { key, threadId, text } = message;
  const before = key === undefined ? undefined : await findKeyedRun(space, key);
  if (before) return { recording: await startRun(space, served, { ...message, threadId: before.threadId ?? threadId }), after: 0 };
  const run = await findOwnRun(space.runtime, threadId, served);
  const answered = run && (await answerTyped(space, run, text, shown(run)));
  return answered ?? { recording: await startRun(space, served, message), after: 0 };
}

/** Thread of a new conversation that a request with an Idempotency-Key begins. */
export const threadIdOfKey = async (key: string): Promise<string> => `t_${(await sha256(key)).slice(0, 40)}`;

/** The turn of a repeated request, which ends where the first one did. */
export async function repeatTurn(space: ProtocolSpace, turn: Turn): Promise<Turn> {
  const { runId } = turn.recording;
  const { end } = turnsOf(await space.runtime.history(runId)).find(({ after }) => after === turn.after) ?? {};
  return { ...turn, recording: followRun(space, runId), ...(end ? { end } : {}) };
}

/** Reader of a turn that goes on without readers. */
export const uncounted = { onEnd: (): void => {}, onGone: (): void => {} };

/** Counts the reader of a turn. One with an Idempotency-Key does not count: it asks again after a cut, and then gets the answer. */
export const countUnkeyed = ({ readers }: OpenaiContext, turn: Turn, key: string | undefined): ReturnType<ReaderCount['add']> =>
  key === undefined ? countReader(readers, turn) : uncounted;

/** Collects the text of a whole turn, for a client that does not stream. */
export async function readTurn(
  { recording, after, end }: Turn,
  { onEnd, onGone }: ReturnType<ReaderCount['add']>,
  signal: AbortSignal,
): Promise<readonly TextPart[]> {
  signal.addEventListener('abort', onGone, { once: true });
  const narrator = createRunNarrator();
  const parts: TextPart[] = [];
  for await (const event of eventsUntil(recording, end)) {
    const moves = narrator.narrate(event);
    if (isAfter(event, after)) parts.push(...moves.flatMap((move: Move) => toTextParts(move)));
  }
  onEnd();
  signal.removeEventListener('abort', onGone);
  const failed = parts.find((one) => one.type === 'failed');
  if (failed) throw new RunFailed(failed);
  return parts;
}

/** Encodes a turn for a client. The encoder gets all events of the run, and leaves out those before the turn. */
export async function* encodeTurn<TChunk>({ recording, end }: Turn, encoder: RunEncoder<TChunk>): AsyncGenerator<TChunk, void, undefined> {
  for await (const event of eventsUntil(recording, end)) yield* encoder.push(event);
}

export class RunFailed extends Error {
  readonly failed: Extract<TextPart, { type: 'failed' }>;

  constructor(failed: Extract<TextPart, { type: 'failed' }>) {
    super(failed.error.message);
    this.failed = failed;
  }
}

/** True for an empty value, which clients may send with any request. */
const isNothing = (value: unknown): boolean => value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Reads the body of a request. Every member is used, rejected, or ignored and reported.
 *
 * @param tuning Schema of the parameters that are checked, ignored and reported.
 * @throws {Unsupported} for a member that neither schema declares, if `isStrict`.
 * @throws {Refusal} 415.
 * @throws {WorkflowError} `INPUT_INVALID`.
 */
export async function readRequest<TBody>(
  request: Request,
  schema: z.ZodObject & z.ZodType<TBody>,
  tuning: z.ZodObject,
  isStrict: boolean,
): Promise<{ readonly body: TBody; readonly ignored: readonly string[]; readonly sent: Json }> {
  checkMediaType(request, 'application/json');
  const sent = asJson((await readJsonBody(request)) ?? {});
  const given = Object.entries(typeof sent === 'object' && sent !== null ? sent : {}).filter(([, value]) => !isNothing(value));
  const tunes = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(tuning.shape, key);
  const isUsed = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(schema.shape, key);
  const unknown = given.find((one) => !tunes(one) && !isUsed(one));
  if (unknown && isStrict) throw new Unsupported(unknown[0].slice(0, 64));
  parse(tuning, given.filter(tunes));
  const ignored = given.filter((one) => !isUsed(one)).map(([key]) => key);
  return { body: parse(schema, given.filter(isUsed)), ignored, sent };
}

/** @throws {Unsupported} */
function parse<TValue>(schema: z.ZodType<TValue>, given: readonly (readonly [string, unknown])[]): TValue {
  const read = schema.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const param = issue?.path.join('.') ?? '';
  throw new Unsupported(param === '' ? 'this body' : param, `${issue?.message ?? 'It does not fit'}.`);
}
