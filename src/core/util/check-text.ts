import { WorkflowError } from '../errors/errors.ts';

/**
 * Returns a start text of a workflow if it is not blank and not too long.
 *
 * @param options.max Maximum number of characters.
 * @param options.hint Remedy in the error.
 * @throws {WorkflowError} `INPUT_INVALID` otherwise.
 * @example
 * checkText('input', input, { max: 100_000, hint: "Start the run with { input: 'your question' }." });
 */
export function checkText(name: string, value: unknown, { max, hint }: { readonly max: number; readonly hint: string }): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value;
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The ${name} is not a text of 1 to ${max.toLocaleString('en')} characters.`,
    hint,
  });
}
