import type { ConversationMessage } from 'agent-machines/memory';
import type { Hint } from '../prompts.ts';
import { askedWords } from '../rules/asked-words.ts';
import { isSmallTalk, refersBack } from '../rules/scope.ts';
import type { ArticleRef, CollectedArticle, Finding, ToolRecord } from '../state.ts';

/** What the rules are told. Only the answering task has all of it. */
export interface OfflineFacts {
  readonly userMessage: string;
  readonly previousTurn: readonly ConversationMessage[];
  readonly needPreviousContext: boolean | null;
  readonly missingInfo: string | null;
  readonly iterationCount: number;
  readonly toolHistory: readonly ToolRecord[];
  readonly collectedInfo: readonly CollectedArticle[];
  readonly findings: readonly Finding[];
  readonly title: string;
  readonly hasStandard: boolean;
  readonly outline: readonly (Pick<ArticleRef, 'label' | 'title'> & { readonly part: string; readonly deleted: boolean })[];
  readonly hints: readonly Hint[];
  readonly previousArticles: readonly CollectedArticle[];
}

/** The question asks for a comparison with the standard contract. */
const asksToCompare = (question: string): boolean =>
  /표준\s?(?:계약서?|약관|안)|표준(?:이랑|과|하고|에|대비)|(?:빠진|누락된?|없는)\s*(?:조항|조문|내용|항목|것|게|거)(?!(?:은|는|이|을|를|도)?\s*(?:어떻게|무엇|뭘|무슨|어느|어떤|누가|시키))|빠뜨|누락|standard (?:contract|agreement|form|terms)|missing (?:clauses?|articles?|provisions?)/iu.test(
    question,
  );

/** Without a standard contract, `표준계약서를 꼭 써야 해?` may be about one that the contract itself speaks of. */
export const wantsComparison = ({ userMessage, hasStandard }: OfflineFacts): boolean =>
  asksToCompare(userMessage) &&
  (hasStandard || /비교|빠진|빠뜨|누락|없는|차이|다른|다르|달라|같|대비|missing|compare|differ/iu.test(userMessage));

/** The question wants what was said in another form, not something new. */
export const asksForForm = (question: string): boolean =>
  /정리|요약|다시|보여|설명|자세히|쉽게|간단|짧게|번역|표로|참조|summar|explain|rephrase|again|shorter|simpler|in detail|list (?:them|those|these)/iu.test(
    question,
  );

/** The question only makes sense with a last answer, and there is none. */
export const lacksLastTurn = ({ userMessage, previousTurn, toolHistory }: OfflineFacts): boolean =>
  previousTurn.length === 0 && toolHistory.length === 0 && refersBack(userMessage) && asksForForm(userMessage);

/** What is asked: with the last question in front of one that has no subject of its own, `언제까지?` */
export function fullQuestion({ userMessage, previousTurn, needPreviousContext }: OfflineFacts): string {
  const last = previousTurn.findLast(({ role }) => role === 'user')?.content;
  const goesOn = needPreviousContext && last !== undefined && !isSmallTalk(last) && askedWords(userMessage).length === 0;
  return goesOn ? `${last} ${userMessage}` : userMessage;
}
