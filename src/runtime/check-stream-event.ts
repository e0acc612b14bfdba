import { WorkflowError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { StreamEvent } from '../ports/run-event.ts';

/** What a node may say. What the runtime says of a run, it says itself: a node that could would make it unreadable. */
const types: ReadonlySet<unknown> = new Set<StreamEvent['type']>([
  'model-start',
  'model-end',
  'tool-start',
  'tool-end',
  'token',
  'step-reset',
  'thinking',
  'sources',
  'custom',
]);

/** @throws {WorkflowError} `EVENT_INVALID` for what is no event of a node, or has a use of tokens that cannot be counted. */
export function checkStreamEvent(event: Json): StreamEvent {
  const { type, usage } = membersOf(event);
  if (!types.has(type)) {
    throw eventInvalid(`A node cannot say ${JSON.stringify(type) ?? 'what has no type'}.`, `It says one of ${[...types].join(', ')}.`);
  }
  if (type === 'model-end') {
    const { inputTokens, outputTokens } = membersOf(usage);
    if (!isCount(inputTokens) || !isCount(outputTokens)) {
      throw eventInvalid('The usage of a model-end event cannot be counted.', 'Give it { inputTokens, outputTokens }, numbers from 0.');
    }
  }
  return event as unknown as StreamEvent;
}

const membersOf = (value: Json | undefined): Partial<JsonObject> => (isObject(value) ? value : {});

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: Json | undefined): boolean => typeof value === 'number' && value >= 0;

const eventInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'EVENT_INVALID', message, hint });
