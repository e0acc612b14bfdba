import type { z } from 'zod';
import { checkMediaType } from '../http/read-body.ts';
import { startRun } from './follow-run.ts';
import { Unsupported } from './openai-error.ts';
import { isAfter } from './protocol-event.ts';
import type { ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
import { readJsonBody } from './read-body.ts';
import type { ReaderCount } from './reader-count.ts';
import { createRunNarrator, type Move } from './run-narrator.ts';
import { type TextPart, toTextParts } from './text-parts.ts';
import { findOwnRun, type ThreadRun } from './thread-run.ts';
import { answerTyped, countReader, type Turn } from './typed-answer.ts';

export interface UserMessage {
  readonly threadId: string;
  readonly text: string;
  /** Ids of the questions that the client was shown last. */
  readonly shown: (run: ThreadRun) => readonly string[];
}

/** Passes a message to a thread: as the answer to its run's question, else as the input of a new run. @throws {WorkflowError} */
export async function startTurn(space: ProtocolSpace, served: ProtocolWorkflow, { threadId, text, shown }: UserMessage): Promise<Turn> {
  const run = await findOwnRun(space.runtime, threadId, served);
  const answered = run && (await answerTyped(space, run, text, shown(run)));
  return answered ?? { recording: await startRun(space, served, text, threadId), after: 0 };
}

/** Collects the text of a whole turn, for a client that does not stream. A disconnect cancels the turn. */
export async function readTurn(turn: Turn, readers: ReaderCount, signal: AbortSignal): Promise<readonly TextPart[]> {
  const { recording, after } = turn;
  const { onEnd, onGone } = countReader(readers, turn);
  signal.addEventListener('abort', onGone, { once: true });
  const narrator = createRunNarrator();
  const parts: TextPart[] = [];
  for await (const event of recording.read()) {
    const moves = narrator.narrate(event);
    if (isAfter(event, after)) parts.push(...moves.flatMap((move: Move) => toTextParts(move)));
  }
  onEnd();
  signal.removeEventListener('abort', onGone);
  const failed = parts.find((one) => one.type === 'failed');
  if (failed) throw new RunFailed(failed);
  return parts;
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
 * Reads the body of a request; every member is used, reported as ignored, or rejected.
 *
 * @param tuning Schema of the parameters that are checked, ignored and reported.
 * @throws {Unsupported} for a member that neither schema declares.
 * @throws {Refusal} 415.
 * @throws {WorkflowError} `INPUT_INVALID`.
 */
export async function readRequest<TBody>(
  request: Request,
  schema: z.ZodObject & z.ZodType<TBody>,
  tuning: z.ZodObject,
): Promise<{ readonly body: TBody; readonly ignored: readonly string[] }> {
  checkMediaType(request, 'application/json');
  const body = await readJsonBody(request);
  const given = Object.entries(typeof body === 'object' && body !== null ? body : {}).filter(([, value]) => !isNothing(value));
  const tunes = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(tuning.shape, key);
  const unknown = given.find((one) => !tunes(one) && !Object.hasOwn(schema.shape, one[0]));
  if (unknown) throw new Unsupported(unknown[0].slice(0, 64));
  const ignored = given.filter(tunes);
  parse(tuning, ignored);
  return {
    body: parse(
      schema,
      given.filter((one) => !tunes(one)),
    ),
    ignored: ignored.map(([key]) => key),
  };
}

/** @throws {Unsupported} */
function parse<TValue>(schema: z.ZodType<TValue>, given: readonly (readonly [string, unknown])[]): TValue {
  const read = schema.safeParse(Object.fromEntries(given));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const param = issue?.path.join('.') ?? '';
  throw new Unsupported(param === '' ? 'this body' : param, `${issue?.message ?? 'It does not fit'}.`);
}
