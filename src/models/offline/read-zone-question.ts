import { localDatetime } from '../../core/util/local-datetime.ts';
import type { Now } from './parse-now.ts';
import { plainQuestion } from './plain-question.ts';
import { type SentencePattern, sentencePattern } from './sentence-pattern.ts';
import { type PlaceZone, zoneOfPlace } from './zone-of-place.ts';

/** A question about the clocks of a place. */
export type ZoneQuestion =
  /** A question for the current time there, for the datetime tool. */
  | { readonly kind: 'time'; readonly zone: string }
  /** The answer, or the reason for none. */
  | { readonly kind: 'answer'; readonly answer: string };

const place = "([\\p{L}][\\p{L}_/.,' -]{0,38}?)";
const askedKo =
  '(?:지금\\s?|현재\\s?)?(?:몇\\s?시(?:쯤|정도)?|시간(?:이|은)?(?:\\s?(?:몇\\s?시|어떻게\\s?돼|뭐))?|시각(?:이|은)?|현지\\s?(?:시간|시각))';
const endKo =
  '(?:이?야|임|냐|에요|예요|이지|지|이니|니|인가요?|인지|일까요?|입니까|되나요?|돼)?(?:\\s?(?:지금|좀|알려|말해|가르쳐|줘|줘요|주세요|봐))*';
const startEn = '(?:(?:so|and|hey|hi|hello|please|ok|okay|tell me|do you know|can you tell me|could you tell me|show me|give me)[, ]+)*';
const endEn = '(?: (?:now|right now|at the moment|currently|today|please|time))*';

const time: readonly SentencePattern[] = [
  sentencePattern(
    '시',
    `^(?:(?:그럼|그러면|혹시|지금|현재|그리고|근데)\\s)*${place}(?:은|는|이|가|의|에서는|에서|에는|에)?\\s?${askedKo}${endKo}$`,
    'iu',
  ),
  sentencePattern(
    '(?:time|clock|date|day).* (?:in|at|for) ',
    `^${startEn}(?:what(?:'s|’s|s| is)? )?(?:the )?(?:current |local |exact )?(?:time|clock|date|day)(?: is it| is)?(?: right now| now| currently)? (?:in|at|for) ${place}${endEn}$`,
    'iu',
  ),
  sentencePattern(
    ' time',
    `^${startEn}(?:what(?:'s|’s|s| is)? )?(?:the )?(?:current )?${place} (?:local )?time(?: now| right now)?$`,
    'iu',
  ),
];
const difference: readonly SentencePattern[] = [
  sentencePattern(
    '시',
    `^${place}(?:와|과|이랑|랑|하고)\\s?${place}(?:은|는|의|이)?\\s?(?:몇\\s?시간\\s?(?:차이|차)|시차|시간\\s?차이)(?:는|가|은|이)?(?:\\s?(?:나|있|얼마나|얼마|몇\\s?시간|어떻게|돼|되)(?:아|어|나|니|요|지|야|나요|돼)?)*${endKo}$`,
    'iu',
  ),
  sentencePattern(
    'time difference',
    `^${startEn}(?:what(?:'s|’s|s| is)? )?(?:the )?time difference (?:between|of) ${place} and ${place}$`,
    'iu',
  ),
  sentencePattern('how many hours', `^${startEn}how many hours (?:are )?(?:between|apart are) ${place} and ${place}$`, 'iu'),
];

