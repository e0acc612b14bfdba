import { z } from 'zod';
import { WorkflowError } from '../../../core/errors/errors.ts';
import type { Json } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import type { Resolution } from '../../../engine/run/runtime.ts';
import { notAccepted } from '../approval-question.ts';
import type { ProtocolSpace } from '../protocol-space.ts';
import { answerRun, resolveRun } from '../run-commands.ts';
import type { RunRecording } from '../run-recording.ts';
import { findInterrupt, type ThreadRun } from '../thread-run.ts';
import { parseAnswer } from './lang-graph-interrupt.ts';

/**
 * Answers the questions of a run with the value of `command.resume`: an answer to the open question, or an answer per question id.
 *
 * @param seen Number of the last event that the client has seen, from its checkpoint. An answer without an id is for the question that was
 * open then. Absent: for the open one.
 * @throws {WorkflowError} `INTERRUPT_UNKNOWN` if no question is open, or several are; `EVENT_NOT_ACCEPTED`, `INTERRUPT_ANSWERED`.
 */
export async function resumeRun(space: ProtocolSpace, run: ThreadRun, resume: Json, seen: number | undefined): Promise<RunRecording> {
  const answers = answersIn(run, resume, seen).map(([id, answer]) => ({ id, send: sender(space, run, id, answer) }));
  let recording: RunRecording | undefined;
  for (const { send } of answers) recording = await send();
  if (recording) return recording;
  throw noQuestion();
}

/** Parses an answer before any is sent, so that an invalid one changes nothing. */
function sender(space: ProtocolSpace, run: ThreadRun, id: string, answer: Json): () => Promise<RunRecording> {
  if (run.inDoubt.some(({ callId }) => callId === id)) {
    const resolution = parseResolution(answer);
    return () => resolveRun(space, run.runId, id, resolution);
  }
  const event = parseAnswer(findInterrupt(run, id), answer);
  return () => answerRun(space, run.runId, id, event);
}

function answersIn(run: ThreadRun, resume: Json, seen: number | undefined): readonly (readonly [id: string, answer: Json])[] {
  const known = new Set([...run.questions.map(({ interrupt }) => interrupt.id), ...run.inDoubt.map(({ callId }) => callId)]);
  if (isObject(resume)) {
    const entries = Object.entries(resume);
    if (entries.length > 0 && entries.every(([id]) => known.has(id))) return entries;
  }
  const open = [...run.interrupts.map(({ id }) => id), ...run.inDoubt.map(({ callId }) => callId)];
  const hidden = new Set(seen === undefined ? [] : run.questions.filter(({ seq }) => seq > seen).map(({ interrupt }) => interrupt.id));
  const shown = open.filter((id) => !hidden.has(id));
  // a repeated answer has the same outcome, and another one is refused
  const last = seen === undefined ? undefined : run.questions.findLast(({ seq }) => seq <= seen)?.interrupt.id;
  const ids = shown.length > 0 || last === undefined ? shown : [last];
  const [id, ...others] = ids;
  if (id === undefined) throw noQuestion();
  if (others.length > 0) throw severalQuestions(ids);
  return [[id, resume]];
}

const resolution = z.discriminatedUnion('as', [
  z.strictObject({ as: z.literal('done'), output: z.json() }),
  z.strictObject({ as: z.literal('retry') }),
  z.strictObject({ as: z.literal('abort') }),
]);

function parseResolution(answer: Json): Resolution {
  const read = resolution.safeParse(answer);
  if (read.success) return read.data;
  throw notAccepted(['{ "as": "done", "output": … }', '{ "as": "retry" }', '{ "as": "abort" }']);
}

export const noQuestion = (): WorkflowError =>
  new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: 'The thread has no open question.',
    hint: 'Send a new message in input, without command.',
  });

const severalQuestions = (ids: readonly string[]): WorkflowError =>
  new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: `${ids.length} questions are open, and the answer names none.`,
    hint: `Send { resume: { ID: answer } } with an id of ${ids.join(', ')}.`,
  });
