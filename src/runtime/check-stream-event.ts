import { WorkflowError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { StreamEvent } from '../ports/run-event.ts';
import { asJson } from '../util/as-json.ts';
import { asObject } from '../util/as-object.ts';

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
export function checkStreamEvent(event: StreamEvent): StreamEvent {
  const { type, usage } = asObject(asJson(event));
  if (!types.has(type)) {
    throw eventInvalid(`A node cannot say ${JSON.stringify(type) ?? 'what has no type'}.`, `It says one of ${[...types].join(', ')}.`);
  }
  if (type === 'model-end') {
    const { inputTokens, outputTokens } = asObject(usage);
    if (!isCount(inputTokens) || !isCount(outputTokens)) {
      throw eventInvalid('The usage of a model-end event cannot be counted.', 'Give it { inputTokens, outputTokens }, numbers from 0.');
    }
  }
  return event;
}

const isCount = (value: Json | undefined): boolean => typeof value === 'number' && value >= 0;

const eventInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'EVENT_INVALID', message, hint });
