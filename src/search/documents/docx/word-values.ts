/** Parses a whole number in an attribute. */
export const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;

/** False for a value that turns a property off; a property without a value is on. */
export const isOn = (value: string | undefined): boolean => !['0', 'false', 'off'].includes(value ?? '');
