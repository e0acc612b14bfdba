import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { asJson } from '../../core/util/as-json.ts';
import { issuesText } from '../../core/util/issues-text.ts';

/**
 * Checks the context of a run, given as `context` of its input, by the schemas of all tools that need one, and returns it as it is stored.
 *
 * @param own Schema of the agent itself, if its instructions need the context.
 * @throws {WorkflowError} `INPUT_INVALID` if it matches not all schemas, if a schema is asynchronous, and for a context that nothing needs.
 * @example parseInput: (value) => ({ ...parseRequest(value, { fields: ['context'] }), ...parseContext(value.context, tools) })
 */
export function parseContext(context: unknown, tools: readonly Tool[], own?: StandardSchema<unknown>): { readonly context?: Json } {
  const schemas = [
    ...(own ? [['the agent', own] as const] : []),
    ...tools.flatMap(({ name, context: schema }) => (schema ? [[`the tool "${name}"`, schema] as const] : [])),
  ];
  if (schemas.length === 0) {
    if (context === undefined) return {};
    throw contextInvalid('is not used by any tool of this agent', 'Leave it out, or give `context` a schema in `defineTool` or the agent.');
  }
  const hint = 'Start the run with { input, context: { … } }, as the schemas of the tools describe it.';
  for (const [who, schema] of schemas) {
    const parsed = schema['~standard'].validate(context);
    if (parsed instanceof Promise)
      throw contextInvalid(`cannot be checked: the schema of ${who} is asynchronous`, 'Give a synchronous schema.');
    if (parsed.issues) throw contextInvalid(`does not match the schema of ${who}: ${issuesText(parsed)}`, hint);
  }
  return context === undefined ? {} : { context: asJson(context) };
}

const contextInvalid = (what: string, hint: string): WorkflowError =>
  new WorkflowError({ code: 'INPUT_INVALID', message: `The context of the run ${what}.`, hint, data: { field: 'context' } });
