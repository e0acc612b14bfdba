/** A word as a shell reads it back: in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Options as they were given: `{ allowNet: true, docs: 'my files' }` → `--allow-net --docs 'my files'`. */
export const optionWords = (flags: Readonly<Record<string, unknown>>): string =>
  Object.entries(flags)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => {
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const word = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return value === true ? option : `${option} ${shellWord(word)}`;
    })
    .join(' ');