const spans: readonly RegExp[] = [
  /^(?:(?:그럼|혹시|지금|지금부터|현재|앞으로)\s?)*(?:(\d{1,4})\s?시간)?(\s?반)?(?:\s?(\d{1,4})\s?분)?\s?(뒤|후|이후|지나면|있으면|전)(?:은|는|이|가|에는|에)?\s?몇\s?시/u,
  /^(?:what time (?:is it|will it be|was it|would it be) |what(?:'s|’s| is) the time )(?:in )?(?:(\d{1,4}) hours?)?( and a half)?(?:(?: and)? ?(\d{1,4}) minutes?)?( from now| later| ago)?$/iu,
];

function tellLater(text: string, { epochMs, zone }: Pick<Now, 'epochMs' | 'zone'>, korean: boolean): string | undefined {
  for (const pattern of spans) {
    const [whole, hours = '', half = '', minutes = '', side = ''] = pattern.exec(text) ?? [];
    if (whole === undefined || (hours === '' && minutes === '')) continue;
    const span = Number(hours) * 60 + (half === '' ? 0 : 30) + Number(minutes);
    const { date, time } = localDatetime(epochMs + (/전|ago/u.test(side) ? -1 : 1) * span * 60_000, zone);
    return korean ? `${date} ${time.slice(0, 5)}입니다 (${zone}).` : `It is ${time.slice(0, 5)} on ${date} then (${zone}).`;
  }
  return undefined;
}

const notPlaces =
  /^(?:지금|현재|오늘|내일|어제|회의|수업|약속|몇|what|is|it|the|my|our|your|this|that|local|current|right|now|what is the|what is|a|an|bed|lunch|dinner|any|some|meeting)$|\b(?:my|our|your|meeting|class|flight|train)\b|회의|수업|약속|출근|퇴근|점심|저녁|기차|비행기|영화|마감|사내|우리|내\s/iu;

const maxChars = 100;

/**
 * Reads a question about the time in a place. Returns `undefined` for other sentences. Never answers a question about an unknown place with
 * the time of another.
 *
 * @param now the current moment, and the zone of the user
 */
export function readZoneQuestion(sentence: string, now: Pick<Now, 'epochMs' | 'zone'>, korean: boolean): ZoneQuestion | undefined {
  const { epochMs } = now;
  if (sentence.length > maxChars) return undefined;
  const text = plainQuestion(sentence);
  const later = tellLater(text, now, korean);
  if (later !== undefined) return { kind: 'answer', answer: later };
  for (const pattern of difference) {
    const [, first = '', second = ''] = pattern.exec(text) ?? [];
    if (first !== '') return { kind: 'answer', answer: differenceOf(first, second, epochMs, korean) };
  }
  for (const pattern of time) {
    const name = pattern.exec(text)?.[1];
    if (name === undefined || notPlaces.test(name)) continue;
    const found = zoneOfPlace(name);
    if (found && 'zone' in found) return { kind: 'time', zone: found.zone };
    if (found || isNamed(text, name)) return { kind: 'answer', answer: sayUnknown(name, found, korean) };
  }
  return undefined;
}

/** True for a capitalized name, or one after `in`: it may be a place. */
const isNamed = (text: string, name: string): boolean =>
  /^\p{Lu}/u.test(name) || new RegExp(`\\bin ${name.replace(/[.*+?^$()[\]{}|\\\\]/g, '\\$&')}`, 'iu').test(text) || /지금|현재/u.test(text);

function sayUnknown(name: string, found: PlaceZone | undefined, korean: boolean): string {
  if (found && 'cities' in found)
    return korean
      ? `${name}에는 시간대가 여럿이어서 한 가지로 말할 수 없습니다. 도시를 말씀해 주세요 (예: ${found.cities}).`
      : `${name} has several time zones, so this cannot be said in one way. Name a city, for example ${found.cities}.`;
  return korean
    ? `“${name}”의 시간대는 알 수 없습니다. 다른 도시나 IANA 이름(예: Europe/Paris)을 말씀해 주세요.`
    : `The time zone of “${name}” cannot be told. Name another city, or an IANA name such as Europe/Paris.`;
}

function differenceOf(first: string, second: string, epochMs: number, korean: boolean): string {
  const [a, b] = [zoneOfPlace(first), zoneOfPlace(second)];
  if (!a || !('zone' in a)) return sayUnknown(first, a, korean);
  if (!b || !('zone' in b)) return sayUnknown(second, b, korean);
  const minutes = offsetMinutes(epochMs, a.zone) - offsetMinutes(epochMs, b.zone);
  const span = spanOf(Math.abs(minutes), korean);
  if (minutes === 0)
    return korean
      ? `${first}${endsOpen(first) ? '와' : '과'} ${second}의 시각은 지금 같습니다.`
      : `${first} and ${second} have the same time now.`;
  const [ahead, behind] = minutes > 0 ? [first, second] : [second, first];
  return korean
    ? `지금 ${ahead}${endsOpen(ahead) ? '가' : '이'} ${behind}보다 ${span} 빠릅니다.`
    : `${ahead} is ${span} ahead of ${behind} now.`;
}

/** True for a Korean word without a final consonant. */
const endsOpen = (word: string): boolean => (word.charCodeAt(word.length - 1) - 0xac00) % 28 === 0 || !/[가-힣]$/.test(word);

function spanOf(minutes: number, korean: boolean): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (korean) return `${hours}시간${rest === 0 ? '' : ` ${rest}분`}`;
  return `${hours} ${hours === 1 ? 'hour' : 'hours'}${rest === 0 ? '' : ` and ${rest} minutes`}`;
}

function offsetMinutes(epochMs: number, zone: string): number {
  const { iso } = localDatetime(epochMs, zone);
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(iso.slice('YYYY-MM-DDTHH:MM:SS'.length)) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}
