/**
 * Splits a text into the tokens that search compares, for questions and documents alike. The default, `searchTokens`, needs no dictionary:
 * pairs of characters in Korean, words without their endings in English. A morphological analyser fits here.
 *
 * @example const words: Tokenizer = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
 */
export type Tokenizer = (text: string) => readonly string[];
