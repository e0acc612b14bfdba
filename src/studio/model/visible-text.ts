/** Characters that cannot be seen, or that change the order in which others are: a text can look other than it is by them. */
const hidden = /[[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]--[\t\n\u200c\u200d]]/gv;

/**
 * Shows what cannot be seen: a control character or one that turns the direction of text stands as its number, `⟨U+202E⟩`.
 *
 * @example visibleText('txt.\u202Eexe') // 'txt.⟨U+202E⟩exe'
 */
export const visibleText = (text: string): string =>
  text.replace(hidden, (char) => (char === '\r' ? '' : `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`));
