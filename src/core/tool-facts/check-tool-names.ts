import { optionInvalid } from '../util/check-options.ts';

/**
 * Checks that tool names are unique.
 * @throws {WorkflowError} `OPTION_INVALID` for a duplicate name.
 * @example checkToolNames(['retrieve_docs', ...tools.map(({ name }) => name)]);
 */
export function checkToolNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw optionInvalid(`Two tools have the name "${twice}".`, 'Give each tool a unique name.');
}
