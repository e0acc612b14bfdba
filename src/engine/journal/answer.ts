import { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hash } from '../../core/util/hash.ts';

/**
 * A human's answer to an interrupt, as the journal stores it: the event as the workflow parsed it, the event as sent, and who has sent it.
 * A replay delivers the event only.
 */
export const toAnswer = (interruptId: string, event: HumanEvent, sent: HumanEvent, by: Actor | undefined): JsonObject => ({
  ...(by ? { by: { ...by } } : {}),
  event,
  interrupt: interruptId,
  sent: fingerprint(sent),
});

export const findAnswer = (entries: Iterable<JournalEntry>, interruptId: string): JournalEntry | undefined => {
  for (const entry of entries) if (entry.kind === 'event' && (entry.outcome as JsonObject).interrupt === interruptId) return entry;
  return undefined;
};

/** True when the event equals the recorded answer. */
export const isSameAnswer = (answer: JournalEntry, event: HumanEvent): boolean =>
  (answer.outcome as JsonObject).sent === fingerprint(event);

const fingerprint = (event: HumanEvent): string => hash(canonicalJson(event));

export const interruptAnswered = (answer: JournalEntry, event: HumanEvent): WorkflowError => {
  const winningEvent = asObject(asObject(answer.outcome).event);
  const winner = String(winningEvent.type ?? '');
  const late = winner === event.type ? `this ${winner} with other fields` : event.type;
  return new WorkflowError({
    code: 'INTERRUPT_ANSWERED',
    message: `The question was answered with ${winner} before ${late} arrived.`,
    hint: 'Read the current state of the run.',
    data: { winner, winningEvent, answeredAt: answer.at },
  });
};

export const interruptExpired = ({ id, expiresAt = 0 }: Interrupt, open: Json): WorkflowError =>
  new WorkflowError({
    code: 'INTERRUPT_EXPIRED',
    message: `The question "${id}" expired at ${new Date(expiresAt).toISOString()}, before the answer arrived. The run is unchanged.`,
    hint: 'Show the current question, and send an answer to it.',
    data: { open },
  });

export const interruptUnknown = (interruptId: string, open: readonly Interrupt[]): WorkflowError =>
  new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: `The run has no open question with the id "${interruptId}".`,
    hint:
      open.length > 0
        ? `Answer ${open.map(({ id, accepts }) => `${id} (${accepts.join(', ')})`).join('; ')}.`
        : 'Read the current state of the run. No question is open.',
    data: { open: open.map(({ id }) => id) },
  });
