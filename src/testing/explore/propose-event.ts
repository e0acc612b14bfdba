import type { HumanEvent } from '../../core/ports/human-event.ts';
import { payloadSchema } from '../../core/schema/payload-schema.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Merger } from '../../engine/define/state.ts';
import type { Constants } from './guard-texts.ts';
import { combinations } from './propose-values.ts';
import { emptyReads, recording } from './read-tree.ts';
import { valuesOfSchema } from './schema-values.ts';

const maxFields = 4;
/** Maximum number of events with values of a schema. */
const maxEvents = 64;

/**
 * Returns examples of an event: values of its schema, or guesses if it has none. A guess adds fields that the parser reads, and tries
 * values until the parser accepts them.
 *
 * @param accept throws to reject an event.
 * @param declared Declaration of the event, with its schema.
 * @returns accepted events, the most ordinary first; empty if no event is accepted.
 */
export function proposeEvents(
  type: string,
  accept: (event: HumanEvent) => unknown,
  constants: Constants,
  declared?: ReturnType<Merger['eventOf']>,
): readonly HumanEvent[] {
  const described =
    declared?.schema === undefined ? [] : eventsOfSchema(type, declared, constants).filter((event) => isAccepted(accept, event));
  return described.length > 0 ? described.slice(0, maxEvents) : guessEvents(type, accept, constants);
}

function eventsOfSchema(type: string, declared: ReturnType<Merger['eventOf']>, constants: Constants): readonly HumanEvent[] {
  try {
    const { values } = valuesOfSchema(payloadSchema(declared), constants);
    const events = values.flatMap((value): readonly HumanEvent[] => (isObject(value) ? [{ ...value, type }] : []));
    return [...new Map(events.map((event) => [canonicalJson(event), event])).values()]; // a schema may include the type
  } catch {
    return []; // the library cannot express the schema in JSON Schema
  }
}

/** @returns one event for each accepted set of fields, and for each text or number that a guard compares. */
function guessEvents(type: string, accept: (event: HumanEvent) => unknown, constants: Constants): readonly HumanEvent[] {
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

function isAccepted(accept: (event: HumanEvent) => unknown, event: HumanEvent, noted = event): boolean {
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
