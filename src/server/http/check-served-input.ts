import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { shownIssues } from '../../core/util/shown-list.ts';
import type { ServedWorkflow } from './served-workflow.ts';

/**
 * Rejects an input that does not match the published schema, or that has a field the schema does not declare.
 *
 * @throws {WorkflowError} `INPUT_INVALID` with the pointer of the first issue; `OPTION_INVALID` for an unusable schema.
 */
export function checkServedInput({ id, inputSchema }: Pick<ServedWorkflow, 'id' | 'inputSchema'>, input: Json): void {
  if (inputSchema?.type !== 'object') return;
  const compiled = jsonSchemaValidator.compile(inputSchema);
  if (!compiled.ok) {
    throw optionInvalid(
      `The inputSchema of "${id}" cannot be used: ${compiled.reason}.`,
      'Correct the inputSchema of the served workflow.',
    );
  }
  const [first, ...others] = compiled.check(input);
  if (!first) return;
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The input does not fit the schema of "${id}": ${shownIssues([first, ...others])}.`,
    hint: 'See the schema with GET /api/workflows.',
    data: { path: first.path },
  });
}
