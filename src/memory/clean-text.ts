/** All control characters but the line feed and the tab, and what turns the direction of writing: none of it belongs into a prompt. */
const controls = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\n\t]]/gv;

/** A text without control characters, half characters, and white space around it. */
export const cleanText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(controls, '').toWellFormed().trim();

/** As `cleanText`, on one line. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replace(controls, '').toWellFormed().trim();

/** The start of a text, never half a character at its end. */
export const cutText = (text: string, maxChars: number): string => {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return text.length <= maxChars ? text : text.slice(0, Math.max(0, end)).trimEnd();
};
