import { asJson, type ChatMessage, type NodeHandler } from 'agent-machines';
import type { Citation } from 'agent-machines/contracts';
import { askModel } from 'agent-machines/models';
import { answersInKorean } from 'agent-machines/search';
import { answerLinks } from 'agent-machines/tools';
import { citationsOf, describeWrongCitations, quotesContract } from '../citations.ts';
import type { OpenContract } from '../contract-library.ts';
import { answerPrompt, citationRepairPrompt } from '../prompts.ts';
import { outlineInput, questionInput } from '../rule-inputs.ts';
import { describeNearest, describeParagraphs, describeSilence, saysVerdict } from '../rules/describe-verdict.ts';
import { lawsIn } from '../rules/places.ts';
import { isSmallTalk } from '../rules/scope.ts';
import { verdictAfter } from '../rules/verdict.ts';
import { areSeveral, type ContractAgentServices, type ContractsOfRun, contractsOf } from '../services.ts';
import { stretchesOf } from '../several/stretches.ts';
import { type ArticleRef, type CollectedArticle, type ContractAgentState, inContract, mergeArticles, toRef } from '../state.ts';
import { nameOf, toFound } from '../tools/found-articles.ts';
import { articlesReferencedBy } from '../tools/referenced-by.ts';

/**
 * Answers from the texts that were read, and from the last turn if needed. One model call, streamed. A second call follows if the first
 * answer has wrong names, quotations or figures. Errors that remain are marked in the answer.
 */
export const generateResponse =
  ({ modelFor, library }: ContractAgentServices): NodeHandler<ContractAgentState> =>
  async (state, io) => {
    const contracts = await contractsOf(state, library);
    const previousArticles = state.needPreviousContext ? await articlesOfLastTurn(state, contracts) : [];
    io.emit({ type: 'thinking', step: 'generating', content: state.input });
    const task = 'contract_agent.generate_response';
    const model = modelFor(task, { ...questionInput(state), ...outlineInput(contracts), previousArticles });
    const messages = answerPrompt(state, contracts, { previousArticles });
    const ask = async (more: readonly ChatMessage[]): Promise<CheckedAnswer> => {
      const asked = { task, messages: [...messages, ...more], deterministic: true };
      const { text } = await askModel(model, asked, { io, stream: true, ...answerLinks(contractTaint, []) });
      const citations = citationsOf(text, { state, contracts, previousArticles });
      return { text, citations, wrong: citations.filter(({ status }) => status !== 'supported') };
    };
    let answer = await ask([]);
    if (answer.wrong.length > 0) {
      io.emit({ type: 'thinking', step: 'checking_citations', content: asJson(answer.wrong) });
      io.emit({ type: 'step-reset' });
      answer = await ask(citationRepairPrompt(answer.text, answer.wrong));
    }
    const korean = answersInKorean(state.input);
    const note = answer.wrong.length === 0 ? '' : `\n\n${describeWrongCitations(answer.wrong, korean)}`;
    const sources = sourcesOf(answer.text, mergeArticles(state.collectedInfo, previousArticles), contracts);
    const isProven =
      answer.wrong.length === 0 && !saysVerdict(answer.text) && quotesContract(answer.text, { state, contracts, previousArticles });
    const verdict = verdictAfter(state, { isProven, hasSources: sources.length > 0 });
    const remark = isProven ? '' : remarkOn(verdict, answer.text, state);
    const remarks = remark + remarkOnNames(answer.text, sources, korean) + remarkOnStructure(answer.text, state, contracts) + note;
    if (remarks !== '') io.emit({ type: 'token', text: remarks });
    io.emit({ type: 'sources', sources: asJson(sources) });
    return { finalResponse: answer.text + remarks, sources, citations: answer.citations, verdict };
  };

const contractTaint = { private: true, untrusted: true };

interface CheckedAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly wrong: readonly Citation[];
}

/** Returns the remark that the contract has no clear answer; empty if the answer says so itself. */
function remarkOn(verdict: ContractAgentState['verdict'], text: string, { wording, input }: ContractAgentState): string {
  if (verdict === null || verdict === 'answer' || wording === null || saysVerdict(text)) return '';
  const korean = answersInKorean(input);
  return `\n\n${verdict === 'silent' ? describeSilence(input, wording, korean) : describeNearest(wording.passages[0], korean)}`;
}

