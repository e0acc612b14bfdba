import { zoneOfPlace } from './zone-of-place.ts';

const korean =
  /^(?:(?:근데|그럼|혹시|저기|지금|오늘|현재|자|야)[\s,]*(?:이|은|의)?\s?)*(?:(?:몇\s?시|며칠|몇\s?일|몇\s?월\s?(?:며칠|몇\s?일)|무슨\s?요일|시간|시각|날짜|요일)(?:이|은|가)?\s?(?:몇\s?시|며칠|뭐|어떻게\s?돼|무슨\s?요일)?)(?:이?야|이?에요|예요|이지|지|이니|니|냐|인가요?|인지|일까요?|이죠|죠|임|요)?(?:\s?(?:지금|좀|알려|말해|가르쳐|줘|줘요|주세요|봐|알아|오늘))*[\s?!.~ㅋㅎ]*$/u;
const english =
  /^(?:(?:hey|hi|hello|please|so|and|ok|okay|tell me|do you know|can you tell me|could you tell me|what|whats|what's|what’s|the|current|exact|is)[, ]+)*(?:time|date|day|weekday)(?: of the week)?(?: is it| it is| is| do you have| today is| is today)*(?: (?:today|now|right now|please|here|currently|at the moment))*[\s?!.]*$/iu;

/** True for a sentence that only asks for the present date or time. Tolerates typing errors. */
export const asksForNow = (sentence: string): boolean => {
  const text = sentence.trim();
  return (
    text.length <= 80 && /\s|시|며칠|몇|날짜|요일/u.test(text) && (korean.test(text) || english.test(text) || english.test(mended(text)))
  );
};

const vocabulary = 'what whats time date today day the is now current right tell'.split(' ');

/** Corrects words that are one typing error away from a word of such questions. */
const mended = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[a-z]{3,}/g, (word) =>
      vocabulary.includes(word) ? word : (vocabulary.find((known) => known.length >= 3 && isSlip(word, known)) ?? word),
    );

/** True for one letter more, less or different, or two letters swapped. The first letter must match. */
function isSlip(word: string, known: string): boolean {
  if (word.charAt(0) !== known.charAt(0) || Math.abs(word.length - known.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === known[start]) start++;
  let end = 0;
  while (end < Math.min(word.length, known.length) - start && word.at(-1 - end) === known.at(-1 - end)) end++;
  const [a, b] = [word.slice(start, word.length - end), known.slice(start, known.length - end)];
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && a === [...b].reverse().join(''));
}

const anywhere =
  /(?:지금|현재)\s?(?:은\s?)?(?:몇\s?시|시[간각])|오늘\S{0,20}\s{0,3}(?:날짜|며칠|무슨\s?요일|몇\s?[월일])|\bwhat (?:time|day|date) is it\b|\btoday['’]?s date\b|\bcurrent (?:time|date)\b/iu;
const aboutTime =
  /(?:오늘|내일|모레|지금|현재)\S*|(?:한국|서울)(?:은|이|에서)?|시[간각]\S*|날짜\S*|요일\S*|몇\s?[시월일]\S*|무슨|며칠\S*|알려\S*|말해\S*|what|time|day|date|today|tomorrow|now|is|it|the/giu;

/** Another time or place. */
const elsewhere = /\d\s?(?:시간|분|초|일|주)\s?(?:뒤|후|전|이후)|\b(?:in|at) \p{L}{3,}|\b(?:in|after) \d|\b(?:later|ago|from now)\b/iu;

/** True for a question about another place, such as `LA 지금 몇 시임?`. The question is unclear, but it is not for the local time. */
const namesPlace = (clause: string): boolean =>
  clause
    .split(/[\s,?!.]+/u)
    .some((word) => zoneOfPlace(word.replace(/(?:은|는|이|의|에서|에)$/u, '')) !== undefined && !/^(?:한국|서울)/u.test(word));

/** True for a clause that asks for the present date or time: `몇 시야?`, but not `몇 시에 출근해?` or `회의는 몇 시야?` */
export const asksForNowIn = (clause: string): boolean =>
  !elsewhere.test(clause) &&
  !namesPlace(clause) &&
  (anywhere.test(clause) ||
    (!/[\p{L}\p{N}]{2,}/u.test(clause.replaceAll(aboutTime, ' ').replace(/줘|주세요/gu, ' ')) &&
      !/몇\s?시(?:에|까지|부터|간)/u.test(clause)));
