import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { JsonObject, JsonSchema, Storable } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import type { Tool, ToolContext, TypedTool } from '../../core/ports/tool.ts';
import { standardJsonSchema } from '../../core/schema/standard-json-schema.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { isToolName, toolNameGrammar } from '../../core/tool-facts/tool-name.ts';
import { asJson } from '../../core/util/as-json.ts';
import { issuesText } from '../../core/util/issues-text.ts';

/** A tool with a schema for its arguments. */
export interface ToolDefinition<TName extends string, TInput, TArgs, TOutput> extends Omit<Tool, 'inputSchema' | 'execute' | 'types'> {
  readonly name: TName;
  readonly description: string;
  /**
   * Schema of the arguments, an object, from zod or another library that implements Standard Schema. The JSON Schema for models and the
   * plan gate is derived from it, without patterns that cannot be matched in linear time.
   */
  readonly input: StandardSchema<TArgs, TInput>;
  /** Schema of the output, for external data: a call fails if its output does not match. Default: the return type of `execute`. */
  readonly output?: StandardSchema<TOutput>;
  /** Executes the call. Throws to fail it; the returned value must be JSON. */
  execute(args: TArgs, context: ToolContext): Promise<TOutput & Storable<TOutput>>;
}

/**
 * Creates a tool. Without `effect` and `capabilities` it counts as `once`, and as private, trusted and local. Its first call runs; once
 * untrusted text is in the thread, calls need approval.
 *
 * @throws {WorkflowError} `TOOL_INVALID` for a name outside `[a-zA-Z0-9_.-]{1,128}`, an input that is not an object, or a `primaryInput`
 * that the input does not have.
 * @example
 * const shout = defineTool({
 *   name: 'shout', description: 'Repeats a text in capitals.', effect: 'pure',
 *   capabilities: { private: false, untrusted: false, external: false },
 *   input: z.strictObject({ text: z.string() }),
 *   execute: async ({ text }) => text.toUpperCase(),
 * });
 */
export function defineTool<TName extends string, TInput, TArgs, TOutput>({
  input,
  output,
  execute,
  ...spec
}: ToolDefinition<TName, TInput, TArgs, TOutput>): TypedTool<TName, TInput, TOutput> {
  const inputSchema = toInputSchema(spec.name, input);
  if (typeof execute !== 'function') throw invalid(spec.name, 'its `execute` is not a function');
  if (!isToolName(spec.name)) {
    throw invalid(spec.name, `its name is not ${toolNameGrammar}`);
  }
  if (spec.primaryInput !== undefined && primaryInputOf({ ...spec, inputSchema }) === undefined) {
    throw invalid(spec.name, `its primaryInput "${spec.primaryInput}" is not an argument`);
  }
  const ownCapabilities = { private: true, untrusted: false, external: spec.targets !== undefined };
  return {
    ...spec,
    capabilities: spec.capabilities ?? ownCapabilities,
    inputSchema,
    async execute(args, context) {
      const parsed = await input['~standard'].validate(args);
      if (parsed.issues) {
        throw new WorkflowError({
          code: 'TOOL_INPUT_INVALID',
          message: `The arguments of "${spec.name}" are invalid: ${issuesText(parsed)}.`,
          hint: 'Call it with arguments that match its description.',
        });
      }
      const made = await execute(parsed.value, context);
      if (!output) return asJson(made);
      const checked = await output['~standard'].validate(made);
      if (!checked.issues) return asJson(made);
      throw new WorkflowError({
        code: 'TOOL_FAILED',
        message: `The output of "${spec.name}" does not match its schema: ${issuesText(checked)}.`,
        hint: 'Correct the tool or its output schema.',
      });
    },
  };
}

function toInputSchema(name: string, input: StandardSchema<unknown>): JsonSchema {
  let schema: JsonObject;
  try {
    schema = standardJsonSchema(input);
  } catch (cause) {
    throw invalid(name, `its input has no JSON Schema: ${messageOf(cause)}`);
  }
  if (schema.type !== 'object') throw invalid(name, 'its input is not an object');
  return schema;
}

function invalid(name: string, what: string): WorkflowError {
  return new WorkflowError({
    code: 'TOOL_INVALID',
    message: `Tool "${name}" cannot be defined: ${what}.`,
    hint: 'Correct the definition.',
  });
}
