import { questionCoverage } from '../rules/question-coverage.ts';
import { isOfOther, type LabelledText, sentencesOf, valueIn } from './best-sentence.ts';

/** A longer stretch between two values is about something else. */
const maxStretch = 600;

/** Returns the values of a sentence, and those of other parties beside it if they differ, with the words of the contract that have them. */
export function valuesOfParties(
  question: string,
  best: LabelledText,
  passages: readonly LabelledText[],
): { readonly value: string; readonly quote: string } {
  const own = { value: valueIn(question, best.text), quote: best.text };
  const passage = passages.find(({ label, text }) => label === best.label && text.includes(best.text));
  const party = partyOf(best.text);
  if (own.value === '' || !passage || party === undefined) return own;
  const share = questionCoverage(question, best.text);
  const same = sentencesOf(passage.text)
    .map((text) => ({ text, party: partyOf(text), value: valueIn(question, text) }))
    .filter((each) => each.value !== '' && each.party !== undefined && questionCoverage(question, each.text) >= share)
    .filter(({ text }) => !isOfOther(question, text));
  const first = same[0];
  const last = same.at(-1);
  if (!first || !last || new Set(same.map((each) => each.party)).size < 2 || new Set(same.map(({ value }) => value)).size < 2) return own;
  const start = passage.text.indexOf(first.text);
  const quote = passage.text.slice(start, passage.text.indexOf(last.text, start) + last.text.length);
  if (start < 0 || quote.length > maxStretch) return own;
  return { value: same.map((each) => `${each.party}: ${each.value}`).join('; '), quote };
}

const partyOf = (text: string): string | undefined =>
  /^(?:the )?([A-Z][A-Za-z]+) (?:may|shall|must|can|will|has|is)\b/u.exec(text.replace(/^The /u, 'the '))?.[1] ??
  /^([가-힣]{1,8}?)(?:은|는|이|가)\s/u.exec(text)?.[1];
