/** A question in plain characters and single blanks, without what only ends it: marks, laughter. */
export const plainQuestion = (sentence: string): string =>
  sentence
    .normalize('NFKC')
    .replace(/[?!~ㅋㅎ.\s]+$/u, '')
    .replace(/\s+/g, ' ')
    .trim();
