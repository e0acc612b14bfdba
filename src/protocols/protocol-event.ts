import type { Json } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { RunResult } from '../runtime/run.ts';

/** Why no more comes although the run has not ended. */
export interface RestEvent {
  readonly type: 'rest';
  /** Absent: another process is at work on the run. */
  readonly result?: RunResult<Json>;
  readonly seq: number;
  readonly at: number;
}

/**
 * What an encoder reads: an event of the run's log, with what the journal has of it. `output` is what a tool has returned (`tool-end`), or
 * what the run has ended with (`run-end`).
 */
export type ProtocolEvent = (RunEvent & { readonly output?: Json }) | RestEvent;

/** Turns the events of one run, from its first on, into what a protocol sends; what it makes depends on nothing else. */
export interface RunEncoder<TChunk> {
  push(event: ProtocolEvent): readonly TChunk[];
}

/**
 * The rest of what a protocol sends, for a client that has the events up to number `after`. The encoder sees all of them, so that what was
 * sent before and this are the whole.
 */
export function encodeRest<TChunk>(encoder: RunEncoder<TChunk>, events: readonly ProtocolEvent[], after = 0): readonly TChunk[] {
  return events.flatMap((event) => {
    const chunks = encoder.push(event);
    return event.type === 'rest' || event.seq > after ? chunks : [];
  });
}
