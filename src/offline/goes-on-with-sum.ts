import { findTypedSum } from '../tools/find-expression.ts';

/** What changes a result whatever else is said: `더하면`, `절반`, `squared`. */
const always =
  /(?:더하|빼|곱하|나누|제곱하|할인하|합치)(?:면|지)|제곱|절반|반으로|두\s?배|나머지|\b(?:half|halved?|doubled?|tripled?|squared?|cubed?|remainder)\b/iu;
/** What changes it by a number. */
const byNumber =
  /(?:더하|더해|더한|빼고|빼서|빼줘|빼\s|뺀|곱하|곱해|곱한|나누|나눠|나눈|할인|배)|[%％]|퍼센트|\b(?:plus|minus|times|add|added|subtract(?:ed)?|multipl(?:y|ied)|divided?|percent|less|off|mod(?:ulo)?)\b/iu;
const number = /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|x)\b/iu;

/** Whether a clause, beside the arithmetic that is typed in it, says what more is to be done with the result. */
export function goesOnWithSum(clause: string): boolean {
  const rest = findTypedSum(clause)?.around ?? clause;
  return always.test(rest) || (byNumber.test(rest) && number.test(rest));
}
