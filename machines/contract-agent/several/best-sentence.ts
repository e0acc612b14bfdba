import { contractValues, createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { isKorean, splitSentences } from 'agent-machines/search';
import { questionCoverage } from '../rules/question-coverage.ts';

/** A sentence of a contract with the label of its article. */
export interface LabelledText {
  readonly label: string;
  readonly text: string;
}

/** Wording that means the same as a word of a question without sharing it. */
export const implied: readonly (readonly [asked: RegExp, said: RegExp])[] = [
  [
    // `terminates automatically unless extended` does not renew automatically
    /(?:automatic|by itself).*(?:renew|exten)|(?:renew|exten).*(?:automatic|by itself)|(?:자동|저절로|알아서).*(?:갱신|연장)|(?:갱신|연장).*(?:자동|저절로|알아서)/iu,
    /(?:automatic|successive)\w*\W+(?:(?!unless|until)\w+\W+){0,6}?(?:renew|exten)|(?:renew|exten)\w*\W+(?:(?!unless|until)\w+\W+){0,6}?(?:automatic|successive)|(?:renew|exten).*\bunless\b.*\b(?:notice|notif|object)|\bunless\b.*\b(?:notice|notif|object).*(?:renew|exten)|(?:자동|묵시)[가-힣]*\s?(?:[가-힣\d]+\s?){0,4}(?:갱신|연장)|(?:않으면|없으면|아니하면|없는 한|않는 한|않을 경우|없을 경우|아니할 경우).*(?:갱신|연장)/iu,
  ],
  [
    /automatic|by itself|자동|저절로|알아서/iu,
    /automatic|\bunless\b.*\b(?:notice|notif|terminat|elect|object)|\bif neither\b|\bsuccessive\b|자동|(?:않으면|없으면|아니하면|없는 한|않는 한|않을 경우|없을 경우|아니할 경우).*(?:갱신|연장)|묵시/iu,
  ],
];

const worth = { place: 0.15, implied: 0.3, settles: 0.5, near: 0.25, value: 0.5, otherValue: 0.2, otherSubject: 1 } as const;

/** Returns the sentence that best answers a question: by its words, its wording, and a value of the kind that the question asks for. */
export async function bestSentence(question: string, passages: readonly LabelledText[]): Promise<LabelledText | undefined> {
  const sentences = passages.flatMap(({ label, text }, place) => sentencesOf(text).map((sentence) => ({ label, text: sentence, place })));
  if (sentences.length < 2) return sentences[0];
  const types = typesAsked(question);
  const said = implied.find(([asked]) => asked.test(question))?.[1];
  const scored = await Promise.all(
    sentences.map(async (sentence) => {
      const { text, place } = sentence;
      const values = contractValues(text);
      const stated = new Set<string>(values.map(({ type }) => type));
      const at = types.findIndex((type) => stated.has(type));
      const ofValue = at < 0 ? 0 : at === 0 ? worth.value : worth.otherValue;
      // words tell nothing across languages, so the wording decides
      const settled = isKorean(text) === isKorean(question) ? 0 : await settles(question, text);
      const score = questionCoverage(question, text) + settled + ofValue + (said?.test(text) ? worth.implied : 0);
      const less = worth.place * place + (types.length > 0 && isOfOther(question, text) ? worth.otherSubject : 0);
      return { ...sentence, score: score - less };
    }),
  );
  return scored.toSorted((one, other) => other.score - one.score)[0];
}

/** A period of a renewal or a termination, or the day of signing, is not the period or the date of something else. */
export const isOfOther = (question: string, text: string): boolean =>
  others.some(([said, asked]) => said.test(text) && !asked.test(question));
const renewal = /\b(?:re-?new\w*|exten(?:d|ds|ded|sion|sions))\b|갱신|연장/iu;
const others: readonly (readonly [said: RegExp, asked: RegExp])[] = [
  [renewal, renewal],
  [
    /\b(?:(?:is|was|are) (?:made|entered into|signed|concluded)|dated)\b|체결(?:하|한다|됨|일)/iu,
    /\b(?:made|signed?|signing|dated?|concluded|effective)\b|체결|작성|서명/iu,
  ],
  // a day before which no party may terminate is not the end of the term
  [/\bterminat|해지|해제/iu, /^(?!.*(?:(?:계약|임대차)\s?기간|\bterm\b|\bduration\b))|terminat|notice|해지|해제|통지/iu],
];

/** True if the sentence alone answers the question. */
export const answersAlone = async (question: string, text: string): Promise<boolean> => (await settles(question, text)) === worth.settles;

async function settles(question: string, text: string): Promise<number> {
  const { verdict } = (await createAnswerFinder(parseContract({ name: 'sentence', text }))).find(question);
  return verdict === 'answer' ? worth.settles : verdict === 'nearest' ? worth.near : 0;
}

/** `제3조(보증금) ①`, `Article 3. Deposit`: a heading is not the answer. */
const heading =
  /^(?:제\s?\d+\s?조(?:의\s?\d+)?\s?(?:[(（[][^)）\]\n]{0,60}[)）\]])?|[①-⑳]|(?:article|section|clause)\s[\dIVXLC.]+[.:)]?)\s*/iu;
const headingLine = /^(?:article|section|clause)?\s*[\dIVXLC]+[.:)]?\s[^.;:]{0,60}$/iu;

/** Sentences of a passage without headings. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/\n+/u)
    .filter((line) => !headingLine.test(line.trim()) || isKorean(line))
    .flatMap((line) => splitSentences(line))
    .map((sentence) => sentence.trim().replace(heading, '').replace(heading, '').trim())
    .filter((sentence) => /\p{Ll}{2}|[가-힣]{2}/u.test(sentence));

const typesOf: readonly (readonly [asked: RegExp, types: readonly string[]])[] = [
  [
    /\bnotice period|how (?:long|soon|many (?:days|months|weeks|years))|\bperiod|\bterm\b|deadline|며칠|기간|기한|몇\s?(?:일|달|개월|년|주)|언제까지|얼마나|얼마\s?동안/iu,
    ['period', 'date'],
  ],
  [/\brate\b|percent|interest|이율|이자|비율|율(?:은|이|을)|몇\s?(?:%|퍼센트|프로)/iu, ['percentage']],
  [/how much|price|fee|rent|amount|cost|deposit|cap\b|limit|얼마|금액|대금|보증금|차임|월세|한도|비용/iu, ['amount', 'percentage']],
  [/\bwhen\b|date|언제|날짜|일자/iu, ['date', 'period']],
];

export const typesAsked = (question: string): readonly string[] => typesOf.find(([pattern]) => pattern.test(question))?.[1] ?? [];

/** Returns the values of the kind that a question asks for, as written; empty if the sentence has none. */
export function valueIn(question: string, sentence: string): string {
  const values: readonly { readonly type: string; readonly written: string }[] = [
    ...contractValues(sentence),
    ...Array.from(sentence.matchAll(dayFirst), ([written]) => ({ type: 'date', written })),
  ];
  const wanted = typesAsked(question)
    .map((type) => values.filter((value) => value.type === type))
    .find((some) => some.length > 0);
  return [...new Set(wanted?.map(({ written }) => written.replace(/[,.;]$/u, '')))].slice(0, 3).join(', ');
}
const dayFirst = /\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b/gu;
