import type { Article, ArticleChange, ArticlePair, ContractComparison, ContractDocument, MaterialTopic } from 'agent-machines/contracts';
import { printRedline } from 'agent-machines/search';
import { defineTool, objectSchema } from 'agent-machines/tools';
import type { OpenContract } from '../contract-library.ts';
import type { ContractSide, Finding } from '../state.ts';
import { access, maxOutputBytes } from './access.ts';
import { articlesByNumber } from './article-labels.ts';
import { type ContractTool, type FoundArticle, nameOf, refOf, type ToolOutput, toFound } from './found-articles.ts';

const topicArticles = 3;

/** The tool `lookup_standard_contract`: returns the standard contract's text, and its differences from the user's contract. */
export const lookupStandardContract = ({ user, standard, comparison }: OpenContract, korean: boolean): ContractTool =>
  defineTool({
    name: 'lookup_standard_contract',
    description:
      'Compares the contract with the standard contract. With user_article_numbers: the counterparts of these articles, and what differs. ' +
      'With a topic: what the standard contract says about it, and whether the contract has it. With neither: everything that is missing or differs.',
    access,
    errors: 'hidden', // hides errors of the store or the embedder
    maxOutputBytes,
    input: objectSchema({
      user_article_numbers: {
        default: [],
        description: 'Numbers of articles of the user\'s contract, for example "5".',
        maxItems: 20,
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 40 },
      },
      topic: { default: '', description: 'What to look for in the standard contract.', type: 'string', maxLength: 200 },
    }),
    async execute({ user_article_numbers: numbers, topic }, { signal }): Promise<ToolOutput> {
      const compared = await comparison();
      if (!standard || !compared) throw new Error('There is no standard contract.');
      const documents = { user: user.document, standard: standard.document, korean };
      if (numbers.length === 0 && topic.trim() === '') return { articles: [], beside: [], findings: overview(documents, compared) };
      const articles: FoundArticle[] = [];
      const findings: Finding[] = [];
      const add = (side: FoundArticle['side'], article: Article): void => {
        if (!articles.some((known) => known.side === side && known.id === article.id))
          articles.push(toFound(side, documents[side], article));
      };
      for (const number of numbers) {
        const asked = articlesByNumber(user.document, number);
        if (asked.length === 0) findings.push({ kind: 'not_found', subject: number, detail: `The contract has no article ${number}.` });
        for (const article of asked) {
          add('user', article);
          const pair = compared.pairs.find(({ userId }) => userId === article.id);
          const other = pair && articleOf(standard.document, pair.standardId);
          if (other) add('standard', other);
          findings.push(pair && other ? describePair(documents, [article, other], pair) : addedFinding(documents, article));
        }
      }
      if (topic.trim() !== '') {
        for (const { article } of await standard.index.search(topic, { limit: topicArticles, signal })) {
          add('standard', article);
          const pair = compared.pairs.find(({ standardId }) => standardId === article.id);
          const own = pair && articleOf(user.document, pair.userId);
          if (own) add('user', own);
          findings.push(pair && own ? describePair(documents, [own, article], pair) : missingFinding(documents, article));
        }
      }
      return { articles, beside: [], findings };
    },
  });

const articleOf = ({ articles }: ContractDocument, id: string): Article | undefined => articles.find((article) => article.id === id);

type Documents = Readonly<Record<ContractSide, ContractDocument>> & { readonly korean: boolean };
/** The user's article and the standard contract's article. */
type Pair = readonly [own: Article, other: Article];

/** Lists all articles that are missing, changed, added or moved. Changed ones include a redline while it fits the budget. */
function overview(documents: Documents, { pairs, missing, added }: ContractComparison): readonly Finding[] {
  const { user, standard } = documents;
  const findings = (wanted: (pair: ArticlePair) => boolean, describe: typeof describePair): readonly Finding[] =>
    pairs.filter(wanted).flatMap((pair) => {
      const own = articleOf(user, pair.userId);
      const other = articleOf(standard, pair.standardId);
      return own && other ? [describe(documents, [own, other], pair)] : [];
    });
  return [
    ...missing.flatMap(({ id }) => articleOf(standard, id) ?? []).map((article) => missingFinding(documents, article)),
    ...withinBudget(findings(({ difference }) => difference === 'changed', describePair)),
    ...added.flatMap(({ id }) => articleOf(user, id) ?? []).map((article) => addedFinding(documents, article)),
    ...findings(({ difference, moved }) => moved === true && difference === 'same', movedFinding),
  ];
}

const maxWordingChars = 1_200;
/** Maximum redline length in an overview, for one article and for all together. */
const maxShortChars = 300;
const maxWordingsChars = 6_000;
const contextChars = 40;

/** Keeps the redlines of the first findings, until the budget is used up. */
function withinBudget(findings: readonly Finding[]): readonly Finding[] {
  let left = maxWordingsChars;
  return findings.map(({ wording, ...finding }) => {
    if (wording === undefined) return finding;
    const short = cutWording(wording, maxShortChars);
    left -= short.length;
    return left < 0 ? finding : { ...finding, wording: short };
  });
}

