/** Articles and exhibits that a question names by number. */
export interface Mentions {
  /** `5`, `10의2`, `부칙 2`: in the format of the tool. */
  readonly articleNumbers: readonly string[];
  /** `별지 1`, `Exhibit A`, `특약사항`. */
  readonly exhibitNumbers: readonly string[];
}

const korean = /(부칙\s*)?(제\s*)?(\d{1,4})\s*조((?:\s*의\s*\d{1,3})*)/gu;
/** Text that may follow `5조` without a leading `제`, so that `5조원` and `3조각` name no article. */
const afterBareLabel =
  /^(?:[\s,.?!:)」'"]|$|(?:은|는|이|가|을|를|에|의|도|만|과|와|랑|및|나|내용)(?:\s|[?!.,]|$)|에서|부터|까지|이랑|이나|제?\d+항)/u;
const range = /(\d{1,4})\s*조\s*(?:부터|에서|~|-|–|내지)\s*(?:제\s*)?(\d{1,4})\s*조/gu;
const exhibits = /(별지|별표|붙임)\s*(?:제\s*)?(\d{1,3})?(?:\s*호)?/gu;
const specialTerms = /(?<![가-힣])특약(?:\s?(?:사항|조항))?(?!매입|점)/u;
const english = /\b(?:article|section|clause)s?\s+(\d{1,3}(?:\.\d{1,3})*|[ivxlc]{1,6}\b)/giu;
const englishExhibits = /\b(exhibit|schedule|annex|appendix)\s+([a-z]\b|\d{1,2})/giu;
const maxRange = 20;

/** Returns the articles and exhibits that a text names by number: `제10조의2` is not `제10조`, and `5조원` is no article. */
export function readMentions(text: string): Mentions {
  const normal = text.normalize('NFKC');
  const articleNumbers = new Set<string>();
  for (const [, from = '', to = ''] of normal.matchAll(range)) {
    const last = Math.min(Number(to), Number(from) + maxRange);
    for (let number = Number(from); number <= last; number++) articleNumbers.add(`${number}`);
  }
  for (const match of normal.matchAll(korean)) {
    const [whole, addenda = '', prefix = '', number = '', branches = ''] = match;
    const after = normal.slice(match.index + whole.length);
    if (prefix === '' && (/^\s*[원억만달각]/u.test(after) || !afterBareLabel.test(after))) continue;
    articleNumbers.add(`${addenda === '' ? '' : '부칙 '}${Number(number)}${branches.replaceAll(/\s/gu, '')}`);
  }
  for (const [, number = ''] of normal.matchAll(english)) articleNumbers.add(number.toUpperCase());
  const exhibitNumbers = new Set<string>();
  for (const [, kind = '', number = ''] of normal.matchAll(exhibits)) exhibitNumbers.add(`${kind} ${number}`.trim());
  if (specialTerms.test(normal)) exhibitNumbers.add('특약사항');
  for (const [, kind = '', number = ''] of normal.matchAll(englishExhibits)) {
    exhibitNumbers.add(`${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()} ${number.toUpperCase()}`);
  }
  return { articleNumbers: [...articleNumbers], exhibitNumbers: [...exhibitNumbers] };
}

/** True if a text names an article or an exhibit. */
export const mentionsArticle = (text: string): boolean => {
  const { articleNumbers, exhibitNumbers } = readMentions(text);
  return articleNumbers.length + exhibitNumbers.length > 0;
};
