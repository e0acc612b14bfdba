import type { EvalCase } from 'agent-machines/evals';
import { type Grader, grader } from 'agent-machines/evals';
import { type AnswerQuestion, answerQuestions, type WorkflowName } from '../../../benchmarks/answers/answer-questions.ts';
import { judgeAnswer } from '../../../benchmarks/answers/judge-answer.ts';

/** The answers are right on this date, in Seoul. */
export const friday: Date = new Date('2026-11-20T06:04:05Z');

/** Questions of the set that was put aside, without those about documents and files. */
export const answerCases: readonly EvalCase<{ readonly input: string }, AnswerQuestion>[] = answerQuestions('unseen')
  .filter(({ before, kind }) => before.length === 0 && !['documents', 'project', 'files'].includes(kind))
  .map((question) => ({ name: question.ask, input: { input: question.ask }, expected: question }));

/** Scores 1 for a right answer, and for one that says rightly what it cannot know. */
export const answersWell = (workflow: WorkflowName): Grader<{ readonly answer: string }, AnswerQuestion> =>
  grader('answers well', ({ output }, { expected }) => {
    if (!output || !expected) return false;
    const verdict = judgeAnswer(expected, workflow, output.answer);
    return { score: verdict === 'right' || verdict === 'modest' ? 1 : 0, why: `${verdict}: ${output.answer}` };
  });
