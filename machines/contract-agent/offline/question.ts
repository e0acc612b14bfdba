import { askedWords } from 'agent-machines/contracts';
import type { QuestionInput } from '../rule-inputs.ts';
import { isSmallTalk, refersBack } from '../rules/scope.ts';

const asksToCompare = (question: string): boolean =>
  /표준\s?(?:계약서?|약관|안)|표준(?:이랑|과|하고|에|대비)|(?:빠진|누락된?|없는)\s*(?:조항|조문|내용|항목|것|게|거)(?!(?:은|는|이|을|를|도)?\s*(?:어떻게|무엇|뭘|무슨|어느|어떤|누가|시키))|빠뜨|누락|standard (?:contract|agreement|form|terms)|missing (?:clauses?|articles?|provisions?)/iu.test(
    question,
  );

/** Without a standard contract, `표준계약서를 꼭 써야 해?` may refer to one that the contract itself mentions. */
export const wantsComparison = ({ input, hasStandard }: Pick<QuestionInput, 'input'> & { readonly hasStandard: boolean }): boolean =>
  asksToCompare(input) && (hasStandard || /비교|빠진|빠뜨|누락|없는|차이|다른|다르|달라|같|대비|missing|compare|differ/iu.test(input));

/** The question asks for the last answer in another form. */
export const asksForForm = (question: string): boolean =>
  /정리|요약|다시|보여|설명|자세히|쉽게|간단|짧게|번역|표로|참조|summar|explain|rephrase|again|shorter|simpler|in detail|list (?:them|those|these)/iu.test(
    question,
  );

/** The question depends on a last answer that does not exist. */
export const lacksLastTurn = ({ input, previousTurn, toolHistory }: QuestionInput): boolean =>
  previousTurn.length === 0 && toolHistory.length === 0 && refersBack(input) && asksForForm(input);

/** Returns the question. A question without a subject of its own, such as `언제까지?`, follows the last question. */
export function fullQuestion({ input, previousTurn, needPreviousContext }: QuestionInput): string {
  const last = previousTurn.findLast(({ role }) => role === 'user')?.content;
  const goesOn = needPreviousContext && last !== undefined && !isSmallTalk(last) && askedWords(input).length === 0;
  return goesOn ? `${last} ${input}` : input;
}
