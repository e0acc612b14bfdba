const maxChars = 20_000;

const countOf = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

/** True for a document with more Korean than Latin letters. Sections without a label then get a Korean one. */
export function isMostlyKorean(text: string): boolean {
  const sample = text.slice(0, maxChars);
  return countOf(sample, /[가-힣]/g) > countOf(sample, /[a-z]/gi);
}
