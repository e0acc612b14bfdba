import type { JsonObject } from '../../core/ports/json.ts';
import { payloadSchema } from '../../core/schema/payload-schema.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import { waitingStates } from '../../engine/define/graph.ts';
import { findMerger } from '../../engine/define/state.ts';

/** JSON Schemas of the events that a human can send to a workflow, keyed by event type. Each schema includes the type. */
export function eventSchemas({ machine }: AnyWorkflow): Readonly<Record<string, JsonObject>> {
  const merger = findMerger(machine);
  const types = new Set([...waitingStates(machine).values()].flatMap(({ accepts }) => accepts));
  return Object.fromEntries([...types].sort().map((type) => [type, withType(type, payloadSchema(merger?.eventOf(type)))]));
}

function withType(type: string, schema: JsonObject): JsonObject {
  const { properties = {}, required = [], ...rest } = schema as { readonly properties?: JsonObject; readonly required?: readonly string[] };
  const others = required.filter((key) => key !== 'type');
  return { ...rest, type: 'object', properties: { ...properties, type: { const: type } }, required: ['type', ...others] };
}
