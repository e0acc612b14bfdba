import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { JsonObject, JsonSchema, Storable } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import type { Tool, ToolCapabilities, ToolContext, TypedTool } from '../../core/ports/tool.ts';
import { standardJsonSchema } from '../../core/schema/standard-json-schema.ts';
import { primaryInputOf } from '../../core/tool-facts/primary-input.ts';
import { isToolName, toolNameGrammar } from '../../core/tool-facts/tool-name.ts';
import { asJson } from '../../core/util/as-json.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { withoutUndefined } from '../../core/util/without-undefined.ts';
import { accessFacts, accessHelp, type ToolAccess } from './tool-access.ts';

/** A tool with a schema for its arguments. */
export interface ToolDefinition<TName extends string, TInput, TArgs, TOutput, TContext = unknown, TGiven = unknown>
  extends Omit<Tool, 'inputSchema' | 'execute' | 'types' | 'context' | 'capabilities'> {
  readonly name: TName;
  readonly description: string;
  /** What the tool does with data. It sets the effect and the capabilities. */
  readonly access: ToolAccess;
  /** Capabilities that differ from those of `access`. A tool with `targets` is external. */
  readonly capabilities?: Partial<ToolCapabilities>;
  /**
   * Schema of the arguments, an object, from zod or another library that implements Standard Schema. The JSON Schema for models and the
   * plan gate is derived from it, without patterns that cannot be matched in linear time.
   */
  readonly input: StandardSchema<TArgs, TInput>;
  /** Schema of the output, for external data: a call fails if its output does not match. Default: the return type of `execute`. */
  readonly output?: StandardSchema<TOutput>;
  /**
   * Schema of the data of the run that the tool needs, such as the user's id: `context` of the run's input. `execute` gets it parsed. It
   * is stored with the run and never shown to a model. Close over services, such as a database client. Default: none.
   */
  readonly context?: StandardSchema<TContext, TGiven>;
  /** Executes the call. Throws to fail it; the returned value must be JSON. */
  execute(args: TArgs, context: ToolContextOf<TContext>): Promise<TOutput & Storable<TOutput>>;
}

/** Context of a tool call, with the data of the run if the tool has a schema for it. */
type ToolContextOf<TContext> = unknown extends TContext ? ToolContext : Omit<ToolContext, 'context'> & { readonly context: TContext };

/**
 * Creates a tool. `access` says what it does with data, and so which of its calls need approval; `effect` and `capabilities` override
 * single facts.
 *
 * @throws {WorkflowError} `TOOL_INVALID` without an `access`, for a name outside `[a-zA-Z0-9_.-]{1,128}`, an input that is not an object, a
 * `primaryInput` that the input does not have, or an unknown `errors`.
 * @example
 * const shout = defineTool({
 *   name: 'shout', description: 'Repeats a text in capitals.', access: 'compute',
 *   input: z.strictObject({ text: z.string() }),
 *   execute: async ({ text }) => text.toUpperCase(),
 * });
 */
export function defineTool<TName extends string, TInput, TArgs, TOutput, TContext = unknown, TGiven = unknown>({
  input,
  output,
  execute,
  access,
  ...spec
}: ToolDefinition<TName, TInput, TArgs, TOutput, TContext, TGiven>): TypedTool<TName, TInput, TOutput, TGiven> {
  const inputSchema = toInputSchema(spec.name, input);
  if (typeof execute !== 'function') throw invalid(spec.name, 'its `execute` is not a function');
  if (!isToolName(spec.name)) {
    throw invalid(spec.name, `its name is not ${toolNameGrammar}`);
  }
  if (!isErrorsOption(spec.errors)) {
    throw invalid(spec.name, "its `errors` is neither 'message' nor 'hidden' nor a function");
  }
  if (spec.primaryInput !== undefined && primaryInputOf({ ...spec, inputSchema }) === undefined) {
    throw invalid(spec.name, `its primaryInput "${spec.primaryInput}" is not an argument`);
  }
  const { effect, capabilities } = factsOf(spec.name, access);
  const external = spec.targets !== undefined || capabilities.external;
  return {
    ...spec,
    effect: spec.effect ?? effect,
    // an `undefined` must not switch a flag off
    capabilities: { ...capabilities, external, ...withoutUndefined(spec.capabilities ?? {}) },
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
      const made = await execute(parsed.value, await contextFor(spec.name, spec.context, context));
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

const isErrorsOption = (errors: unknown): boolean =>
  errors === undefined || errors === 'message' || errors === 'hidden' || typeof errors === 'function';

/** Callers without types may leave `access` out. */
function factsOf(name: string, access: ToolAccess): (typeof accessFacts)[ToolAccess] {
  if (Object.hasOwn(accessFacts, access)) return accessFacts[access];
  const what = access === undefined ? 'its `access` is missing' : `its \`access\` is ${JSON.stringify(access)}`;
  throw invalid(name, what, `Say what it does with data: ${accessHelp}.`);
}

/** @throws {WorkflowError} `TOOL_FAILED` if the run has no context that the tool accepts. */
async function contextFor<TContext>(
  name: string,
  schema: StandardSchema<TContext> | undefined,
  context: ToolContext,
): Promise<ToolContextOf<TContext>> {
  if (!schema) return context as ToolContextOf<TContext>; // without a schema TContext is unknown
  const parsed = await schema['~standard'].validate(context.context);
  if (!parsed.issues) return { ...context, context: parsed.value } as ToolContextOf<TContext>;
  throw new WorkflowError({
    code: 'TOOL_FAILED',
    message: `The context of the run does not match the schema of "${name}": ${issuesText(parsed)}.`,
    hint: 'Start the run with `context`, as the schema of the tool describes it.',
  });
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

function invalid(name: string, what: string, hint = 'Correct the definition.'): WorkflowError {
  return new WorkflowError({ code: 'TOOL_INVALID', message: `Tool "${name}" cannot be defined: ${what}.`, hint });
}
