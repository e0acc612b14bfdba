import type { ContractDate, ContractFacts, ContractParty } from 'agent-machines/contracts';
import { answersInKorean } from 'agent-machines/search';

/** A question about the contract's own facts. */
export type FactQuestion = 'parties' | 'signed' | 'effective' | 'amount';

const patterns: readonly (readonly [FactQuestion, RegExp])[] = [
  [
    'parties',
    /당사자(?:들)?(?:가|는|은|이)?\s*(?:누구|어디|어떻게|뭐|이름|알려|말해|보여|[?？.!]|$)|계약\s?당사자|(?:누구|누가)(?:와|랑|하고|끼리)?\s*(?:누구\S*\s*)?(?:사이|간|맺|체결|계약)|(?:갑|을|임대인|임차인|매도인|매수인)(?:은|는|이|가)\s*(?:누구|어디|어느)|\b(?:who|which)\b.{0,20}\b(?:part(?:y|ies)|signator(?:y|ies))\b|\bparties to\b|\bwho (?:signed|made|entered|executed)\b|\bbetween (?:whom|who)\b|^\s*(?:the )?parties\s*\??$/iu,
  ],
  [
    'effective',
    /\beffective date\b|\b(?:take|takes|took) effect\b|\b(?:become|becomes|became) effective\b|\bwhen\b.{0,40}\b(?:commence|in force|effective)\b|효력\s*(?:발생)?\s*(?:일|날짜|시점|은|이|은\s*언제)|발효|언제부터\s*효력/iu,
  ],
  [
    'signed',
    /\bwhen (?:was|were|is|did)\b.{0,40}\b(?:signed|sign|made|executed|dated|entered|concluded)\b|\b(?:signing|execution|signature) date\b|\bdate of (?:the |this )?(?:agreement|contract|signing|signature|execution)\b|(?:체결|서명|작성|계약)\s?(?:일|일자|날짜)(?:은|는|이|가)?\s*(?:언제|며칠|뭐|알려|[?？.!]|$)|언제\s*(?:체결|서명|작성|계약을?\s?(?:했|맺|한))/iu,
  ],
  [
    'amount',
    /(?:총|전체|합계)\s?(?:계약\s?)?(?:금액|대금|액수|액|가격|비용)|계약\s?총액|\btotal (?:contract |purchase )?(?:amount|price|fee|fees|value|consideration|sum)\b|\b(?:contract|purchase) (?:price|sum|value|amount)\b/iu,
  ],
];

/** Returns the fact that a question asks for; `undefined` for any other question. */
export const factQuestion = (question: string): FactQuestion | undefined => patterns.find(([, pattern]) => pattern.test(question))?.[0];

/** Returns the ids of the parts that state the fact. */
export function partsOfFacts(question: FactQuestion, { parties, dates, amounts }: ContractFacts): readonly string[] {
  const found = question === 'parties' ? parties : question === 'amount' ? amounts : dates.filter(({ kind }) => kind === question);
  return [...new Set(found.map(({ partId }) => partId))];
}

/** Answers with the contract's own words from its preamble, signatures and definitions; `undefined` if they do not state the fact. */
export function answerFacts(question: string, facts: ContractFacts, labelOf: (partId: string) => string): string | undefined {
  const asked = factQuestion(question);
  if (asked === undefined) return undefined;
  const korean = answersInKorean(question);
  const lines =
    asked === 'parties'
      ? facts.parties.map((party) => describeParty(party, korean))
      : asked === 'amount'
        ? facts.amounts.map(({ text }) => (/_{2}|금[ _]+원/.test(text) ? leftBlank(korean) : text))
        : [...new Set(facts.dates.filter(({ kind }) => kind === asked).map((date) => describeDate(date, korean)))];
  const sources =
    asked === 'parties' ? facts.parties : asked === 'amount' ? facts.amounts : facts.dates.filter(({ kind }) => kind === asked);
  if (lines.length === 0) return undefined;
  const quotes = [...new Map(sources.map(({ quote, partId }) => [quote, `${labelOf(partId)}\n> ${quote}`])).values()].slice(0, 4);
  return [`${titles[asked][korean ? 1 : 0]}\n${lines.map((line) => `- ${line}`).join('\n')}`, ...quotes].join('\n\n');
}

const titles: Readonly<Record<FactQuestion, readonly [string, string]>> = {
  parties: ['The parties:', '당사자:'],
  signed: ['Signed, or dated:', '체결일 또는 작성일:'],
  effective: ['Takes effect:', '효력 발생일:'],
  amount: ['Amounts that are called a total or the price:', '총액 또는 계약금액으로 적힌 금액:'],
};

const leftBlank = (korean: boolean): string =>
  korean ? '비어 있습니다. 이 문서로는 알 수 없습니다.' : 'left blank; this document does not say it.';

function describeParty({ name, role }: ContractParty, korean: boolean): string {
  if (name === undefined) return `${role === undefined ? '' : `${role}: `}${leftBlank(korean)}`;
  return role === undefined ? name : `${role}: ${name}`;
}

const describeDate = ({ date, text }: ContractDate, korean: boolean): string =>
  date ?? (/_|\[|\s{2}/.test(text) ? `${text.replace(/\s+/g, ' ')} (${leftBlank(korean)})` : text);
