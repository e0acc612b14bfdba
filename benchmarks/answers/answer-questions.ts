import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The workflows that are asked. */
const workflowNames = ['chat-agent', 'plan-execute', 'guide-agent'] as const;

export type WorkflowName = (typeof workflowNames)[number];

const row = z.strictObject({
  language: z.enum(['ko', 'en']),
  kind: z.string(),
  /** What was said before, in the same conversation. */
  before: z.array(z.string()).default([]),
  ask: z.string(),
  /** What a right answer has, each: alternatives stand between bars, letters' case does not matter. */
  right: z.array(z.string()).optional(),
  /** No rule can know it: the right answer says so, and names what would help. */
  modest: z.literal(true).optional(),
  /** Small talk: any answer is right that is more than "All right.", quotes nothing and asks for no key. */
  talk: z.literal(true).optional(),
  /** Answered out of guide-agent's catalogue. */
  catalogue: z.literal(true).optional(),
  /** Only these can answer it. Default: all. */
  workflows: z.array(z.enum(workflowNames)).optional(),
});

/** A question of every day, and what a right answer to it is. */
export type AnswerQuestion = z.infer<typeof row>;

/** Of two files of one form: what the rules were written with, and what was put aside before they were. */
export const questionSets = ['development', 'unseen'] as const;

export type QuestionSet = (typeof questionSets)[number];

/** @throws {SyntaxError | ZodError} when a line is no question. */
export const answerQuestions = (set: QuestionSet): readonly AnswerQuestion[] =>
  readFileSync(new URL(`${set}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => row.parse(JSON.parse(line)));
