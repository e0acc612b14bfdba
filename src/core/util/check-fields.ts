import { WorkflowError } from '../errors/errors.ts';
import { isObject } from './is-object.ts';
import { escapePointer } from './json-pointer.ts';
import { quotedNames, shownNames } from './shown-list.ts';

/**
 * Rejects an object with unknown fields, so that no part of an input is silently dropped.
 *
 * @param known Names of the known fields.
 * @param at JSON pointer to the object within the input. Default: the input itself.
 * @throws {WorkflowError} `INPUT_INVALID` with the pointer of the first unknown field.
 * @example
 * checkFields(input, ['input', 'tools']);
 */
export function checkFields(value: unknown, known: readonly string[], at = ''): void {
  const unknown = isObject(value) ? Object.keys(value).find((key) => !known.includes(key)) : undefined;
  if (unknown === undefined) return;
  const path = `${at}/${escapePointer(unknown)}`;
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `The input has a field that the workflow does not accept: ${quotedNames([path])}.`,
    hint: `Give only ${shownNames(known)}.`,
    data: { path },
  });
}
