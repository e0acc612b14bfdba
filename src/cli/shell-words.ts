/** Quotes a word for the shell if needed. */
export const shellWord = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Formats options as they were given: `{ allowNet: true, docs: 'my files' }` → `--allow-net --docs 'my files'`. */
export const optionWords = (flags: Readonly<Record<string, unknown>>): string =>
  Object.entries(flags)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => {
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const word = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return value === true ? option : `${option} ${shellWord(word)}`;
    })
    .join(' ');

/** Splits a command into words like a shell, with quotes but without any other syntax; `undefined` for an unclosed quote. */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const character of text) {
    if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}
