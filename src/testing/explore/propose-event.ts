import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Constants } from './guard-texts.ts';
import { combinations } from './propose-values.ts';
import { emptyReads, recording } from './read-tree.ts';

const maxFields = 4;

/**
 * Guesses the payload of an event: adds fields that its parser reads, and tries values until the parser accepts them.
 *
 * @param accept throws to reject an event.
 * @returns one event for each accepted set of fields, and for each text or number that a guard compares; empty if no event is accepted.
 */
export function proposeEvents(type: string, accept: (event: HumanEvent) => unknown, constants: Constants): readonly HumanEvent[] {
  const values = ['x', {}, ['x'], 1, true, ...constants.texts, ...constants.numbers];
  const fields = new Set<string>();
  const found: HumanEvent[] = [];
  for (let known = -1; known < fields.size && fields.size <= maxFields; ) {
    known = fields.size;
    for (const made of combinations(
      [...fields].map((key) => [key, [undefined, ...values]] as const),
      5_000,
    ).combined) {
      const given = Object.entries(made).filter(([, value]) => value !== undefined);
      const event: HumanEvent = { ...(Object.fromEntries(given) as object), type };
      const reads = emptyReads();
      if (isAccepted(accept, event, recording(event, reads))) found.push(event);
      else for (const key of reads.members.keys()) if (key !== 'type' && !key.startsWith('toJSON')) fields.add(key);
    }
    if (found.length > 0) break;
  }
  return found.slice(0, 12);
}

function isAccepted(accept: (event: HumanEvent) => unknown, event: HumanEvent, noted: HumanEvent): boolean {
  try {
    accept(noted);
  } catch {
    return false;
  }
  try {
    accept(event);
    return true;
  } catch {
    return false;
  }
}
