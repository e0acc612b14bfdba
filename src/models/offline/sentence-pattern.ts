/** A pattern of a whole sentence. */
export interface SentencePattern {
  exec(text: string): RegExpExecArray | null;
}

/**
 * Creates a pattern that only runs on texts with `needed`. Most texts are about something else, and compiling all the openings and endings
 * of a sentence takes milliseconds.
 *
 * @param needed a short pattern that matches in every text that `whole` matches
 * @example sentencePattern('몇', `^${start}몇 시${end}$`, 'iu').exec('안녕')
 */
export function sentencePattern(needed: string, whole: string, flags: string): SentencePattern {
  const [part, all] = [new RegExp(needed, flags), new RegExp(whole, flags)];
  return { exec: (text) => (part.test(text) ? all.exec(text) : null) };
}
