const struck = /~~(?=\S)((?:(?!~~)[^\n])+)~~/g;

/** Returns the struck-through stretches of a text, without their marks `~~`. */
export const struckIn = (text: string): readonly string[] => Array.from(text.matchAll(struck), ([, words = '']) => words.trim());

/** Replaces struck-through stretches by blanks, so that all positions stay. */
export const withoutStruck = (text: string): string => text.replace(struck, (all) => ' '.repeat(all.length));

/** True for a text that is struck through from its start to its end. */
export const isStruck = (text: string): boolean => text.trim() !== '' && withoutStruck(text).trim() === '';
