import type { AnswerQuestion, WorkflowName } from './answer-questions.ts';

/** `missed` is modest although rules could have known it; `quote` quotes a document or the catalogue, and does not answer. */
export type Verdict = 'right' | 'modest' | 'missed' | 'wrong' | 'quote';

/** What would help, or that nothing was found. */
const helps =
  /언어 모델|OPENAI_API_KEY|--base-url|--model|--allow-net|--root|--docs|API_KEY|language model|찾지 못했|알 수 없|쓸 수 없|쓰여 있지 않|find nothing|say nothing|cannot be/i;
/** Words of a document with its name behind them, lines of a file, or a service of the catalogue. */
const quotes = /“[^”]{3,}”\s*\((?!looked at|찾아본)[^)]*\.(?:md|txt|pdf|json|ts)\b|^> /m;
const services = /^\S[^\n:]{1,30}: .*(?:Price|가격): /m;
const bare = /^(?:네!|네, 알겠습니다\.|All right[.!])$/;

/** How an answer has answered a question. */
export function judgeAnswer(question: AnswerQuestion, workflow: WorkflowName, answer: string): Verdict {
  const { right = [], modest = false, talk = false, catalogue = false, kind } = question;
  const isQuote = quotes.test(answer) || (workflow === 'guide-agent' && services.test(answer));
  const isModest = helps.test(answer);
  const isSaid = canAnswer(question, workflow) && right.length > 0 && right.every((alternatives) => has(answer, alternatives));
  if (catalogue && workflow === 'guide-agent') return isQuote ? 'right' : isModest ? 'missed' : 'wrong';
  if (isSaid && (kind === 'documents' || kind === 'project' || kind === 'files' || !(isQuote || isModest))) return 'right';
  if (isQuote) return 'quote';
  if (isModest) return modest || !canAnswer(question, workflow) ? 'modest' : 'missed';
  return talk && !bare.test(answer.trim()) ? 'right' : 'wrong';
}

/** Where a workflow has not got what an answer needs, it must be modest. */
const canAnswer = ({ workflows }: AnswerQuestion, workflow: WorkflowName): boolean => workflows?.includes(workflow) ?? true;

const has = (answer: string, alternatives: string): boolean =>
  alternatives.split('|').some((text) => answer.toLowerCase().includes(text.toLowerCase()));
