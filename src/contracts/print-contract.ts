import type { Article, ContractDocument } from './contract-document.ts';

/**
 * Prints a parsed contract as Markdown, with all headings in one form: title, chapters, articles, addenda and exhibits. Leaves out the text
 * outside them (preamble, table of contents, signatures). Parsing the result gives the same articles, except for a few whose heading was
 * recognized only by its position.
 *
 * @example printContract(parseContract({ name: 'lease.txt', text: '제1조 [목적] 이 계약은 …' })) // '# lease\n\n##### 제1조 (목적)\n\n이 계약은 …\n'
 */
export function printContract({ title, articles }: ContractDocument): string {
  const blocks = [`# ${title}`];
  let path: readonly string[] = [];
  let block = '';
  for (const [i, article] of articles.entries()) {
    if (article.part === 'body') {
      const next = article.chapter === '' ? [] : article.chapter.split(' › ');
      const same = next.findIndex((heading, at) => heading !== path[at]);
      for (const heading of same < 0 ? [] : next.slice(same)) blocks.push(`## ${heading}`);
      path = next;
    } else if (isBlock(article)) {
      block = `${article.label}${article.title === '' ? '' : ` ${article.title}`}`;
    } else if (article.chapter !== block || (article.label === '제1조' && articles[i - 1]?.label !== block && hasOwnFirst(articles, i))) {
      block = article.chapter;
      blocks.push(`## ${block}`);
    }
    blocks.push(headingOf(article));
    if (article.text !== '') blocks.push(article.text);
  }
  return `${blocks.join('\n\n')}\n`;
}

const isBlock = ({ part, label }: Pick<Article, 'part' | 'label'>): boolean =>
  part !== 'body' && !/^(?:제\d|Article |Section |Clause |\d)/.test(label);

/** Two blocks of addenda may have the same name: the second begins with its own 제1조. */
const hasOwnFirst = (articles: readonly Article[], i: number): boolean => {
  const before = articles[i - 1];
  return before !== undefined && before.part === 'addenda' && !isBlock(before);
};

function headingOf({ part, label, title }: Article): string {
  const isPart = isBlock({ part, label });
  const heading = `${isPart ? '##' : '#####'} ${label}`;
  if (title === '' || title === label) return heading;
  if (isPart && part === 'addenda') return `${heading} ${title}`;
  return /[가-힣]/.test(label) ? `${heading} ${inBrackets(title)}` : `${heading}. ${title}`;
}

const kinds = ['()', '[]', '【】'] as const;

/** Encloses a title in brackets that do not clash with its own. */
function inBrackets(title: string): string {
  const kind = kinds.find(([open = '', close = '']) => isBalanced(title, open, close)) ?? '()';
  return `${kind[0]}${title}${kind[1]}`;
}

function isBalanced(text: string, open: string, close: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === open) depth++;
    else if (character === close && --depth < 0) return false;
  }
  return depth === 0;
}
