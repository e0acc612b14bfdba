/** True when a text contains Hangul, single letters such as `ㅋㅋ` included. */
export const isKorean = (text: string): boolean => /[가-힣ㄱ-ㅎㅏ-ㅣ]/.test(text);

const sampleChars = 20_000;

const countOf = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

/** True for a document with more Korean than Latin letters in its first 20,000 characters. */
export function isMostlyKorean(text: string): boolean {
  const sample = text.slice(0, sampleChars);
  return countOf(sample, /[가-힣]/g) > countOf(sample, /[a-z]/gi);
}
