import type { Interrupt } from '../../core/ports/run-event.ts';
import { asObject } from '../../core/util/as-object.ts';
import { isHeldAnswer } from '../../core/util/is-held-answer.ts';
import type { HistoryEntry } from '../../engine/run/runtime.ts';
import type { ProtocolEvent } from './protocol-event.ts';
import type { RunRecording } from './run-recording.ts';

/** A part of a run that one message of the client has caused: from the start or an answer, up to the next answer. */
export interface RunTurn {
  /** Sequence number of the last event before the turn. */
  readonly after: number;
  /** End of the turn. Absent: the turn is the run's last. */
  readonly end?: TurnEnd;
}

/** End of a turn whose question was answered. */
export interface TurnEnd {
  /** Sequence number of the turn's last event. */
  readonly seq: number;
  /** The question that was answered. */
  readonly question: Interrupt;
}

/** Returns the turns of a run, oldest first. The decision about an answer that a guard holds continues a turn. */
export function turnsOf(entries: readonly HistoryEntry[]): readonly RunTurn[] {
  const turns: RunTurn[] = [];
  const asked = new Map<unknown, Interrupt>();
  let after = 0;
  let seq = 0;
  for (const { kind, outcome, events } of entries) {
    const question = kind === 'event' ? asked.get(asObject(outcome).interrupt) : undefined;
    if (question && !isHeldAnswer(question)) {
      turns.push({ after, end: { seq, question } });
      after = seq;
    }
    for (const event of events) {
      seq = event.seq;
      if (event.type === 'interrupt') asked.set(event.interrupt.id, event.interrupt);
    }
  }
  return [...turns, { after }];
}

/** Events of a run up to the end of a turn; without an end, until the run rests. */
export async function* eventsUntil(recording: RunRecording, end: TurnEnd | undefined): AsyncGenerator<ProtocolEvent, void, undefined> {
  let at = 0;
  for await (const event of recording.read()) {
    if (end && event.seq > end.seq) break;
    at = event.at;
    yield event;
  }
  if (!end) return;
  const { seq, question: interrupt } = end;
  yield { type: 'rest', seq, at, result: { status: 'waiting', interrupt, interrupts: [interrupt] } };
}
