import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { ModelToolCall } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { SchemaValidator } from '../../core/ports/schema-validator.ts';
import type { ToolSpec } from '../../core/ports/tool.ts';
import type { ValidatedCall } from '../../core/ports/tool-call.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { parseModelJson } from '../../core/schema/parse-model-json.ts';
import { callInvalid, validateCall } from '../../core/tool-facts/validate-call.ts';
import { isObject } from '../../core/util/is-object.ts';
import { shownNames } from '../../core/util/shown-list.ts';

/**
 * Converts a model's tool call to an executable one.
 *
 * @param options.tools The tools that the model was offered.
 * @throws {WorkflowError} `TOOL_UNKNOWN`, `TOOL_INVALID` for a tool with an unusable schema, or `TOOL_CALL_INVALID` with the violations.
 * Return the message to the model.
 */
export function parseToolCall(
  call: ModelToolCall,
  { tools, validator = jsonSchemaValidator }: { readonly tools: readonly ToolSpec[]; readonly validator?: SchemaValidator },
): ValidatedCall {
  const [tool, twin] = tools.filter(({ name }) => name === call.name);
  if (twin) throw callInvalid(call.name, 'several tools have this name');
  if (!tool) {
    throw new WorkflowError({
      code: 'TOOL_UNKNOWN',
      message: `There is no tool ${JSON.stringify(shorten(call.name, 128))}.`,
      hint: `Call one of ${shownNames(tools.map(({ name }) => name))}.`,
      data: { tool: shorten(call.name, 128) },
    });
  }
  return validateCall(tool, { id: call.id, args: parseArguments(call) }, validator);
}

/** An executable call, or the error of an invalid one. */
export type CheckedCall = { readonly call: ValidatedCall } | { readonly error: WorkflowError };

/** Returns the error of `parseToolCall` instead of throwing it, for loops that answer every call, including rejected ones. */
export function checkToolCall(call: ModelToolCall, options: Parameters<typeof parseToolCall>[1]): CheckedCall {
  try {
    return { call: parseToolCall(call, options) };
  } catch (error) {
    if (WorkflowError.isInstance(error)) return { error };
    throw error;
  }
}

function parseArguments(call: ModelToolCall): JsonObject {
  let args: Json;
  try {
    args = call.arguments.trim() === '' ? {} : parseModelJson(call.arguments);
  } catch (error) {
    throw callInvalid(call.name, messageOf(error).replace(/\.$/, ''));
  }
  if (isObject(args)) return args;
  throw callInvalid(call.name, 'they are not an object');
}
