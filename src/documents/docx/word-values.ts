/** A number of an attribute. */
export const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;

/** A property that is there is on, unless it says otherwise. */
export const isOn = (value: string | undefined): boolean => !['0', 'false', 'off'].includes(value ?? '');
