import type { Article, ContractDocument, ContractItem } from '../contract-document.ts';
import { headingOf, type LabelHeading, numberOf } from './label-heading.ts';
import { type CitedLabel, type LabelStep, labelText } from './read-labels.ts';

/** A place in a contract: an article, or a paragraph or item of one. */
export interface FoundPart {
  readonly article: Article;
  /** The article's `id`, followed by the path to the paragraph: `body/제7조 제3항`. */
  readonly id: string;
  /** The label for a citation: `제7조 제3항`, `Section 4.2(a)`, `부칙 제2조`. */
  readonly label: string;
  /** The whole article with its nested articles, or the paragraph with everything below it, as written. */
  readonly text: string;
}

/** The result for a label. */
export interface PartLookup {
  /** All places with this label, if it occurs more than once. Empty if there is none. */
  readonly found: readonly FoundPart[];
  /** The articles that exist, even if the paragraph does not. */
  readonly articles: readonly Article[];
}

/**
 * Finds the exact part of a contract that a label names: the paragraph, not its article. `Section 4` finds `Article 4` in a contract with
 * that naming, and `4.02` finds paragraph 4.2 of `Article 4`.
 *
 * @example findParts(contract, readLabels('제7조 제3항')[0]).found[0].text // '③ …'
 */
export function findParts(document: ContractDocument, label: Pick<CitedLabel, 'heading' | 'path' | 'within'>): PartLookup {
  const articles = articlesOf(document, label);
  if (articles.length > 0) {
    const found = articles.flatMap((article) => {
      const nodes = isTitle(article, label.path) ? [] : walk({ paragraphs: article.paragraphs, items: article.items }, label.path);
      return nodes === undefined ? [] : [foundPart(document, article, { label, node: nodes })];
    });
    return { found, articles };
  }
  return inDivisions(document, label);
}

/** True for a title in brackets that reads like a step, as in `Article 5 (IT)`. */
const isTitle = ({ title }: Article, path: readonly LabelStep[]): boolean =>
  path.length === 1 && path[0]?.kind === '()' && path[0].value === title.toLowerCase();

/** Returns the articles and exhibits with a heading. */
function articlesOf(document: ContractDocument, { heading, within }: Pick<CitedLabel, 'heading' | 'within'>): readonly Article[] {
  const { articles } = document;
  if (heading.kind === 'exhibit') return exhibitsOf(articles, heading);
  if (heading.kind === 'addenda') return articles.filter(({ part }) => part === 'addenda');
  const outers = within === undefined || within.kind === 'addenda' ? [] : articlesOf(document, { heading: within });
  const candidates = articles.filter(({ part, parentId }) => {
    if (within?.kind === 'addenda') return part === 'addenda';
    if (within) return outers.some(({ id }) => id === parentId);
    return part === 'body';
  });
  const same = candidates.filter((article) => headingOf(article.label, article.part)?.number === heading.number);
  const exact = same.filter((article) => headingOf(article.label, article.part)?.word === heading.word);
  return exact.length > 0 ? exact : same;
}

function exhibitsOf(articles: readonly Article[], { word, number }: LabelHeading): readonly Article[] {
  const exhibits = articles.filter(({ part, parentId }) => part === 'exhibit' && parentId === undefined);
  const ofWord = exhibits.filter((article) => headingOf(article.label, article.part)?.word === word);
  if (number === '') return ofWord;
  const exact = ofWord.filter((article) => exhibitNumberOf(article) === number);
  if (exact.length > 0) return exact;
  // a single exhibit needs no number
  const [only] = ofWord;
  return only && ofWord.length === 1 && exhibitNumberOf(only) === '' && number === '1' ? [only] : [];
}

/** Reads `Exhibit C` as a letter. */
const exhibitNumberOf = ({ label }: Article): string => {
  const written = label.replace(/^(?:[가-힣]+|[A-Za-z]+)\s*/u, '');
  return /^[A-Z]$/u.test(written) ? written : numberOf(written);
};

interface Divisions {
  readonly paragraphs: readonly Node[];
  readonly items: readonly Node[];
}

type Node = Pick<ContractItem, 'label' | 'text' | 'start' | 'end'> & {
  readonly items?: readonly ContractItem[];
  readonly subItems?: readonly ContractItem[];
};

const childrenOf = ({ items, subItems }: Node): readonly Node[] => items ?? subItems ?? [];

