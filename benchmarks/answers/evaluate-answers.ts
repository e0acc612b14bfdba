import { parseArgs } from 'node:util';
import { printTable } from '../engine/table.ts';
import { type AnswerQuestion, answerQuestions, type QuestionSet, questionSets, type WorkflowName } from './answer-questions.ts';
import { askWorkflow, type Documents } from './ask-workflow.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';

const legend = `Questions of every day, in Korean and English, to the workflows without a key, each in a conversation of its own.
right     says what it should: a sum, a date, a time, small talk, what was said, what a document says
modest    says that rules cannot know it, and what would help
missed    is modest although rules could have known it
wrong     says something else
quote     quotes a document or the catalogue that does not answer the question`;

const verdicts: readonly Verdict[] = ['right', 'modest', 'missed', 'wrong', 'quote'];

const variants: readonly (readonly [workflow: WorkflowName, documents: Documents])[] = [
  ['chat-agent', 'policies'],
  ['chat-agent', 'project'],
  ['plan-execute', 'project'],
  ['guide-agent', 'project'],
];

interface Answered {
  readonly set: QuestionSet;
  readonly workflow: WorkflowName;
  readonly documents: Documents;
  readonly question: AnswerQuestion;
  readonly answer: string;
  readonly verdict: Verdict;
}

/** Prints how the workflows answer everyday questions without a key. Gives the exit code. */
export async function evaluateAnswers(args: readonly string[]): Promise<number> {
  let values: { set?: string | undefined; json?: boolean | undefined };
  try {
    values = parseArgs({
      args: [...args],
      options: { set: { type: 'string' }, json: { type: 'boolean' } },
      allowPositionals: false,
    }).values;
    if (values.set !== undefined && !questionSets.some((set) => set === values.set))
      throw new Error(`--set is ${questionSets.join(' or ')}.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  const answered: Answered[] = [];
  for (const [workflow, documents] of variants) {
    const ask = await askWorkflow(workflow, documents);
    for (const set of questionSets.filter((set) => set === (values.set ?? set))) {
      for (const question of answerQuestions(set)) {
        const known = isKnown(question, documents);
        const answer = await ask(question);
        answered.push({ set, workflow, documents, question, answer, verdict: judgeAnswer(known, workflow, answer) });
      }
    }
  }
  if (values.json) console.log(JSON.stringify(answered, null, 1));
  else print(answered);
  return 0;
}

/** What only some documents say cannot be known where others are open. */
const isKnown = (question: AnswerQuestion, documents: Documents): AnswerQuestion =>
  (question.kind === 'documents' && documents !== 'policies') || (question.kind === 'project' && documents !== 'project')
    ? { ...question, workflows: [] }
    : question;

function print(answered: readonly Answered[]): void {
  console.log(legend);
  const rowOf = (name: string, some: readonly Answered[]): readonly string[] => [
    name,
    String(some.length),
    ...verdicts.map((verdict) => String(some.filter((one) => one.verdict === verdict).length)),
  ];
  for (const set of questionSets) {
    const rows = variants.flatMap(([workflow, documents]) =>
      (['ko', 'en'] as const).map((language) =>
        rowOf(
          `${workflow}, ${workflow === 'guide-agent' ? 'catalogue' : documents}, ${language}`,
          answered.filter(
            (one) => one.set === set && one.workflow === workflow && one.documents === documents && one.question.language === language,
          ),
        ),
      ),
    );
    if (answered.some((one) => one.set === set)) printTable(`${set} questions`, ['', 'questions', ...verdicts], rows);
  }
}
