/** A pattern of a whole sentence. */
export interface SentencePattern {
  exec(text: string): RegExpExecArray | null;
}

/**
 * A pattern that is only tried on a text that has what it cannot do without. Most texts are about something else, and the engine takes
 * milliseconds to compile all that a sentence may begin and end with.
 *
 * @param needed something short that is in every text that `whole` matches
 * @example sentencePattern('몇', `^${start}몇 시${end}$`, 'iu').exec('안녕')
 */
export function sentencePattern(needed: string, whole: string, flags: string): SentencePattern {
  const [part, all] = [new RegExp(needed, flags), new RegExp(whole, flags)];
  return { exec: (text) => (part.test(text) ? all.exec(text) : null) };
}
