const maxChars = 20_000;

const countOf = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

/** Whether a document has more Korean letters than Latin ones: then what has no label gets a Korean one. */
export function isMostlyKorean(text: string): boolean {
  const sample = text.slice(0, maxChars);
  return countOf(sample, /[가-힣]/g) > countOf(sample, /[a-z]/gi);
}
