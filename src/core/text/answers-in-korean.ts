import { isKorean } from './is-korean.ts';

/**
 * True if a request is answered in Korean. An English sentence with Korean names gets an English answer, and the reverse.
 *
 * @example answersInKorean('What does 제5조 say?') // false
 */
export const answersInKorean = (text: string): boolean => isKorean(text) && (koreanEnd.test(text) || !englishWord.test(text));

const koreanEnd = /(?:줘|줄래|요|죠|니다|까|이야|거야|뭐야|인가|은지|는지|어때|[한된었았]다)[\s?!.~…)"'”’ㅋㅎㅠ]*$/u;

/** Words of English sentences, which Korean sentences do not borrow. */
const englishWord =
  /\b(?:a|an|and|any|are|can|could|did|do|does|explain|find|for|from|give|has|have|how|i|i'm|is|it|me|my|of|our|please|say|says|show|tell|that|the|there|this|to|was|we|were|what|what's|when|where|which|who|why|with|would|you|your)\b/iu;