/** Returns the path through paragraphs and items, or `undefined` if a step does not exist. Empty for the article itself. */
function walk({ paragraphs, items }: Divisions, path: readonly LabelStep[]): readonly Node[] | undefined {
  const way: Node[] = [];
  let nodes = [...paragraphs, ...items];
  for (const step of path) {
    let next = nodes.filter(({ label }) => isStep(label, step));
    if (next.length === 0 && step.kind === '호' && way.length === 0) {
      // 제5조 제2호, if only one paragraph has items or has that item
      const below = paragraphs.flatMap((paragraph) =>
        childrenOf(paragraph)
          .filter(({ label }) => isStep(label, step))
          .map((node) => ({ paragraph, node })),
      );
      const [only] = below;
      if (only && below.length === 1) {
        way.push(only.paragraph);
        next = [only.node];
      }
    }
    const [node] = next;
    if (!node) return undefined;
    way.push(node);
    nodes = [...childrenOf(node)];
  }
  return way;
}

const circled = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';

/** Returns the plain number or letter of a division's label: `①`, `제1항`, `(1)`, `1.` are 1. */
function divisionValue(label: string): string {
  const at = circled.indexOf(label);
  if (at >= 0) return String(at + 1);
  return numberlike(label.normalize('NFKC').replace(/^제|항$|[().\s]/gu, (mark) => (mark === '.' ? '.' : '')));
}

const numberlike = (plain: string): string =>
  plain
    .replace(/\.$/u, '')
    .replace(/의/gu, '.')
    .split('.')
    .map((part) => (/^\d+$/u.test(part) ? String(Number(part)) : part.toLowerCase()))
    .join('.');

function isStep(label: string, { kind, value }: LabelStep): boolean {
  if (kind === '호' && /^[①-⑳]|항$/u.test(label)) return false;
  const plain = divisionValue(label);
  if (plain === value) return kind !== '목' || /^[가-하]/u.test(plain);
  // Article 5 contains `5.1` as 5.1, and citations call it paragraph 1
  return kind === '항' && /^\d+\.\d+$/u.test(plain) && plain.endsWith(`.${value}`);
}

/** Finds `Section 4.02` as a paragraph of Article 4, and `4.2.1` inside its paragraph 4.2. */
function inDivisions(document: ContractDocument, label: Pick<CitedLabel, 'heading' | 'path' | 'within'>): PartLookup {
  const { heading, within } = label;
  const [first = '', ...rest] = heading.number.split('.');
  if (rest.length === 0 || heading.kind === 'exhibit' || heading.word === '조') return { found: [], articles: [] };
  const outers = articlesOf(document, { heading: { ...heading, word: '', number: first }, ...(within ? { within } : {}) });
  const found = outers.flatMap((article) => {
    const node = nodesOf(article).find((one) => divisionValue(one.label) === heading.number);
    const below = node && walk({ paragraphs: [], items: [...childrenOf(node)] as ContractItem[] }, label.path);
    return node && below ? [foundPart(document, article, { label, node: [node, ...below] })] : [];
  });
  return { found, articles: outers };
}

function nodesOf(article: Article): readonly Node[] {
  const all: Node[] = [];
  const add = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      all.push(node);
      add(childrenOf(node));
    }
  };
  add([...article.paragraphs, ...article.items]);
  return all;
}

function foundPart(
  document: ContractDocument,
  article: Article,
  { label, node }: { readonly label: Pick<CitedLabel, 'heading' | 'path' | 'within'>; readonly node: readonly Node[] },
): FoundPart {
  const own = citableLabel(document, article);
  const last = node.at(-1);
  if (!last) return { article, id: article.id, label: own, text: wholeText(document, article) };
  const isNumbered =
    label.heading.number.includes('.') &&
    label.heading.word !== '조' &&
    headingOf(article.label, article.part)?.number !== label.heading.number;
  const below = labelText({ heading: { kind: 'number', word: '', number: '' }, path: label.path }).trim();
  const name = isNumbered ? `Section ${label.heading.number}${below}` : /^\(/u.test(below) ? own + below : `${own} ${below}`;
  return {
    article,
    id: `${article.id} ${isNumbered ? label.heading.number : ''}${below}`.trim(),
    label: name,
    text: article.text.slice(last.start, last.end).trim(),
  };
}

/** Returns a label that cannot be mistaken for one of the body: `부칙 제2조`, `Exhibit A, Article 2`. */
export function citableLabel({ articles }: Pick<ContractDocument, 'articles'>, { part, label, parentId }: Article): string {
  if (part === 'addenda' && label !== '부칙') return `부칙 ${label}`;
  const outer = part === 'exhibit' && parentId !== undefined ? articles.find(({ id }) => id === parentId) : undefined;
  if (outer === undefined) return label;
  return /[가-힣]/u.test(outer.label) ? `${outer.label} ${label}` : `${outer.label}, ${label}`;
}

/** Returns the text of an article or exhibit, followed by its nested articles. */
export function wholeText({ articles }: Pick<ContractDocument, 'articles'>, article: Article): string {
  const within = articles.filter(({ parentId }) => parentId === article.id);
  return [article.text, ...within.map(({ label, title, text }) => `${[label, title].filter(Boolean).join(' ')}\n${text}`)]
    .filter(Boolean)
    .join('\n\n');
}
