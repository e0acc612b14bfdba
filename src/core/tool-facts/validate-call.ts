import { WorkflowError } from '../errors/errors.ts';
import { shorten } from '../errors/shorten.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import type { ToolSpec } from '../ports/tool.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { shownIssues } from '../util/shown-list.ts';
import { markValidated } from '../util/validated.ts';

/**
 * Checks arguments against the tool's schema and returns an executable call.
 *
 * @throws {WorkflowError} `TOOL_INVALID` for an unusable schema; `TOOL_CALL_INVALID` with the violations.
 */
export function validateCall(tool: ToolSpec, { id, args }: Pick<ValidatedCall, 'id' | 'args'>, validator: SchemaValidator): ValidatedCall {
  const schema = validator.compile(tool.inputSchema);
  if (!schema.ok) {
    throw new WorkflowError({
      code: 'TOOL_INVALID',
      message: `The schema of the tool "${tool.name}" cannot be used: ${schema.reason}.`,
      hint: 'Continue without the tool, or correct its schema.',
      data: { tool: tool.name },
    });
  }
  const issues = schema.check(args);
  if (issues.length > 0) throw callInvalid(tool.name, shownIssues(issues));
  return markValidated(Object.freeze({ id, name: tool.name, args })) as ValidatedCall;
}

/** Error of a call with invalid arguments, before the tool runs. */
export const callInvalid = (tool: string, why: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_CALL_INVALID',
    message: `The arguments of "${shorten(tool, 128)}" were rejected: ${why}.`,
    hint: 'Call it again with arguments that match its schema.',
    data: { tool: shorten(tool, 128) },
  });
