import { type CitedLabel, findParts, labelText, readLabels } from 'agent-machines/citations';
import type { ContractDocument } from 'agent-machines/contracts';

/** The places of the contract that a question names; a number alone, `4.02(a)`, only when the contract has it. */
export const placesIn = (question: string, document: ContractDocument): readonly CitedLabel[] =>
  readLabels(question, { titles: [document.title], numbers: true }).filter(
    (label) => label.document === undefined && (label.heading.kind !== 'number' || findParts(document, label).found.length > 0),
  );

/** A place as the tool takes it: `5`, `10의2` and `부칙 2` for articles that are called so, everything else as it is cited. */
export function placeText(label: CitedLabel): string {
  const text = labelText(label);
  if (label.path.length > 0 || label.heading.word !== '조') return text;
  return text.replace(/^부칙 제(\d+)조/u, '부칙 $1').replace(/^제(\d+)조/u, '$1');
}
