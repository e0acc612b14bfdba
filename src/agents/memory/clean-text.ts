/** Control characters except line feed and tab, and characters that change the writing direction; none of them belongs in a prompt. */
const controls = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\n\t]]/gv;

/** Removes control characters, unpaired surrogates, and surrounding white space. */
export const cleanText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(controls, '').toWellFormed().trim();

/** Applies `cleanText`, and joins all lines. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replace(controls, '').toWellFormed().trim();

/** Returns the start of a text, without half a character at its end. */
export const cutText = (text: string, maxChars: number): string => {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return text.length <= maxChars ? text : text.slice(0, Math.max(0, end)).trimEnd();
};
