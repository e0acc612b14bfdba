/** Matches a line followed by one that starts with a circled number, both at the same quotation depth. */
const continued = /^((?:>[ \t]?)*)([ \t]*[^\s>].*)\n(?=\1[ \t]*[①-⑳㉑-㉟])/gmu;

/**
 * Makes each clause that starts with a circled number, `② …`, a Markdown paragraph, as in a contract. Otherwise Markdown would join it with
 * the line before, or with the last list item.
 *
 * @example clauseParagraphs('> 1. paid late\n> ② The price …') // '> 1. paid late\n> \n> ② The price …'
 */
export const clauseParagraphs = (text: string): string => text.replace(continued, '$1$2\n$1\n');
