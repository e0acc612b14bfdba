/**
 * Maximum length of a question that is read: every cue and every passage is compared with it. A question of 20,000 characters would take
 * too long.
 */
export const maxQuestionChars = 1_000;
