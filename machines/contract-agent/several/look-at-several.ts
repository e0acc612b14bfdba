import type { SeveralContracts } from '../contract-library.ts';
import { fullQuestion, lacksLastTurn } from '../offline/question.ts';
import { mentionsArticle } from '../rules/mentions.ts';
import { isSmallTalk } from '../rules/scope.ts';
import type { CollectedArticle, ContractAgentState, ExceptionFound, WordingFound, WordingPassage } from '../state.ts';
import { refOf, toFound } from '../tools/found-articles.ts';
import { asksEach, asksForCatalogue } from './asks-each.ts';
import { bestJudged, judgeEach } from './judge-each.ts';

/** Number of contracts whose passages are read for a question over all. */
const maxRead = 10;
/** A longer article is represented by its passage. */
const maxArticleChars = 3_000;
/** Number of exceptions that are shown with a passage. */
const maxJoined = 2;

/** Searches the wording of several contracts: the best passage of each of the best ten. `null` for a question that needs no search. */
export async function lookAtSeveral(
  state: ContractAgentState,
  contracts: SeveralContracts,
  signal: AbortSignal,
): Promise<WordingFound | null> {
  const { input } = state;
  if (isSmallTalk(input) || mentionsArticle(input) || lacksLastTurn(state) || asksEach(input) || asksForCatalogue(input)) return null;
  const judged = await judgeEach(fullQuestion(state), contracts, signal);
  const best = bestJudged(judged).slice(0, maxRead);
  const passages: WordingPassage[] = [];
  const exceptions: ExceptionFound[] = [];
  for (const { name, verdict, passages: found, joined } of best) {
    const { document } = (await contracts.open(name)).user;
    const [passage] = found;
    if (!passage) continue;
    const { article, text, score, why } = passage;
    const refIn = (part: typeof article) => ({ ...refOf('user', document, part), contract: name });
    passages.push({ ...refIn(article), text, score, why, verdict });
    const changing = joined.filter(({ changes, text: other }) => changes === article.id && !text.includes(other)).slice(0, maxJoined);
    exceptions.push(...changing.map(({ article: part, text: other, changes }) => ({ ...refIn(part), text: other, changes })));
  }
  return { verdict: best[0]?.verdict ?? 'silent', lookedFor: judged[0]?.lookedFor ?? [], passages, joined: exceptions };
}

/** Returns the articles of the passages; of a long one, the passage. */
export async function articlesOfSeveral(wording: WordingFound | null, contracts: SeveralContracts): Promise<readonly CollectedArticle[]> {
  const read = [...(wording?.passages ?? []), ...(wording?.joined ?? [])].map(
    async ({ contract = '', id, text }): Promise<readonly CollectedArticle[]> => {
      const { document } = (await contracts.open(contract)).user;
      const article = document.parts.find((part) => part.id === id);
      if (!article) return [];
      const found = toFound('user', document, article);
      return [{ ...found, contract, text: found.text.length > maxArticleChars ? text : found.text, via: 'wording' }];
    },
  );
  return (await Promise.all(read)).flat();
}
