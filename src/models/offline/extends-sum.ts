import { findTypedSum } from '../../core/arithmetic/find-expression.ts';

/** Words that change a result in any context: `더하면`, `절반`, `squared`. */
const always =
  /보다|바꾸|바꿔|\d\s?만\s?하면|\b(?:log|ln|sin|cos|tan|abs|exp)\b|\bthan\b|\bitself\b|\bpower\b|\bat\s+\$|반올림|올림|내림|버림|소수|자리|자릿|대신|말고|아니라|아닌|없이|붙이|붙여|뒤집|루트|제곱근|절댓|절대값|음수|마이너스\s*$|\bminus\s*$|진수|[가-힣]{2}\s?중에|더\s?(?:커|큰|작)|\b(?:round(?:ed)?|decimals?|digits?|instead|without|ignoring|whole number|not|but|root|negative|hundred|thousand|million|billion|dozen|twice|triple|larger|smaller|bigger|greater|fewer|quotient|convert|eat|spend|thirds?|quarters?|average|mean|sum|difference|product|binary|hex|octal)\b|(?:더하|빼|곱하|나누|제곱하|할인하|합치)(?:면|지)|제곱|절반|반으로|두\s?배|나머지|\b(?:half|halved?|doubled?|tripled?|squared?|cubed?|remainder)\b/iu;
/** Words that change a result by a number. */
const byNumber =
  /(?:더하|더해|더한|빼고|빼서|빼줘|빼\s|뺀|곱하|곱해|곱한|나누|나눠|나눈|할인|배)|[%％]|퍼센트|\b(?:plus|minus|times|add|added|subtract(?:ed)?|multipl(?:y|ied)|divided?|percent|less|off|mod(?:ulo)?)\b/iu;
const number = /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|x)\b/iu;

/** Rejected text: in `2의 결과 말고 2**10`, the part before `말고` does not count. */
const correction = /^\s*\S.*?(?:말고|아니라)\s/u;
/** A claimed result: `12*30은 360 맞아?` Matches only at the start of a number; a match from each digit would reread a long number. */
const claimedResult = /(?<![\d,.])([,.]*)\d[\d,.]*(?:(?:이|가)?\s?맞|이야|인가|인지|이지|일까)/u;

/** True if a clause continues with the result, in addition to its typed arithmetic. */
export function extendsSum(clause: string): boolean {
  const rest = (findTypedSum(clause)?.around ?? clause).replace(correction, '').replace(claimedResult, '$1');
  // another sum or number is another question, or refers to this sum
  if (rest !== clause && (findTypedSum(rest) || /\d/.test(rest))) return true;
  return always.test(rest) || (byNumber.test(rest) && number.test(rest));
}
