import { askedWords, type ContractDocument, type FoundAnswer } from 'agent-machines/contracts';
import type { OpenContract } from '../contract-library.ts';
import { answerFacts } from '../offline/answer-facts.ts';
import { asksForForm, fullQuestion, lacksLastTurn, wantsComparison } from '../offline/question.ts';
import { outlineInput } from '../rule-inputs.ts';
import {
  type ArticleRef,
  type CollectedArticle,
  type ContractAgentState,
  type ExceptionFound,
  inContract,
  mergeExceptions,
  type WordingFound,
} from '../state.ts';
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
  const found = user.finder.find(fullQuestion(state));
  // parties, dates and amounts have fixed places, so their wording does not matter
  const { facts, factLabels } = outlineInput(contract);
  const isFact = answerFacts(input, facts, (id) => factLabels[id] ?? id) !== undefined;
  return {
    verdict: isFact ? 'answer' : found.verdict,
    ...toWording(found, user.document),
  };
}

/** Converts what the finder has found to the state's form. */
const toWording = ({ lookedFor, passages, joined }: FoundAnswer, document: ContractDocument): Omit<WordingFound, 'verdict'> => ({
  lookedFor,
  passages: passages.map(({ article, text, score, why }) => ({ ...refOf('user', document, article), text, score, why })),
  joined: joined.map(({ article, text, changes }) => ({ ...refOf('user', document, article), text, changes })),
});

/** Adds the name of the contract to the passages, if answers name it. */
export const namedWording = (wording: WordingFound | null, { name }: OpenContract): WordingFound | null =>
  wording && { ...wording, passages: inContract(wording.passages, name), joined: inContract(wording.joined, name) };

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
      passages: naming.slice(0, 3).map((article) => ({
        ...refOf('user', user.document, article),
        text: article.text.slice(0, 1_000),
        score: 1,
        why: { settles: [], touches: [], words: laws },
      })),
      joined: [],
    };
  }
  const found = user.finder.find(rest);
  if (askedWords(rest).every(({ weight }) => weight < 1) || found.verdict === 'silent')
    return { verdict: 'silent', lookedFor: laws, passages: [], joined: [] };
  return { verdict: 'nearest', ...toWording(found, user.document) };
}

/** Returns the articles that contain the passages. */
export const articlesOf = (passages: readonly ArticleRef[], { user, name }: OpenContract, via: string): readonly CollectedArticle[] =>
  [...new Set(passages.map(({ id }) => id))].flatMap((id) => {
    const article = user.document.parts.find((part) => part.id === id);
    return article ? inContract([{ ...toFound('user', user.document, article), via }], name) : [];
  });

const maxExceptions = 4;

/** Returns the passages that change the articles of the user's contract that were read by label or for their wording. */
export function exceptionsOf(
  { wording }: ContractAgentState,
  { user, name }: OpenContract,
  read: readonly CollectedArticle[],
): readonly ExceptionFound[] {
  const ids = read.filter(({ side, deleted, via }) => side === 'user' && !deleted && via !== 'hybrid_search').map(({ id }) => id);
  const shown = user.document.parts.filter(({ id }) => ids.includes(id)).map((article) => ({ article, text: article.text }));
  const named = user.finder
    .exceptionsTo(shown)
    .map(({ article, text, changes }) => ({ ...refOf('user', user.document, article), text, changes }));
  return mergeExceptions(wording?.joined ?? [], inContract(named, name)).slice(0, maxExceptions);
}
