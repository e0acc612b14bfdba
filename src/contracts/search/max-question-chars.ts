/** What a question is read by; one of 20,000 characters would be looked for in every passage, by every cue. */
export const maxQuestionChars = 1_000;
