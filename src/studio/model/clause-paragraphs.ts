/** A line, and behind it one that begins with a number in a circle; both as deep in a quotation. */
const continued = /^((?:>[ \t]?)*)([ \t]*[^\s>].*)\n(?=\1[ \t]*[①-⑳㉑-㉟])/gmu;

/**
 * A Markdown text in which what begins with a number in a circle, `② …`, is a paragraph, as it is in a contract: to Markdown it would go on
 * with the line before it, or be a part of the last item of a list.
 *
 * @example clauseParagraphs('> 1. paid late\n> ② The price …') // '> 1. paid late\n> \n> ② The price …'
 */
export const clauseParagraphs = (text: string): string => text.replace(continued, '$1$2\n$1\n');
