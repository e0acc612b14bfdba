import type { RunEvent, StoredEvent } from '../../core/ports/run-event.ts';

/** Converts a stored event to the one that users see, see `toResult`. A converted event stays as it is. */
export function toPublicEvent(event: StoredEvent): RunEvent {
  if (event.type !== 'run-end') return event;
  if (event.status === 'failed') return 'resumable' in event ? event : { ...event, resumable: true };
  if (event.status !== 'done' || !('failure' in event) || !event.failure) return event;
  const { type, finalState, failure, ...meta } = event;
  return { type, ...meta, status: 'failed', error: failure, resumable: false, finalState };
}
