import fc from 'fast-check';

/** Realistic sentences in two languages: easier to read in a failed test than random characters, and split into words elsewhere. */
const sentences = [
  'hello',
  'What is the weather in Seoul?',
  'Compare both contracts.',
  'Send it to Ada, not to Bob.',
  'no',
  '안녕하세요',
  '서울 날씨가 어때?',
  '두 계약서를 비교해 줘.',
  '내 이름은 철수야',
  '아니요, 내일까지 3부를 보내 주세요.',
] as const;

/** Texts in Korean and English, sometimes arbitrary characters; empty texts, too. */
export function arbitraryText({
  minLength = 0,
  maxLength = 40,
}: {
  readonly minLength?: number;
  readonly maxLength?: number;
} = {}): fc.Arbitrary<string> {
  const lengthOf = (text: string): number => [...text].length;
  const fitting = sentences.filter((text) => lengthOf(text) >= minLength && lengthOf(text) <= maxLength);
  const any = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, minLength + 20)) });
  return fitting.length === 0 ? any : fc.oneof({ withCrossShrink: true }, any, fc.constantFrom(...fitting));
}
