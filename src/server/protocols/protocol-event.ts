import type { Json } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunResult } from '../../engine/drive/run.ts';

/** Reason why the stream stops although the run has not ended. */
export interface RestEvent {
  readonly type: 'rest';
  /** Absent: another process is driving the run. */
  readonly result?: RunResult<Json>;
  readonly seq: number;
  readonly at: number;
}

/**
 * Input of an encoder: an event of the run's log, with data from the journal. `output` is the result of a tool (`tool-end`) or of the run
 * (`run-end`).
 */
export type ProtocolEvent = (RunEvent & { readonly output?: Json }) | RestEvent;

/** Converts the events of one run, from its first on, to the messages of a protocol. The result depends on nothing else. */
export interface RunEncoder<TChunk> {
  push(event: ProtocolEvent): readonly TChunk[];
}

/** A `rest` event has the number of the event before it. */
export const isAfter = (event: ProtocolEvent, after: number): boolean => event.type === 'rest' || event.seq > after;

/**
 * Encodes the events after number `after`, for a client that has the earlier ones. The encoder receives all events, so both parts together
 * are complete.
 */
export function encodeRest<TChunk>(encoder: RunEncoder<TChunk>, events: readonly ProtocolEvent[], after = 0): readonly TChunk[] {
  return events.flatMap((event) => {
    const chunks = encoder.push(event);
    return isAfter(event, after) ? chunks : [];
  });
}
