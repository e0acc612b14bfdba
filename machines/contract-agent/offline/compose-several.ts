import { contractValues } from 'agent-machines/contracts';
import { answersInKorean, contentWords, cutAtSentence, splitSentences } from 'agent-machines/search';
import type { ContractAgentRuleInputs } from '../rule-inputs.ts';
import { questionCoverage } from '../rules/question-coverage.ts';
import { isSmallTalk } from '../rules/scope.ts';
import { asksForCatalogue } from '../several/asks-each.ts';
import type { CollectedArticle, WordingFound } from '../state.ts';
import { nameOf } from '../tools/found-articles.ts';
import { wantsComparison } from './question.ts';

type AnswerInput = ContractAgentRuleInputs['contract_agent.generate_response'];
type Passage = WordingFound['passages'][number];

/** Number of contracts whose passages are shown. */
const maxShown = 3;
const maxChars = 700;

/** Answers a question over several contracts by quoting the best passages with the names of their contracts. */
export function composeSeveral(ruleInput: AnswerInput, talk: (question: string, korean: boolean) => string): string {
  const { input, several, count, wording, collectedInfo, previousArticles } = ruleInput;
  const korean = answersInKorean(input);
  if (isSmallTalk(input)) return talk(input, korean);
  if (asksForCatalogue(input)) return listOf(several, count, korean);
  if (wantsComparison(ruleInput))
    return korean ? '표준계약서와 비교할 계약의 이름을 말씀해 주세요.' : 'Name the contract to compare with a standard one.';
  const places = collectedInfo.filter(({ via }) => via === 'get_article_by_index');
  if (places.length > 0) return describePlaces(places, count, korean);
  if (wording === null || wording.passages.length === 0) {
    const cited = previousArticles.filter(({ deleted }) => !deleted);
    return wording === null && cited.length > 0 ? cited.map(quoteArticle).join('\n\n') : describeNothing(input, count, korean);
  }
  return describePassages(input, wording, { count, korean });
}

const listOf = (several: readonly string[], count: number, korean: boolean): string =>
  [korean ? `계약 ${count}개:` : `${count} contracts:`, ...several.map((line) => `- ${line}`)].join('\n');

function describeNothing(question: string, count: number, korean: boolean): string {
  const subject = contentWords(question);
  return korean
    ? `계약 ${count}개 어디에도 “${subject}”에 관한 내용이 없습니다.`
    : `None of the ${count} contracts says anything about “${subject}”.`;
}

function describePlaces(articles: readonly CollectedArticle[], count: number, korean: boolean): string {
  const names = new Set(articles.map(({ contract }) => contract));
  const rest = count - names.size;
  const note = korean
    ? `계약을 말씀하지 않아 ${names.size}개 계약의 조항을 보였습니다. 다른 계약의 조항은 계약의 이름과 함께 물어보세요.`
    : `You named no contract, so the place is shown in ${names.size} of ${count}. Name a contract to see its own.`;
  return [...articles.map(quoteArticle), ...(rest > 0 ? [note] : [])].join('\n\n');
}

const quoteArticle = (article: CollectedArticle): string => `${nameOf(article)}\n${quote(article.text)}`;

function describePassages(
  question: string,
  wording: WordingFound,
  { count, korean }: { readonly count: number; readonly korean: boolean },
): string {
  const { passages, verdict } = wording;
  const settled = passages.filter((passage) => passage.verdict === 'answer');
  const shown = (settled.length > 0 ? settled : passages).slice(0, maxShown);
  const others = passages.filter((passage) => !shown.includes(passage));
  const lead =
    verdict === 'answer'
      ? []
      : [
          korean
            ? `계약 ${count}개에 이 질문에 분명히 답하는 내용이 없습니다. 가장 가까운 것은 다음이며, 찾으시는 내용이 아닐 수 있습니다.`
            : `None of the ${count} contracts has anything that clearly answers this. The nearest, which may not be it:`,
        ];
  const more = others.length === 0 ? [] : [`${korean ? '그 밖에 가까운 조항' : 'Also near'}: ${others.slice(0, 5).map(nameOf).join(', ')}`];
  return [
    ...lead,
    ...differences(question, settled.slice(0, maxShown), korean),
    ...shown.flatMap((passage) => [
      `${nameOf(passage)}\n${quote(passage.text)}`,
      ...wording.joined
        .filter(({ contract, changes }) => contract === passage.contract && changes === passage.id)
        .map((exception) => `${korean ? '예외' : 'Exception'}: ${nameOf(exception)}\n${quote(exception.text)}`),
    ]),
    ...more,
  ].join('\n\n');
}

/** Says that contracts answer differently, if their best sentences have different values of one kind. */
function differences(question: string, settled: readonly Passage[], korean: boolean): readonly string[] {
  const stated = settled.map((passage) => ({ passage, values: contractValues(bestSentence(question, passage.text)) }));
  for (const type of ['period', 'amount', 'percentage', 'date'] as const) {
    const having = stated.flatMap(({ passage, values }) => {
      const own = values.filter((value) => value.type === type);
      return own.length === 0
        ? []
        : [{ name: passage.contract ?? '', key: own.map(({ text }) => text).join(), said: own.map(({ written }) => written).join(', ') }];
    });
    if (new Set(having.map(({ key }) => key)).size < 2) continue;
    const each = having.map(({ name, said }) => `${name} ${said}`).join('; ');
    return [korean ? `계약마다 다릅니다: ${each}.` : `The contracts differ: ${each}.`];
  }
  return [];
}

const bestSentence = (question: string, text: string): string =>
  text
    .split('\n')
    .flatMap((line) => splitSentences(line))
    .toSorted((one, other) => questionCoverage(question, other) - questionCoverage(question, one))[0] ?? text;

const quote = (text: string): string =>
  cutAtSentence(text, maxChars)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .map((line) => `> ${line}`)
    .join('\n');
