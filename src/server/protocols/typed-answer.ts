import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { asObject } from '../../core/util/as-object.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { notAccepted, parseTyped } from './approval-question.ts';
import { followRun } from './follow-run.ts';
import type { ProtocolSpace } from './protocol-space.ts';
import type { ReaderCount } from './reader-count.ts';
import { answerRun } from './run-commands.ts';
import type { RunRecording } from './run-recording.ts';
import type { TurnEnd } from './run-turns.ts';
import { findInterrupt, type ThreadRun } from './thread-run.ts';

/** A run that a client's message has started or answered, or whose question is shown again. */
export interface Turn {
  readonly recording: RunRecording;
  /** Sequence number of the last event before the turn. */
  readonly after: number;
  /** End of a turn that is repeated and whose question was answered since. Absent: the turn goes on until the run rests. */
  readonly end?: TurnEnd;
  /** Id of the question that is repeated. Absent: the message was accepted. */
  readonly repeatedInterrupt?: string;
}

/**
 * Sends a typed decision to the question that its client was shown last, although the run may ask something else by now. A decision without
 * an open question decides nothing: the client is shown the current question. Returns `undefined` for a text that is not a decision, in a
 * thread without a question.
 *
 * @param shown Ids of the questions that the client was shown last. If there are several, the text must name one. A text that names a
 * question itself, such as `APPROVE i_0123456789abcdef` or `{"type":"EDIT","interruptId":"i_…"}`, is for that one.
 * @throws {WorkflowError} `EVENT_NOT_ACCEPTED` for a text that does not answer the question; `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWERED`.
 */
export async function answerTyped(space: ProtocolSpace, run: ThreadRun, text: string, shown: readonly string[]): Promise<Turn | undefined> {
  const { runId, seq: after, interrupts } = run;
  const { id, words } = splitId(text.trim());
  const ids = id === undefined ? shown : [id];
  if (interrupts.length === 0) return repeatAnswer(space, run, words, id ?? (ids.length === 1 ? ids[0] : undefined), id !== undefined);
  const open = ids.length === 1 ? interrupts.find((one) => ids.includes(one.id)) : undefined;
  if (open) return { recording: await answerRun(space, runId, open.id, parseTyped(open, words)), after };
  const asked = interrupts.find((one) => decisionIn(one, words));
  if (!asked) throw notAccepted(interrupts[0]?.accepts ?? [], interrupts[0]?.id);
  return { recording: followRun(space, runId), after, repeatedInterrupt: interrupts[0]?.id ?? '' };
}

/**
 * Sends a typed decision to a question that was answered before. Only the same decision is accepted, and changes nothing.
 *
 * @throws {WorkflowError} `INTERRUPT_ANSWERED` for another decision; `EVENT_NOT_ACCEPTED` for a text that is none.
 */
export async function repeatTyped(space: ProtocolSpace, runId: string, interrupt: Interrupt, text: string): Promise<void> {
  const { id = interrupt.id, words } = splitId(text.trim());
  if (id !== interrupt.id) throw notAccepted(interrupt.accepts);
  await space.runtime.send(runId, parseTyped(interrupt, words), { interruptId: id });
}

/**
 * Sends a late or repeated decision to its question; the same decision has the same outcome. As a new message, it would tell the model that
 * the user approves of something.
 */
async function repeatAnswer(
  space: ProtocolSpace,
  run: ThreadRun,
  words: string,
  id: string | undefined,
  isNamed: boolean,
): Promise<Turn | undefined> {
  if (id === undefined) return undefined;
  const before = run.questions.find(({ interrupt }) => interrupt.id === id);
  if (!before && !isNamed) return undefined;
  const interrupt = findInterrupt(run, id);
  const event = isNamed ? parseTyped(interrupt, words) : decisionIn(interrupt, words);
  return event && { recording: await answerRun(space, run.runId, id, event), after: before?.seq ?? run.seq };
}

function decisionIn(interrupt: Interrupt, words: string): HumanEvent | undefined {
  try {
    return parseTyped(interrupt, words);
  } catch (cause) {
    if (hasCode(cause, 'EVENT_NOT_ACCEPTED')) return undefined;
    throw cause;
  }
}

/** Counts the reader of a turn. A repeated question does not count, because its run is not cancelled when the reader leaves. */
export const countReader = (readers: ReaderCount, { recording, repeatedInterrupt }: Turn): ReturnType<ReaderCount['add']> =>
  repeatedInterrupt === undefined ? readers.add(recording.runId) : { onEnd: () => {}, onGone: () => {} };

/** Extracts the question's id from a typed answer: the word after the event's name, or `interruptId` of a JSON event. */
function splitId(text: string): { readonly id?: string; readonly words: string } {
  if (text.startsWith('{')) {
    const { interruptId: id, ...event } = asObject(parseJson(text));
    return typeof id === 'string' ? { id, words: JSON.stringify(event) } : { words: text };
  }
  const [, name = '', id, words = ''] = /^(\S+)\s+(i_[0-9a-f]{16})(?![0-9A-Za-z_])\p{P}*([\s\S]*)$/u.exec(text) ?? [];
  return id === undefined ? { words: text } : { id, words: `${name} ${words.trim()}` };
}

/** Last question id in a text that a client was shown; `[]` if there is none. */
export const idsInText = (text: string): readonly string[] => (text.match(/\bi_[0-9a-f]{16}\b/g) ?? []).slice(-1);
