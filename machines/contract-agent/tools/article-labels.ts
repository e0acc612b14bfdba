import { type Article, type CitedLabel, type ContractDocument, readLabels } from 'agent-machines/contracts';

/** Normalizes a label: without spaces, `제…조` and the word `Article` or `Section`. */
function bare(label: string): string {
  return label
    .normalize('NFKC')
    .replaceAll(/\s+/gu, '')
    .replace(/^(?:article|section|clause)/iu, '')
    .replace(/^제?(\d+)조/u, '$1')
    .toLowerCase();
}

/** Returns all articles of the body with a number, duplicates included; for `부칙 2`, the articles of the addenda. */
export function articlesByNumber({ articles }: ContractDocument, number: string): readonly Article[] {
  const addenda = /^\s*부칙/u.test(number);
  const wanted = bare(number.replace(/^\s*부칙\s*/u, ''));
  return articles.filter(({ part, label }) => {
    if (addenda) return part === 'addenda' && (wanted === '' || bare(label) === wanted);
    return part === 'body' && bare(label) === wanted;
  });
}

/** Returns exhibits: `별지 1`, `별지 제1호`, `[별지 1]`. Without a number, returns all of the kind. */
export function exhibitsByNumber({ articles }: ContractDocument, number: string): readonly Article[] {
  const spelling = (label: string): string =>
    label
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[\s[\]()<>「」]/gu, '')
      .replaceAll(/제(?=\d)|호(?:서식)?$/gu, '');
  const wanted = spelling(number);
  const exact = articles.filter(({ part, label }) => part === 'exhibit' && spelling(label) === wanted);
  if (exact.length > 0) return exact;
  return articles.filter(
    ({ part, label }) =>
      part === 'exhibit' &&
      (/^\d+$/.test(wanted) ? spelling(label).replace(/^\D+/u, '') === wanted : spelling(label).replace(/\d+$/u, '') === wanted),
  );
}

/** Parses a number or label from a tool's arguments: `5`, `10의2`, `IV`, `부칙 2`, `7조 3항`, `Section 4.02(a)`. */
export function labelsOfNumber(number: string): readonly CitedLabel[] {
  const plain = number.normalize('NFKC').trim();
  const [, addenda, main] = /^(부칙\s*)?(\d+(?:\s*의\s*\d+)*)$/u.exec(plain) ?? [];
  if (main !== undefined) return readLabels(`${addenda ?? ''}제${main.replace(/^(\d+)/u, '$1조')}`);
  return readLabels(/^(?:[ivxlc]+|\d+(?:\.\d+)+.*|\d+\(.*)$/iu.test(plain) ? `Section ${plain}` : plain, { numbers: true });
}

/** Normalizes a title: without spaces, brackets and case. */
const spellingOfTitle = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s()[\]「」『』"'“”‘’·ㆍ,.]/gu, '');

/**
 * Returns the articles with exactly that title, or the parts with that label, such as `Preamble`. Otherwise, returns the articles whose
 * title contains it.
 */
export function articlesByTitle({ articles, parts }: ContractDocument, title: string): readonly Article[] {
  const wanted = spellingOfTitle(title);
  if (wanted === '') return [];
  const titled = articles.filter((article) => article.title !== '');
  const exact = titled.filter((article) => spellingOfTitle(article.title) === wanted);
  const labelled = exact.length > 0 ? [] : parts.filter(({ label }) => spellingOfTitle(label) === wanted);
  if (labelled.length > 0) return labelled;
  return exact.length > 0 ? exact : titled.filter((article) => wanted.length >= 2 && spellingOfTitle(article.title).includes(wanted));
}

/** Returns the articles whose whole title occurs in a question. */
export function titlesIn({ articles }: ContractDocument, question: string): readonly Article[] {
  const text = spellingOfTitle(question);
  const named = articles.filter(
    ({ title, part }) => part === 'body' && spellingOfTitle(title).length >= 2 && text.includes(spellingOfTitle(title)),
  );
  // `손해배상의 한도` names one article and not also `손해배상`
  return named.filter(
    (article) =>
      !named.some(
        (other) =>
          other !== article &&
          spellingOfTitle(other.title).includes(spellingOfTitle(article.title)) &&
          other.title.length > article.title.length,
      ),
  );
}
