/** Invisible characters, and characters that reorder others and so disguise a text. */
const hidden = /[[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]--[\t\n\u200c\u200d]]/gv;

/**
 * Replaces invisible characters, such as control and bidirectional ones, with their code point, `⟨U+202E⟩`.
 *
 * @example visibleText('txt.\u202Eexe') // 'txt.⟨U+202E⟩exe'
 */
export const visibleText = (text: string): string =>
  text.replace(hidden, (char) => (char === '\r' ? '' : `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`));
