const maxChars = 100;

/** Text of a label: names of tools and models may come from other services. Long ones are cut; U+0000 separates labels. */
export const labelValue = (text: string): string => text.slice(0, maxChars).toWellFormed().replaceAll('\0', ' ');
