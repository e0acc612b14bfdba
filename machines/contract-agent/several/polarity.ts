import { askedWords, relatedWords } from 'agent-machines/contracts';
import { isKorean } from 'agent-machines/search';
import { questionCoverage } from '../rules/question-coverage.ts';
import { implied } from './best-sentence.ts';
import { type NegativeDuty, negativeDuties, withoutDutyNouns } from './negative-duties.ts';
import * as words from './polarity-words.ts';

export type Polarity = 'yes' | 'no' | 'unclear';

/** Share of the question's subject that a sentence must name. */
const minShare = 0.75;
/** A longer quotation is the words of another text. */
const maxQuotedWords = 2;

/** Returns `yes` or `no` only for a sentence whose every word allows it. Anything that qualifies, reports or doubts is `unclear`. */
export function polarityOf(question: string, sentence: string, isSettled = false): Polarity {
  const text = unquoted(sentence);
  if (text === undefined || lacksWords(question, text)) return 'unclear';
  const duty = negativeDutyOf(question);
  if (duty) return polarityOfDuty(duty, question, text);
  if (isDenying(question)) return 'unclear';
  const subject = subjectOf(question);
  const automatic = implied[0]?.[0].test(question) ?? false;
  const plain = automatic ? withoutOptOut(text) : text;
  const markers = markersOf(plain);
  if (asksForLimit.test(question)) return polarityOfLimit(subject, plain, markers);
  if (!automatic && !(isSettled && isOneForeignWord(subject, text)) && shareOf(subject, text) < minShare) return 'unclear';
  if (automatic && !words.renewedThing.test(plain)) return 'unclear';
  const named = automatic ? `${subject} ${renewalWords}` : subject;
  if (markers.length === 0) return affirms(question, plain, automatic) && isPlain(named, plain, true) ? 'yes' : 'unclear';
  return deniesPlainly(named, plain, markers) && isDenialOf(question, plain, automatic) ? 'no' : 'unclear';
}

/** The duty to leave something undone that a question is about. */
export const negativeDutyOf = (question: string): NegativeDuty | undefined => negativeDuties.find(({ asked }) => asked.test(question));

