/**
 * Cuts a text into the tokens that texts are compared by, questions and documents alike. The default, `searchTokens`, needs no
 * dictionary: pairs of characters in Korean, words without their endings in English. Give a morphological analyser's here if you have one.
 *
 * @example const words: Tokenizer = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
 */
export type Tokenizer = (text: string) => readonly string[];
