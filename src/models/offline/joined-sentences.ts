const value = '(?:값|결과|수|것|답)(?:에서|에다가|에다|에|을|를|의)?';
/** End of the first half of a sum in two halves: `인데`, `을 계산한 다음에`. */
const joint = [
  '인데요?',
  '이고요?',
  '이며',
  '이라면',
  '(?:이|은|는)?\\s?얼마(?:인데|이고|고)',
  '(?:을|를)?\\s?(?:계산|구)?\\s?(?:하고|해서)(?:\\s?나서)?',
  '(?:을|를)?\\s?(?:계산|구)?\\s?한\\s?(?:다음|뒤|후)에?',
  `(?:을|를)?\\s?(?:계산|구)?\\s?한\\s?${value}`,
  `의\\s?${value}`,
].join('|');
/** `거기에`: refers to the first half. */
const there = `(?:거기|여기)(?:에서|에다가|에다|에|서)?|(?:그|이)\\s?${value}|그걸|이걸`;
const next = '(?=⟨\\d+⟩)';

const joints: readonly (readonly [RegExp, string])[] = [
  // 12*30인데 거기에 7을 → 12*30에 7을
  [new RegExp(`(⟨\\d+⟩)\\s?(?:${joint})\\s?,?\\s?(?:(?:${there})\\s?)?${next}`, 'gu'), '$1에 '],
  [new RegExp(`(⟨\\d+⟩)\\s?(?:${joint})\\s?,?\\s?(?:(?:${there})\\s?)?(?=절반|제곱|세제곱)`, 'gu'), '$1의 '],
  // 30을 곱한 값에 7을 → 30을 곱하고 7을
  [new RegExp(`(더한|뺀|곱한|나눈)\\s?(?:${value}|(?:다음|뒤|후)에?)\\s?(?:(?:${there})\\s?)?${next}`, 'gu'), '$1 '],
  [new RegExp(`((?:더하|빼|곱하|나누)고),?\\s(?:${there})\\s?${next}`, 'gu'), '$1 '],
];

/** Joins a sum in two halves: `12인데 거기에 7을 더하면` becomes `12에 7을 더하면`. Numbers are marks, `⟨0⟩`. */
export const joinedSentences = (text: string): string =>
  joints.reduce((joined, [pattern, replacement]) => joined.replace(pattern, replacement), text).trim();
