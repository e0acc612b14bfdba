/** Fields of a human's event that has its type, this field, and no others. @throws {Error} that names another field. */
export function eventFields(event: unknown, name: string): Readonly<Record<string, unknown>> {
  const fields = (typeof event === 'object' && event !== null ? event : {}) as Readonly<Record<string, unknown>>;
  const extra = Object.keys(fields).find((key) => key !== 'type' && key !== name);
  if (extra !== undefined) throw new Error(`${extra}: unknown field of this answer`);
  return fields;
}

/**
 * Returns a text of a human's event, for `parse` of `defineState`.
 *
 * @param name Its place in the event, for the message.
 * @throws {Error} for anything but a text of 1 to `maxChars` characters that are not all spaces.
 * @example parse: (event) => ({ type: 'NAME', name: eventText('name', eventFields(event, 'name').name, 200) })
 */
export function eventText(name: string, value: unknown, maxChars: number): string {
  if (typeof value !== 'string' || !/\S/.test(value) || value.length > maxChars) {
    throw new Error(`${name}: must be a text of 1 to ${maxChars.toLocaleString('en')} characters`);
  }
  return value;
}
