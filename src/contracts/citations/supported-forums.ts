import { isKorean } from '../../core/text/is-korean.ts';
import { bareText } from '../../core/text/quotes.ts';

const koreanCourt = /[가-힣]{2,8}\s?(?:지방|고등|가정|행정|회생|중앙)\s?법원|(?<![가-힣])[가-힣]{2,4}(?:지법|고법)/gu;
const koreanLand =
  /(?<![가-힣])(대한민국|한국|미국|일본|중국|영국|독일|프랑스|싱가포르|홍콩|베트남|캐나다|호주|스위스|캘리포니아|뉴욕|델라웨어)(?=\s?(?:주\s?)?(?:의\s)?(?:법|민법|상법|법률|법령|법원)(?:[은이을의과에]|원|률|령|\s|[.,)]|$))/gu;
const name = String.raw`[A-Z][\p{L}’'-]+(?:\s(?:and\s)?[A-Z][\p{L}’'-]+){0,3}`;
const english = new RegExp(
  String.raw`\b(?:courts?|laws?|arbitrat\w+|tribunals?)\s(?:sitting\s|located\s)?(?:of|in|at)\s(?:the\s)?(?:(?:State|Commonwealth|Republic|Province|Kingdom|County|City)\sof\s)?(?<behind>${name})|\b(?<before>${name})\s(?:law|courts?)\b`,
  'gu',
);
/** Words that begin a sentence or name no place. */
const general =
  /^(?:The|This|That|These|Those|Under|No|Any|All|Each|Such|Which|What|Governing|Applicable|Common|Contract|Local|State|Federal|Section|Article|If|Both|Its?|By|In|As)$/u;

/** Lands whose adjective begins otherwise; `English` and `England` begin alike. */
const lands: Readonly<Record<string, string>> = {
  Irish: 'Ireland',
  Welsh: 'Wales',
  Dutch: 'Netherlands',
  French: 'France',
  Spanish: 'Spain',
  Danish: 'Denmark',
  Swiss: 'Switzerland',
  Polish: 'Poland',
};

const isIn = (whole: string, word: string): boolean => {
  const land = bareText(lands[word] ?? word);
  return whole.includes(land.slice(0, Math.max(4, land.length - 3)));
};

/** Returns the courts and the laws of a land or place that an answer names, and that no source names. */
export function unsupportedForums(answer: string, sources: readonly string[]): readonly string[] {
  const whole = bareText(sources.join('\n'));
  const found = Array.from(answer.matchAll(english), ({ 0: all, groups }) => ({
    all,
    words: (groups?.behind ?? groups?.before ?? '').split(/\s/u),
  }))
    .map(({ all, words }) => ({ all, words: words.filter((word) => !general.test(word) && word !== 'and') }))
    .filter(({ words }) => words.length > 0 && !words.some((word) => isIn(whole, word)));
  const korean = isKorean(whole)
    ? [...answer.matchAll(koreanCourt), ...answer.matchAll(koreanLand)]
        .map(([all]) => all)
        .filter(
          (all) =>
            ![bareText(all).replace(/(지|고)법$/u, '$1'), ...(/한국/u.test(all) ? ['대한민국'] : [])].some((one) => whole.includes(one)),
        )
    : [];
  return [...new Set([...found.map(({ all }) => all), ...korean])];
}
