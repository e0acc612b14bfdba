import { askedWords } from 'agent-machines/contracts';
import type { OpenContract } from '../contract-library.ts';
import { answerFacts } from '../offline/answer-facts.ts';
import { asksForForm, fullQuestion, lacksLastTurn, wantsComparison } from '../offline/question.ts';
import { outlineInput } from '../rule-inputs.ts';
import type { CollectedArticle, ContractAgentState, WordingFound } from '../state.ts';
import { refOf, toFound } from '../tools/found-articles.ts';
import { mentionsArticle } from './mentions.ts';
import { lawsIn, placesIn } from './places.ts';
import { isSmallTalk } from './scope.ts';
import { namesPart } from './survey.ts';

/** Searches the contract's wording for a question; `null` for a question that needs no search. */
export function lookAtWording(state: ContractAgentState, contract: OpenContract): WordingFound | null {
  const { user, standard } = contract;
  const { input, needPreviousContext } = state;
  const isAboutLastTurn = lacksLastTurn(state) || (needPreviousContext === true && asksForForm(input));
  const { laws, rest } = lawsIn(input, user.document);
  if (laws.length > 0 && placesIn(input, user.document).length === 0) return lookBesideLaws(contract, { laws, rest });
  if (isSmallTalk(input) || mentionsArticle(input) || namesPart(input, user.document) || isAboutLastTurn) return null;
  if (wantsComparison({ input, hasStandard: standard !== undefined })) return null;
  const { verdict, lookedFor, passages } = user.finder.find(fullQuestion(state));
  // parties, dates and amounts have fixed places, so their wording does not matter
  const { facts, factLabels } = outlineInput(contract);
  const isFact = answerFacts(input, facts, (id) => factLabels[id] ?? id) !== undefined;
  return {
    verdict: isFact ? 'answer' : verdict,
    lookedFor,
    passages: passages.map(({ article, text }) => ({ ...refOf('user', user.document, article), text })),
  };
}

/**
 * Searches the contract for its mentions of a law, or else for the rest of the question. Articles of a law are not articles of the
 * contract.
 */
function lookBesideLaws({ user }: OpenContract, { laws, rest }: { readonly laws: readonly string[]; readonly rest: string }): WordingFound {
  const naming = user.document.articles.filter((article) => lawsIn(article.text, user.document).laws.some((law) => laws.includes(law)));
  if (naming.length > 0) {
    return {
      verdict: 'answer',
      lookedFor: laws,
      passages: naming.slice(0, 3).map((article) => ({ ...refOf('user', user.document, article), text: article.text.slice(0, 1_000) })),
    };
  }
  const { verdict, lookedFor, passages } = user.finder.find(rest);
  if (askedWords(rest).every(({ weight }) => weight < 1) || verdict === 'silent')
    return { verdict: 'silent', lookedFor: laws, passages: [] };
  return {
    verdict: 'nearest',
    lookedFor,
    passages: passages.map(({ article, text }) => ({ ...refOf('user', user.document, article), text })),
  };
}

/** Returns the articles that contain the passages. */
export const articlesOfWording = ({ wording }: ContractAgentState, { user }: OpenContract): readonly CollectedArticle[] =>
  [...new Set(wording?.passages.map(({ id }) => id))].flatMap((id) => {
    const article = user.document.parts.find((part) => part.id === id);
    return article ? [{ ...toFound('user', user.document, article), via: 'wording' }] : [];
  });
