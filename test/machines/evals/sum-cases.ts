import type { EvalCase } from 'agent-machines/evals';

const phrases: readonly ((expression: string) => string)[] = [
  (expression) => `What is ${expression}?`,
  (expression) => `Calculate ${expression}`,
  (expression) => `${expression} 계산해줘`,
  (expression) => `${expression}는 얼마야?`,
];

/** Sums of whole numbers in Korean and English, with their results. */
export const sumCases: readonly EvalCase<{ readonly input: string }, number>[] = Array.from({ length: 36 }, (_, index) => {
  const [a, b] = [17 * index + 3, index + 2];
  const sums: readonly (readonly [expression: string, result: number])[] = [
    [`${a} * ${b}`, a * b],
    [`${a} + ${b * 100}`, a + b * 100],
    [`(${a} + ${b}) * 3`, (a + b) * 3],
  ];
  const [expression, result] = sums[index % sums.length] ?? ['0', 0];
  const phrase = phrases[index % phrases.length];
  return { name: `${index + 1}: ${expression}`, input: { input: phrase?.(expression) ?? expression }, expected: result };
});
