/** True when a text contains Hangul, single letters such as `ㅋㅋ` included. */
export const isKorean = (text: string): boolean => /[가-힣ㄱ-ㅎㅏ-ㅣ]/.test(text);
