import { describe, expect, it } from 'vitest';
import { type AnswerQuestion, answerQuestions } from '../../../benchmarks/answers/answer-questions.ts';
import { judgeAnswer } from '../../../benchmarks/answers/judge-answer.ts';

const question = (some: Partial<AnswerQuestion>): AnswerQuestion => ({ language: 'en', kind: 'sums', before: [], ask: 'q', ...some });
const key = 'Answering this needs a language model (OPENAI_API_KEY or --base-url).';
const quote = '“Claim within 30 days.” (expense-policy.md › Expenses)';

describe('judgeAnswer', () => {
  it.each<[string, Partial<AnswerQuestion>, string, string]>([
    ['has what it must', { right: ['144'] }, '12^2 = 144', 'right'],
    ['has one of several spellings', { right: ['1024|1,024'] }, '= 1,024', 'right'],
    ['has a part of it only', { right: ['a', 'b'] }, 'a', 'wrong'],
    ['asks for a key where none is needed', { right: ['144'] }, key, 'missed'],
    ['asks for a key where one is', { modest: true }, key, 'modest'],
    ['quotes something', { modest: true }, quote, 'quote'],
    ['has it by chance, in a quotation', { right: ['30'] }, quote, 'quote'],
    ['quotes the document that is asked for', { kind: 'documents', right: ['30 days'] }, quote, 'right'],
    ['makes something up', { modest: true }, 'It is 42.', 'wrong'],
    ['talks', { talk: true }, 'I am fine, thank you.', 'right'],
    ['only nods', { talk: true }, 'All right.', 'wrong'],
    ['is modest where another workflow would know', { right: ['x'], workflows: ['guide-agent'] }, key, 'modest'],
  ])('%s', (_what, some, answer, verdict) => {
    expect(judgeAnswer(question(some), 'chat-agent', answer)).toBe(verdict);
  });
});

describe('the questions', () => {
  it.each(['development', 'unseen'] as const)('%s: each has one definition of a right answer, and none is repeated', (set) => {
    const questions = answerQuestions(set);
    expect(questions.length).toBeGreaterThanOrEqual(58);
    for (const { right, modest, talk, catalogue } of questions) {
      expect([right, modest, talk, catalogue].filter((one) => one !== undefined)).toHaveLength(1);
    }
    expect(new Set(questions.map(({ ask }) => ask)).size).toBe(questions.length);
  });
});
