import type { EventObject } from 'xstate';
import type { Outcome } from './host.ts';
import type { ActiveWork } from './in-progress.ts';

/** Converts an outcome to the event that a machine receives. */
export function toMachineEvent(
  { id, kind, event }: Pick<ActiveWork, 'id' | 'kind' | 'event'>,
  outcome: Outcome,
): EventObject & Record<string, unknown> {
  if (kind === 'timer') return event ?? { type: '' };
  // a copy, because the merger remembers events by identity and a journal may give the same event to two drives
  if (kind === 'wait') return 'event' in outcome ? { ...outcome.event } : { type: '' };
  const { done, error } = endsOf(id);
  return 'error' in outcome
    ? { type: error, error: outcome.error, actorId: id, ...(outcome.taint && { taint: outcome.taint }) }
    : { type: done, output: 'output' in outcome ? outcome.output : undefined, actorId: id };
}

interface Ends {
  readonly done: string;
  readonly error: string;
}

/** XState's event types for the end of a node, by the node's id. A newly built string would be hashed again at each table lookup. */
const ends = new Map<string, Ends>();

function endsOf(id: string): Ends {
  let known = ends.get(id);
  if (!known) {
    known = { done: `xstate.done.actor.${id}`, error: `xstate.error.actor.${id}` };
    ends.set(id, known);
  }
  return known;
}
