import { type CitedLabel, type ContractDocument, findParts, labelText, readLabels } from 'agent-machines/contracts';

/** Returns the places of the contract that a question names. A bare number such as `4.02(a)` counts only if the contract has it. */
export const placesIn = (question: string, document: ContractDocument): readonly CitedLabel[] =>
  readLabels(question, { titles: [document.title], numbers: true }).filter(
    (label) => label.document === undefined && (label.heading.kind !== 'number' || findParts(document, label).found.length > 0),
  );

const spoken =
  /^(?:[은는이가을를에의로]{0,2}\s{0,2}(?:따르면|따라서?|의하면|의거(?:하면|하여)?|따른|보면))|^(?:에서는|[은는이가을를에의])?(?=[\s?!.,]|$)/u;
const according = /(?:according to|under|as per|pursuant to|what (?:is|does)|what's)\s{1,3}$/iu;

/** Splits a question into the laws and documents that it names, and the rest: `민법 제750조에 따르면 손해는?` leaves `손해는?` */
export function lawsIn(question: string, document: ContractDocument): { readonly laws: readonly string[]; readonly rest: string } {
  const cited = readLabels(question, { titles: [document.title] }).filter((label) => label.document !== undefined);
  let rest = question;
  for (const label of cited.toReversed()) {
    const law = label.document ?? '';
    const at = rest.lastIndexOf(law, label.start);
    const behind = rest.slice(label.end);
    const isInFront = at >= 0 && label.start - at - law.length <= 4;
    const named = isInFront ? 0 : /^\s(?:of|under)\s(?:the\s)?/iu.exec(behind)?.[0].length;
    const after = (isInFront || named === undefined ? behind : behind.slice(named + law.length)).replace(spoken, '');
    const before = rest
      .slice(0, isInFront ? at : label.start)
      .replace(/[「『]$/u, '')
      .replace(according, '');
    rest = `${before} ${after.replace(/^[」』]/u, '')}`;
  }
  const laws = cited.map((label) => `${label.document} ${labelText(label)}`);
  return { laws: [...new Set(laws)], rest: rest.replace(/\s+/gu, ' ').trim() };
}

/** Returns a place in the format of the tool: `5`, `10의2` and `부칙 2` for articles with such labels, otherwise as cited. */
export function placeText(label: CitedLabel): string {
  const text = labelText(label);
  if (label.path.length > 0 || label.heading.word !== '조') return text;
  return text.replace(/^부칙 제(\d+)조/u, '부칙 $1').replace(/^제(\d+)조/u, '$1');
}