function missingFinding({ standard, korean }: Documents, article: Article): Finding {
  const name = nameOf(refOf('standard', standard, article));
  return {
    kind: 'missing',
    subject: article.label,
    detail: korean ? `표준계약서의 ${name}` : `${name} of the standard contract`,
  };
}

const addedFinding = ({ user }: Documents, article: Article): Finding => ({
  kind: 'added',
  subject: article.label,
  detail: nameOf(refOf('user', user, article)),
});

const nameOfPair = ({ user, standard, korean }: Documents, [own, other]: Pair): string => {
  const [name, otherName] = [nameOf(refOf('user', user, own)), nameOf(refOf('standard', standard, other))];
  return own.label === other.label ? name : `${name} (${korean ? '표준계약서' : 'standard'}: ${otherName})`;
};

const movedFinding = (documents: Documents, pair: Pair): Finding => ({
  kind: 'moved',
  subject: pair[0].label,
  detail: nameOfPair(documents, pair),
});

function describePair(documents: Documents, [own, other]: Pair, { changes, redline = [] }: ArticlePair): Finding {
  const pair = nameOfPair(documents, [own, other]);
  if (changes.length === 0) return { kind: 'same', subject: own.label, detail: pair };
  const wording = printRedline(redline, { contextChars }).trim();
  const isShown = redline.some(({ kind, text }) => kind !== 'same' && text.trim() !== '');
  return {
    kind: 'differs',
    subject: own.label,
    detail: `${pair}: ${describeChanges(changes, documents.korean)}`,
    ...(isShown ? { wording: cutWording(wording, maxWordingChars) } : {}),
  };
}

/** Cuts a redline without splitting a mark. */
function cutWording(wording: string, maxChars: number): string {
  if (wording.length <= maxChars) return wording;
  const cut = wording.slice(0, maxChars);
  const open = Math.max(cut.lastIndexOf('[-'), cut.lastIndexOf('{+'));
  const closed = Math.max(cut.lastIndexOf('-]'), cut.lastIndexOf('+}'));
  if (open <= closed) return `${cut.trimEnd()}…`;
  return open > 0 ? `${cut.slice(0, open).trimEnd()}…` : `${cut}…${cut.startsWith('[-') ? '-]' : '+}'}`;
}

const topics: Readonly<Record<MaterialTopic, { readonly korean: string; readonly english: string }>> = {
  negation: { korean: '긍정·부정', english: 'whether or not' },
  obligation: { korean: '의무·재량', english: 'must or may' },
  party: { korean: '당사자', english: 'party' },
  law: { korean: '법·관할', english: 'law or forum' },
  deadline: { korean: '기한', english: 'deadline' },
  limit: { korean: '한도', english: 'limit' },
  condition: { korean: '조건·예외', english: 'condition or exception' },
  quality: { korean: '종류·범위', english: 'kind or scope' },
};

/** Describes titles, values and material changes in full. Paragraphs appear only by their labels, since their texts are in the articles. */
function describeChanges(changes: readonly ArticleChange[], korean: boolean): string {
  const words = korean
    ? { standard: '표준', here: '이 계약', missing: '표준에만 있음', added: '이 계약에만 있음', wording: '표현만 다름' }
    : { standard: 'standard', here: 'here', missing: 'only in the standard', added: 'only here', wording: 'other words only' };
  const versus = (theirs: readonly string[], ours: readonly string[]): string =>
    `${words.standard} ${theirs.join(', ') || '–'} → ${words.here} ${ours.join(', ') || '–'}`;
  const marks = (kind: 'missing' | 'added'): string[] => {
    const labels = changes.flatMap((change) => (change.kind === kind ? [change.label] : []));
    return labels.length === 0 ? [] : [`${words[kind]}: ${labels.join(', ')}`];
  };
  const quoted = (phrases: readonly string[]): readonly string[] => phrases.map((phrase) => (korean ? `“${phrase}”` : `"${phrase}"`));
  // one change of words can affect several topics
  const material = new Map<string, string[]>();
  for (const change of changes) {
    if (change.kind !== 'material') continue;
    const said = versus(quoted(change.standard), quoted(change.user));
    material.set(said, [...(material.get(said) ?? []), topics[change.topic][korean ? 'korean' : 'english']]);
  }
  return [
    ...changes.flatMap((change) => (change.kind === 'title' ? [versus([change.standard], [change.user])] : [])),
    ...changes.flatMap((change) => (change.kind === 'value' ? [versus(change.standard, change.user)] : [])),
    ...[...material].map(([said, names]) => `${names.join(', ')}: ${said}`),
    ...marks('missing'),
    ...marks('added'),
    ...(changes.some(({ kind }) => kind === 'wording') ? [words.wording] : []),
  ].join('; ');
}
