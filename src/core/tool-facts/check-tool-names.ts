import { WorkflowError } from '../errors/errors.ts';

/**
 * Checks that tool names are unique.
 * @throws {WorkflowError} `OPTION_INVALID` for a duplicate name.
 * @example checkToolNames(['retrieve_docs', ...tools.map(({ name }) => name)]);
 */
export function checkToolNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `Two tools have the name "${twice}".`,
    hint: 'Give each tool a unique name.',
  });
}