/** Names the sources of an answer from one of several contracts that names no contract itself. */
function remarkOnNames(text: string, sources: readonly ArticleRef[], korean: boolean): string {
  const isNamed = sources.some(({ contract }) => contract === undefined || text.includes(contract));
  return sources.length === 0 || isNamed ? '' : `\n\n${korean ? '근거' : 'Sources'}: ${sources.map(nameOf).join(', ')}`;
}

/** Returns the remark that the document has no recognized articles, which the model does not know. */
function remarkOnStructure(text: string, { input }: ContractAgentState, contracts: ContractsOfRun): string {
  if (areSeveral(contracts)) return '';
  const { user } = contracts;
  const remark = describeParagraphs(answersInKorean(input));
  return user.document.structure === 'articles' || isSmallTalk(input) || text.includes(remark) ? '' : `\n\n${remark}`;
}

const maxPreviousArticles = 12;

/**
 * Returns the articles behind the last answer and the articles that they refer to. Reads their texts from the contract, not from the
 * conversation.
 */
async function articlesOfLastTurn(
  { previousSources }: Pick<ContractAgentState, 'previousSources'>,
  contracts: ContractsOfRun,
): Promise<readonly CollectedArticle[]> {
  if (!areSeveral(contracts)) return articlesOfSources(previousSources, contracts);
  const names = contracts.names.filter((name) => previousSources.some(({ contract }) => contract === name));
  const read = await Promise.all(names.map(async (name) => articlesOfSources(previousSources, await contracts.open(name))));
  return read.flat().slice(0, maxPreviousArticles);
}

function articlesOfSources(previousSources: readonly ArticleRef[], { user, standard, name }: OpenContract): readonly CollectedArticle[] {
  const own = name === undefined ? previousSources : previousSources.filter(({ contract }) => contract === name);
  const cited = own.flatMap(({ side, id }) => {
    const document = side === 'user' ? user.document : standard?.document;
    // the id of a paragraph leads to its article
    const article = document?.parts.find((one) => one.id === id) ?? document?.parts.findLast((one) => id.startsWith(`${one.id} `));
    return document && article ? [{ side, document, article }] : [];
  });
  const articles = cited.flatMap(({ side, article }) => (side === 'user' ? [article] : []));
  const referenced = articlesReferencedBy(user.document, articles).map((article) => ({
    side: 'user' as const,
    document: user.document,
    article,
  }));
  const read = [...cited, ...referenced].slice(0, maxPreviousArticles);
  return inContract(
    read.map(({ side, document, article }) => ({ ...toFound(side, document, article), via: 'last_turn' })),
    name,
  );
}

/** Returns the articles that an answer names: of several contracts, each where the answer names its contract. */
function sourcesOf(text: string, articles: readonly CollectedArticle[], contracts: ContractsOfRun): readonly ArticleRef[] {
  if (!areSeveral(contracts)) return citedIn(lawsIn(text, contracts.user.document).rest, articles);
  const cited = stretchesOf(text, contracts.names).flatMap(({ names, text: stretch }) =>
    citedIn(
      stretch,
      articles.filter(({ contract = '' }) => names.length === 0 || names.includes(contract)),
    ),
  );
  return mergeArticles([], cited);
}

/** Returns the articles that a text names by their labels: `제10조의2`, `부칙 제10조` and `별지 1 제10조` do not name `제10조`. */
function citedIn(text: string, articles: readonly CollectedArticle[]): readonly ArticleRef[] {
  const plain = (written: string): string => written.normalize('NFKC').replaceAll(/\s+/gu, '').toLowerCase();
  const spaceless = plain(text);
  const labels = new Set(articles.map(({ label }) => plain(label)));
  return articles
    .filter(({ label }) => {
      const wanted = plain(label);
      const longer = [...labels].filter((other) => other !== wanted && other.endsWith(wanted));
      for (let at = spaceless.indexOf(wanted); at >= 0; at = spaceless.indexOf(wanted, at + 1)) {
        const isPartOfAnother =
          /^(?:의\d|\d|\.\d|\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|제\d+[항호])/u.test(spaceless.slice(at + wanted.length)) ||
          [`부칙${wanted}`, ...longer].some((other) => spaceless.slice(0, at + wanted.length).endsWith(other));
        if (!isPartOfAnother) return true;
      }
      return false;
    })
    .map(toRef);
}
