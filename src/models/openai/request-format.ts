import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { JsonObject, JsonSchema } from '../../core/ports/json.ts';
import { type ErrorContext, requestRefused } from './openai-error.ts';

// Parts of a request that all remote models share.

/** @throws {WorkflowError} `MODEL_REQUEST_REFUSED` for the schemas `true` and `false`, which providers cannot express. */
export function objectSchema(schema: JsonSchema, owner: string, model: Pick<ErrorContext, 'name'>): JsonObject {
  if (typeof schema === 'object') return schema;
  throw requestRefused(model, `The schema of ${owner} is ${schema}, not an object.`);
}

/** Builds a label from the characters that the providers allow. */
export const formatName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);

/** Appends an instruction to the first system message: some servers allow only one, and only as the first. */
export function withInstruction(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instruction }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...rest];
}
