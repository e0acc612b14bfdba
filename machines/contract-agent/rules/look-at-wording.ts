import type { OpenContract } from '../contract-library.ts';
import { answerFacts } from '../offline/answer-facts.ts';
import { asksForForm, fullQuestion, lacksLastTurn, wantsComparison } from '../offline/question.ts';
import { outlineInput } from '../rule-inputs.ts';
import type { CollectedArticle, ContractAgentState, WordingFound } from '../state.ts';
import { refOf, toFound } from '../tools/found-articles.ts';
import { mentionsArticle } from './mentions.ts';
import { isSmallTalk } from './scope.ts';
import { namesPart } from './survey.ts';

/** What the contract's wording has for a question; `null` for one that is not looked for. */
export function lookAtWording(state: ContractAgentState, contract: OpenContract): WordingFound | null {
  const { user, standard } = contract;
  const { userMessage, needPreviousContext } = state;
  const isAboutLastTurn = lacksLastTurn(state) || (needPreviousContext === true && asksForForm(userMessage));
  if (isSmallTalk(userMessage) || mentionsArticle(userMessage) || namesPart(userMessage, user.document) || isAboutLastTurn) return null;
  if (wantsComparison({ userMessage, hasStandard: standard !== undefined })) return null;
  const { verdict, lookedFor, passages } = user.finder.find(fullQuestion(state));
  // parties, dates and amounts are read from where they stand, whatever the words around them are
  const { facts, factLabels } = outlineInput(contract);
  const isFact = answerFacts(userMessage, facts, (id) => factLabels[id] ?? id) !== undefined;
  return {
    verdict: isFact ? 'answer' : verdict,
    lookedFor,
    passages: passages.map(({ article, text }) => ({ ...refOf('user', article), text })),
  };
}

/** The articles that the passages stand in. */
export const articlesOfWording = ({ wording }: ContractAgentState, { user }: OpenContract): readonly CollectedArticle[] =>
  [...new Set(wording?.passages.map(({ id }) => id))].flatMap((id) => {
    const article = user.document.parts.find((part) => part.id === id);
    return article ? [{ ...toFound('user', article), via: 'wording' }] : [];
  });
