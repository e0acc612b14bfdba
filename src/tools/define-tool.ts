import { type ZodType, z } from 'zod';
import { WorkflowError } from '../errors.ts';
import type { Json, JsonObject, JsonSchema } from '../ports/json.ts';
import type { Tool, ToolContext } from '../ports/tool.ts';
import { isLinearPattern } from '../schema/linear-pattern.ts';
import { issuesText } from '../util/issues-text.ts';
import { primaryInputOf } from '../util/primary-input.ts';
import { isToolName, toolNameGrammar } from '../util/tool-name.ts';

/** A tool whose arguments are described by a zod schema. */
export interface ToolDefinition<TArgs> extends Omit<Tool, 'inputSchema' | 'execute'> {
  readonly description: string;
  /** A zod object. The JSON Schema that models and the plan gate see is made from it, without patterns that RE2 cannot follow. */
  readonly input: ZodType<TArgs>;
  /** Does the work. Throws to fail the call; what it returns must be JSON. */
  execute(args: TArgs, context: ToolContext): Promise<Json>;
}

/**
 * Makes a tool.
 *
 * @throws {WorkflowError} `TOOL_INVALID` for a name outside `[a-zA-Z0-9_.-]{1,128}`, an input that is not an object, or a
 *   `primaryInput` that the input does not have.
 * @example
 * const shout = defineTool({
 *   name: 'shout', description: 'Repeats a text in capitals.', effect: 'pure',
 *   capabilities: { private: false, untrusted: false, external: false },
 *   input: z.strictObject({ text: z.string() }),
 *   execute: async ({ text }) => text.toUpperCase(),
 * });
 */
export function defineTool<TArgs>({ input, execute, ...spec }: ToolDefinition<TArgs>): Tool {
  const inputSchema = toInputSchema(spec.name, input);
  if (!isToolName(spec.name)) {
    throw invalid(spec.name, `its name is not ${toolNameGrammar}`);
  }
  if (spec.primaryInput !== undefined && primaryInputOf({ ...spec, inputSchema }) === undefined) {
    throw invalid(spec.name, `its primaryInput "${spec.primaryInput}" is not an argument`);
  }
  return {
    ...spec,
    inputSchema,
    async execute(args, context) {
      const parsed = input.safeParse(args);
      if (!parsed.success) {
        throw new WorkflowError({
          code: 'TOOL_INPUT_INVALID',
          message: `The arguments of "${spec.name}" are not valid: ${issuesText(parsed.error)}.`,
          hint: 'Call it with arguments that fit its description.',
        });
      }
      return execute(parsed.data, context);
    },
  };
}

// a tool that is made again of the same zod object has the same schema, which validators need not compile again
const schemas = new WeakMap<ZodType, JsonSchema>();

function toInputSchema(name: string, input: ZodType): JsonSchema {
  const known = schemas.get(input);
  if (known) return known;
  const made = makeInputSchema(name, input);
  schemas.set(input, made);
  return made;
}

function makeInputSchema(name: string, input: ZodType): JsonSchema {
  let schema: JsonObject;
  try {
    schema = z.toJSONSchema(input, { io: 'input', target: 'draft-2020-12', override: leavePatterns }) as JsonObject;
  } catch (cause) {
    throw invalid(name, `its input has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (schema.type !== 'object') throw invalid(name, 'its input is not an object');
  return schema;
}

/** Patterns that the gate cannot follow are left to zod, which checks the arguments again before the tool is called. */
function leavePatterns({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const part of [jsonSchema, ...(jsonSchema.allOf ?? [])]) {
    if (part.pattern !== undefined && !isLinearPattern(part.pattern)) delete part.pattern;
  }
}

function invalid(name: string, what: string): WorkflowError {
  return new WorkflowError({
    code: 'TOOL_INVALID',
    message: `Tool "${name}" cannot be defined: ${what}.`,
    hint: 'Correct the definition.',
  });
}
