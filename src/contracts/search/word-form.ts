const firstSyllable = 0xac00;
const firstConsonant = 0x1100;
/** Syllables with the same first consonant. */
const perConsonant = 588;
/** Letters that the forms of an English word share: `assign`, `assignment`. */
const sharedLetters = 5;

/**
 * Returns a key that the forms of a word share. Pairs of Korean letters share the first one and the consonant of the second one: `올릴` and
 * `올려`. English words share their beginning. Words of other meanings may share it as well.
 */
export function wordForm(token: string): string {
  if (!/^[가-힣]{2}$/u.test(token)) return token.slice(0, sharedLetters);
  const consonant = Math.floor((token.charCodeAt(1) - firstSyllable) / perConsonant);
  return token.charAt(0) + String.fromCharCode(firstConsonant + consonant);
}
