import { WorkflowError } from '../errors.ts';
import { isObject } from '../util/is-object.ts';

/** What an option may be. */
export interface OptionKind {
  /** As words that follow "must be". */
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
export const count: OptionKind = { what: 'a whole number from 1', is: (value) => Number.isInteger(value) && Number(value) >= 1 };
export const oneOf = (...names: readonly string[]): OptionKind => ({
  what: `one of ${names.join(', ')}`,
  is: (value) => typeof value === 'string' && names.includes(value),
});
export const required = (kind: OptionKind): OptionKind => ({ ...kind, required: true });

/**
 * Refuses what is not an object of these options. An option that is `undefined` counts as left out.
 *
 * @param of what the options are given to, for the message.
 * @throws {WorkflowError} `OPTION_INVALID`.
 */
export function checkOptions(of: string, options: unknown, kinds: Readonly<Record<string, OptionKind>>): void {
  const hint = (): string => `It takes { ${Object.keys(kinds).join(', ')} }.`;
  if (!isObject(options)) throw optionInvalid(`The options of ${of} are not an object.`, hint());
  const given = options as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) throw optionInvalid(`${of} has no option "${name}".`, hint(), name);
    if (given[name] !== undefined && !kind.is(given[name])) throw optionInvalid(`${name} of ${of} must be ${kind.what}.`, hint(), name);
  }
  for (const name in kinds) {
    const kind = kinds[name];
    if (kind?.required && given[name] === undefined) throw optionInvalid(`${name} of ${of} must be ${kind.what}.`, hint(), name);
  }
}

export const optionInvalid = (message: string, hint: string, option?: string): WorkflowError =>
  new WorkflowError({ code: 'OPTION_INVALID', message, hint, ...(option === undefined ? {} : { data: { option } }) });
