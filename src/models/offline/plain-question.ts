/** Normalizes a question: plain characters, single blanks, no closing marks or laughter. */
export const plainQuestion = (sentence: string): string =>
  sentence
    .normalize('NFKC')
    .replace(/[?!~ㅋㅎ.\s]+$/u, '')
    .replace(/\s+/g, ' ')
    .trim();
