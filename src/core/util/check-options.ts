import { WorkflowError } from '../errors/errors.ts';
import { isObject } from './is-object.ts';

/** Allowed values of an option. */
export interface OptionKind {
  /** Description that follows "must be" in the error message. */
  readonly what: string;
  readonly is: (value: unknown) => boolean;
  /** @default false */
  readonly required?: boolean;
}

export const text: OptionKind = { what: 'a text', is: (value) => typeof value === 'string' };
export const flag: OptionKind = { what: 'true or false', is: (value) => typeof value === 'boolean' };
export const object: OptionKind = { what: 'an object', is: isObject };
export const fn: OptionKind = { what: 'a function', is: (value) => typeof value === 'function' };
export const list: OptionKind = { what: 'an array', is: Array.isArray };
export const number: OptionKind = { what: 'a number', is: (value) => typeof value === 'number' && !Number.isNaN(value) };
export const atLeastZero: OptionKind = { what: 'a number from 0', is: (value) => typeof value === 'number' && value >= 0 };
export const count: OptionKind = { what: 'a whole number of 1 or more', is: (value) => Number.isInteger(value) && Number(value) >= 1 };
export const oneOf = (...names: readonly string[]): OptionKind => ({
  what: `one of ${names.join(', ')}`,
  is: (value) => typeof value === 'string' && names.includes(value),
});
/** Accepts an object with the given method. */
export const objectWith = (what: string, method: string): OptionKind => ({
  what,
  is: (value) => isObject(value) && typeof value[method] === 'function',
});
export const listOf = (what: string, isItem: (value: unknown) => boolean): OptionKind => ({
  what: `an array of ${what}`,
  is: (value) => Array.isArray(value) && value.every(isItem),
});
export const required = (kind: OptionKind): OptionKind => ({ ...kind, required: true });

/**
 * Rejects a value that is not an object of these options. An option with the value `undefined` counts as absent.
 *
 * @param of name of the function that takes the options, for the message.
 * @throws {WorkflowError} `OPTION_INVALID`.
 */
export function checkOptions(of: string, options: unknown, kinds: Readonly<Record<string, OptionKind>>): void {
  const refused = (why: string, name?: string): WorkflowError => optionInvalid(why, `It takes { ${Object.keys(kinds).join(', ')} }.`, name);
  if (!isObject(options)) throw refused(`The options of ${of} are not an object.`);
  for (const name of Object.keys(options)) if (!Object.hasOwn(kinds, name)) throw refused(`${of} has no option "${name}".`, name);
  for (const [name, { what, is, required: isRequired }] of Object.entries(kinds)) {
    const value = options[name];
    if (value === undefined ? isRequired : !is(value)) throw refused(`${name} of ${of} must be ${what}.`, name);
  }
}

export const optionInvalid = (message: string, hint: string, option?: string): WorkflowError =>
  new WorkflowError({ code: 'OPTION_INVALID', message, hint, ...(option === undefined ? {} : { data: { option } }) });
