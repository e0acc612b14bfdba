import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { StreamEvent } from '../../core/ports/run-event.ts';
import { asJson } from '../../core/util/as-json.ts';
import { asObject } from '../../core/util/as-object.ts';

/** Fields of each event that a node may emit. Only the runtime emits events about the run itself. */
const fieldsOf: Readonly<Record<StreamEvent['type'], readonly string[]>> = {
  'model-start': ['type', 'task', 'model'],
  'model-end': ['type', 'task', 'model', 'durationMs', 'usage', 'cached', 'error'],
  'tool-start': ['type', 'callId', 'tool', 'args'],
  'tool-end': ['type', 'callId', 'tool', 'durationMs', 'attempts', 'deduplicated', 'error', 'cause'],
  token: ['type', 'text'],
  'step-reset': ['type'],
  thinking: ['type', 'step', 'content'],
  sources: ['type', 'sources'],
  guard: ['type', 'guard', 'border', 'verdict', 'reason', 'tool'],
  custom: ['type', 'name', 'data'],
};
const namesOf: ReadonlyMap<unknown, readonly string[]> = new Map(Object.entries(fieldsOf));

/** @throws {WorkflowError} `EVENT_INVALID` for an event that a node cannot emit: another type, or a missing, wrong or unknown field. */
export function checkStreamEvent(event: StreamEvent): StreamEvent {
  const fields = asObject(asJson(event));
  const { type } = fields;
  const names = namesOf.get(type);
  const isAbsent = (name: string): boolean => name === 'tool' && type === 'guard' && fields.tool === undefined;
  const isWrong = (name: string): boolean => !names?.includes(name) || !(isAbsent(name) || fits(name, fields[name]));
  const wrong = names ? [...names, ...Object.keys(fields)].find(isWrong) : 'type';
  if (wrong === undefined) return event;
  throw new WorkflowError({
    code: 'EVENT_INVALID',
    message: `A node cannot emit ${JSON.stringify(type)} with this "${wrong}".`,
    hint: `Emit one of ${JSON.stringify(fieldsOf)}.`,
  });
}

/** A field has the same type in every event. Fields without a case are strings. */
function fits(name: string, value: Json | undefined): boolean {
  const { code, inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = asObject(value);
  switch (name) {
    case 'usage':
      return [inputTokens, outputTokens, cachedInputTokens, reasoningTokens].every((count) => typeof count === 'number' && count >= 0);
    case 'error':
    case 'cause':
      return value === undefined || typeof code === 'string';
    case 'args':
    case 'content':
    case 'sources':
    case 'data':
      return value !== undefined;
    case 'durationMs':
    case 'attempts':
      return typeof value === 'number';
    case 'cached':
    case 'deduplicated':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string';
  }
}
