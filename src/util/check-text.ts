import { WorkflowError } from '../errors.ts';

/**
 * Passes a text that a workflow is started with through when it says something and is not too long.
 *
 * @param options.max Characters at the most.
 * @param options.hint What to do when it is refused.
 * @throws {WorkflowError} `INPUT_INVALID` when it is none.
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
