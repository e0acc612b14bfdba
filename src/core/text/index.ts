export { contentWords } from './content-words.ts';
export { describeError } from './describe-error.ts';
export { describeStop } from './describe-stop.ts';
export { isKorean } from './is-korean.ts';
export { type PrintRedlineOptions, printRedline, type RedlinePart, redline } from './redline.ts';
export { searchTokens } from './search-tokens.ts';
export { cutAtSentence, splitSentences } from './sentences.ts';
export { isTextRequest } from './text-request.ts';
export type { Tokenizer } from './tokenizer.ts';