/** The sentence without quoted terms; `undefined` if it quotes more than a term. */
function unquoted(sentence: string): string | undefined {
  const quotes = Array.from(sentence.matchAll(/["“„『「«][^"”“』」»]*["”“』」»]?|(?<!\w)[‘'][^’'\n]{8,}[’'](?!\w)/gu), ([quote]) => quote);
  if (quotes.some((quote) => quote.trim().split(/\s+/u).length > maxQuotedWords)) return undefined;
  return quotes
    .reduce((text, quote) => text.replace(quote, ' '), sentence)
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Names and figures of a question, which its answer must have: `New`, `York`, `30`. */
const particulars = (question: string): readonly string[] => [
  ...Array.from(question.matchAll(/(?<=[a-z,]\s)[A-Z][a-z]{2,}/gu), ([word]) => word),
  ...Array.from(question.matchAll(/\d+/gu), ([figure]) => figure),
];

function lacksWords(question: string, text: string): boolean {
  const lower = text.toLowerCase();
  return (
    implied.some(([asked, said]) => asked.test(question) && !said.test(text)) ||
    particulars(question).some((word) => !lower.includes(word.toLowerCase()))
  );
}

const isDenying = (question: string): boolean =>
  /\b(?:not|never|no|without|lacks?|lacking|non|un\w+ed)\b|n['’]t\b|않|없|안\s?되|안\s?돼|못\s?하|아닌|아니/iu.test(question);

const markersOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(isKorean(text) ? words.koreanMarkers : words.englishMarkers), ([marker]) => marker.toLowerCase());

function polarityOfDuty({ forbids, states }: NegativeDuty, question: string, text: string): Polarity {
  // a limit to the use adds to a duty of secrecy
  const plain = withoutDutyNouns(text).replace(/\band (?:(?:shall|will|must) )?(?:use\b|not (?:disclose|use|reveal|copy)\b).*$/iu, '');
  if (isDenying(withoutDutyNouns(question)) || isPast(plain)) return 'unclear';
  const markers = markersOf(plain);
  if (markers.length === 0) return states.test(plain) && !/\bmay\b|수\s?있/u.test(plain) ? 'yes' : 'unclear';
  return isOneDenial(plain, markers) && forbids.test(plain) ? 'yes' : 'unclear';
}

const isOneDenial = (text: string, markers: readonly string[]): boolean =>
  markers.length === 1 && (isKorean(text) ? words.koreanDenial.test(text) : words.englishDenial.test(markers[0] ?? ''));

const subjectOf = (question: string): string => {
  const rest = question.replace(words.frame, ' ').replace(limitWords, ' ').trim();
  return askedWords(rest).length === 0 ? question : rest;
};

/** Share of the asked words in a text, in any form: `assigned` is in `Assignment is allowed`. */
function shareOf(subject: string, text: string): number {
  const tokens = tokensOf(text);
  const asked = askedWords(subject);
  const isThere = (form: string): boolean =>
    tokens.some((token) => inflects(token, form) || sameStem(token, form)) || questionCoverage(form, text) === 1;
  return asked.length === 0 ? questionCoverage(subject, text) : asked.filter(({ forms }) => forms.some(isThere)).length / asked.length;
}

const tokensOf = (text: string): readonly string[] => text.split(/[\s,;:()]+|\.(?=\s|$)/u).filter((token) => token !== '');

/** Words tell nothing across languages, and a topic stands for one word. */
const isOneForeignWord = (subject: string, text: string): boolean =>
  isKorean(subject) !== isKorean(text) && askedWords(subject).length === 1;

/** A party that objects ends an automatic renewal, and does not condition it. */
const withoutOptOut = (text: string): string =>
  text
    .replace(/(?:같은|동일한)\s조건(?:으로)?|\bon the same (?:terms and )?conditions\b/iu, '')
    .replace(
      /,?\s*\bunless (?:either|any|a|one|the) (?:of the )?(?:other )?(?:part(?:y|ies)|[A-Z]\w+)(?: or the [A-Z]\w+)? (?:gives?|has given|serves?|notifies|objects|sends?|provides?|delivers?)\b(?:(?!\b(?:unless|only|if|except|but|however|never|nor|provided|and)\b)[^.;])*/u,
      '',
    )
    .replace(/\bif neither party (?:objects|gives (?:written )?notice)\b[^,.;]*,?/iu, '')
    .replace(
      /(?:[가-힣\d]+\s){0,12}?(?:이의|통지|의사표시|의사|통보|반대|거절)[가-힣]*\s?(?:[가-힣]+\s){0,3}?(?:하지\s)?(?:않으면|없으면|아니하면|없는\s한|않는\s한|아니하는\s한|(?:않|없|아니)[가-힣]{1,2}\s(?:경우|때)(?:에는|에)?),?/u,
      '',
    );

const renewalWords = 'automatic renew extend extension 자동 자동연장 자동갱신 갱신 연장';

const isPast = (text: string): boolean => /\b(?:parties|party|[A-Z][a-z]+) (?:(?:have|has) )?(?:\w+ly )?[a-z]{2,}ed\b/u.test(text);

function affirms(question: string, text: string, automatic: boolean): boolean {
  if (isPast(text)) return false;
  if (isKorean(text)) {
    if (!/[다함됨음임]\W*$/u.test(text)) return false;
    if (/수\s?있/u.test(text) && (automatic || words.asksForDuty.test(question))) return false;
  } else if (
    /\b(?:may|can)\b/iu.test(text) &&
    (automatic || words.asksForDuty.test(question) || /\bmay be (?:\w+ )?(?:agreed|decided|given|made)\b/iu.test(text))
  )
    return false;
  if (words.asksForDuty.test(question)) return words.duty.test(text);
  return automatic || !words.asksForPermission.test(question) || words.permission.test(text);
}

/** One denial, and no other word that could narrow it or that it could deny instead. */
function deniesPlainly(subject: string, text: string, markers: readonly string[]): boolean {
  if (!isOneDenial(text, markers) || /[,:]\s/u.test(text)) return false;
  const clause = text.split(/;\s/u).find((part) => markersOf(part).length > 0) ?? text;
  return isPlain(subject, clause, false);
}

/** True if each word is asked for, or leaves the statement as it is. An affirmation may have a time, a place or an amount. */
function isPlain(subject: string, text: string, isAffirmed: boolean): boolean {
  const forms = askedWords(subject).flatMap((word) => word.forms);
  const asked = [...forms, ...forms.flatMap((form) => [...relatedWords(form)])];
  const tokens = tokensOf(text.replace(/\bin whole or in part\b/iu, ' '));
  const isAsked = (token: string): boolean => asked.some((form) => inflects(token, form) || sameStem(token, form));
  if (!tokens.some(isAsked)) return false;
  const isNeutral = (token: string): boolean => isAffirmed && (words.neutralEnglish.test(token) || words.neutralKorean.test(token));
  if (isKorean(text))
    return tokens.every((token, index) => {
      const isTopic = isAffirmed && index === 0 && /[가-힣]{2,}[은는]$/u.test(token) && !asked.some((form) => token.startsWith(form));
      return isTopic || isNeutral(token) || words.plainKorean.test(token) || isAsked(token);
    });
  const denial = tokens.findIndex((token) => words.englishDenial.test(token) || /n['’]t$/iu.test(token));
  return tokens.every((token, index) => {
    const isName = /^[A-Z][A-Za-z]*(?:['’]s)?$/u.test(token) && index > 0 && (isAffirmed || index < denial);
    return index === denial || isName || isNeutral(token) || words.plainEnglish.test(token) || isAsked(token);
  });
}

const inflects = (token: string, form: string): boolean =>
  form.length > 1 && token.startsWith(form) && words.koreanInflection.test(token.slice(form.length));

/** `assign` and `assignment`, `renew` and `renewal`. */
function sameStem(token: string, form: string): boolean {
  const [one, other] = [token.toLowerCase(), form.toLowerCase()];
  const length = Math.min(one.length, other.length, 6);
  if (isKorean(form)) return false;
  return length > 3 ? one.slice(0, Math.max(4, length - 1)) === other.slice(0, Math.max(4, length - 1)) : one === other;
}

/** Acts that each party may do: what one of them may not do, the other may. */
const ofEither = /assign|terminat|transfer|cancel|rescind|양도|해지|해제/iu;
const oneParty = /^(?:the|an?) (?!agreement|lease|contract|licen[cs]e|nda|part)[A-Z]\w*|^[가-힣]{1,6}(?:은|는|이|가)\s/iu;

function isDenialOf(question: string, text: string, automatic: boolean): boolean {
  if (words.lackOfDuty.test(text)) return !automatic && (words.asksForDuty.test(question) || !words.asksForPermission.test(question));
  const [party = ''] = oneParty.exec(text) ?? [];
  const named = party.replace(/^(?:the|an?) /iu, '').replace(/(?:은|는|이|가)\s$/u, '');
  const isOfOne = party !== '' && !/당사자|쌍방|계약|양도|해지|해제/u.test(named) && !/assign|terminat|transfer|cancel/iu.test(named);
  return !(ofEither.test(question) && isOfOne && !question.toLowerCase().includes(named.toLowerCase()));
}

const limitWords = /\b(?:prohibit|forbid|ban|limit|cap|restrict|exclude)\w*|금지|제한|한도|(?<![가-힣])상한|면책/giu;
const asksForLimit =
  /\b(?:prohibit|forbid|forbidden|ban|banned|bans|limit|limits|limited|cap|caps|capped|restrict|exclude)|금지|제한|한도|(?<![가-힣])상한|면책/iu;
const limits =
  /\b(?:limited to|not exceed|no more than|at most|capped at|maximum of)\b|(?:로|에)\s?(?:제한|한정)(?:한|된)다|초과하지\s?(?:못|아니|않)|(?:한도|상한)(?:는|은|을|로|으로)\s/iu;

/** A question for a prohibition or a limit looks for what is a denial elsewhere. Nothing else answers it. */
function polarityOfLimit(subject: string, text: string, markers: readonly string[]): Polarity {
  if (shareOf(subject, text) < minShare || isPast(text) || markers.length > 2) return 'unclear';
  const isLimit =
    limits.test(text) && markers.every((marker) => /^(?:not|no|exceed\w*|limit\w*|제한|한정|초과|이내|아니|않|못)$/u.test(marker));
  if (isLimit && !/\b(?:not|no)\b.*\blimit|(?:제한|한정|한도).*(?:않|아니|없)/iu.test(text)) return 'yes';
  return !words.lackOfDuty.test(text) && deniesPlainly(subject, text, markers) ? 'yes' : 'unclear';
}
