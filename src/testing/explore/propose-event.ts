import type { HumanEvent } from '../../runtime/host.ts';
import type { Constants } from './guard-texts.ts';
import { combinations } from './propose-values.ts';
import { emptyReads, recording } from './read-tree.ts';

/** More fields than this are not guessed. */
const maxFields = 4;

/**
 * Guesses what an event has to carry: fields that its parser looks for, filled with values until it takes them.
 *
 * @param accept throws to refuse.
 * @returns one event for each set of fields that it takes, and for each text or number that a guard compares with; empty when nothing fits.
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
