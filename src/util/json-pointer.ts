/** A key as a part of a JSON pointer. */
export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** A part of a JSON pointer as the key that it means. */
export const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
