import { type Citation, type ContractDocument, checkCitations, findParts, type ReadPart, readLabels } from 'agent-machines/contracts';
import type { OpenContract, SeveralContracts } from './contract-library.ts';
import { areSeveral, type ContractsOfRun } from './services.ts';
import { stretchesOf } from './several/stretches.ts';
import type { CollectedArticle, ContractAgentState } from './state.ts';

interface CheckedWith {
  readonly state: ContractAgentState;
  readonly contracts: ContractsOfRun;
  readonly previousArticles: readonly CollectedArticle[];
}

const documentsOf = ({ user, standard }: OpenContract): readonly ContractDocument[] => [
  user.document,
  ...(standard ? [standard.document] : []),
];

/** True if the answer quotes a text that was read, word for word. Words of the question or of an earlier answer do not count. */
export function quotesContract(answer: string, { state, contracts, previousArticles }: CheckedWith): boolean {
  const read = [...state.collectedInfo, ...(state.wording?.passages ?? []), ...previousArticles];
  const documents = areSeveral(contracts) ? contracts.catalogue.map(({ document }) => document) : documentsOf(contracts);
  const citations = checkCitations(answer, { documents, read });
  return citations.some(({ quote, status }) => quote !== '' && status === 'supported');
}

/** Checks the citations of an answer against the texts that were read for it. */
export function citationsOf(answer: string, { state, contracts, previousArticles }: CheckedWith): readonly Citation[] {
  if (areSeveral(contracts)) return citationsOfSeveral(answer, { state, contracts, previousArticles });
  const { name } = contracts;
  const citations = citationsOfOne(answer, { state, contract: contracts, previousArticles });
  return name === undefined ? citations : citations.map((each) => (each.label === '' ? each : { ...each, label: `${name} ${each.label}` }));
}

/**
 * Checks each stretch of an answer against the contracts that it names, so that a quote of another contract is wrong. Text that names none
 * may cite any of them.
 */
function citationsOfSeveral(
  answer: string,
  { state, contracts, previousArticles }: CheckedWith & { readonly contracts: SeveralContracts },
): readonly Citation[] {
  const { findings, input, currentDatetime, previousTurn } = state;
  const read = [...state.collectedInfo, ...(state.wording?.passages ?? []), ...previousArticles];
  return stretchesOf(answer, contracts.names).flatMap(({ names, text }) => {
    const isOf = (name = ''): boolean => names.length === 0 || names.includes(name);
    const own = read.filter(({ contract }) => isOf(contract));
    const readNames = new Set(own.map(({ contract }) => contract));
    const documents = contracts.catalogue.filter(({ name }) => (names.length === 0 ? readNames.has(name) : names.includes(name)));
    const citations = checkCitations(text, {
      documents: documents.map(({ document }) => document),
      read: own,
      findings: findings.flatMap(({ kind, detail }) => (kind === 'not_found' || kind === 'no_hit' ? [] : [detail])),
      background: [input, currentDatetime.slice(0, 10), ...contracts.names, ...previousTurn.map(({ content }) => content)],
    });
    const [name = ''] = names;
    return citations.map((each) => (each.label === '' ? each : { ...each, label: `${name} ${each.label}`.trim() }));
  });
}

function citationsOfOne(
  answer: string,
  { state, contract, previousArticles }: Omit<CheckedWith, 'contracts'> & { readonly contract: OpenContract },
): readonly Citation[] {
  const { collectedInfo, findings, previousTurn, needPreviousContext, input, currentDatetime } = state;
  const { user } = contract;
  // a failed look-up does not confirm that the place exists
  const found = findings.filter(({ kind }) => kind !== 'not_found' && kind !== 'no_hit');
  return checkCitations(answer, {
    documents: documentsOf(contract),
    // a passage may lie beyond the cut of a long article
    read: [
      ...collectedInfo,
      ...(state.wording?.passages ?? []),
      ...previousArticles,
      ...(needPreviousContext ? partsOf(previousTurn, user.document) : []),
    ],
    findings: [
      ...found.flatMap(({ kind, subject, detail, wording }) => [
        kind === 'listed' ? `${subject} ${detail}` : detail,
        ...(wording === undefined ? [] : [withoutMarks(wording, '[-', '-]'), withoutMarks(wording, '{+', '+}'), wording]),
      ]),
      ...state.unexploredArticles.map(({ label, title }) => `${label} ${title}`),
      // adds the range of articles that exist, for an answer about one that does not
      ...(found.length < findings.length ? extentOf(user.document) : []),
    ],
    background: [
      input,
      currentDatetime.slice(0, 10),
      user.document.title,
      ...(needPreviousContext ? previousTurn.map(({ content }) => content) : []),
    ],
  });
}

/** Returns the places of the contract that the last answer names. An invented place leads to no part. */
const partsOf = (turn: ContractAgentState['previousTurn'], document: ContractDocument): readonly ReadPart[] =>
  turn
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => readLabels(content, { titles: [document.title] }))
    .flatMap((label) => [label, ...(label.neighbours ?? [])])
    .filter((label) => label.document === undefined)
    .flatMap((label) => findParts(document, label).found)
    .map(({ id, label, text, article }) => ({ id, label, title: article.title, text }));

const extentOf = ({ articles }: ContractDocument): readonly string[] => {
  const body = articles.filter(({ part }) => part === 'body');
  const [first, last] = [body[0]?.label, body.at(-1)?.label];
  return first === undefined ? [] : [`${first}부터 ${last}까지`, `${first} to ${last}`];
};

/** Returns one side of a redline as plain text. */
const withoutMarks = (wording: string, open: string, close: string): string => {
  const [otherOpen, otherClose] = open === '[-' ? ['{+', '+}'] : ['[-', '-]'];
  return wording
    .split(otherOpen)
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf(otherClose) + 2)))
    .join('')
    .replaceAll(open, '')
    .replaceAll(close, '');
};

const maxNamed = 8;

/** Describes the unconfirmed citations for the reader. */
export function describeWrongCitations(wrong: readonly Citation[], korean: boolean): string {
  const why = korean
    ? {
        supported: '',
        unknown: '계약서에 없는 조항',
        unread: '읽지 않은 조항',
        misquoted: '조항에 없는 말',
        unsupported: '읽은 조항과 맞지 않음',
      }
    : {
        supported: '',
        unknown: 'the contract has no such article',
        unread: 'the article was not read',
        misquoted: 'the quoted words are not in the article',
        unsupported: 'no article that was read supports it',
      };
  const named = wrong.slice(0, maxNamed).map(({ label, quote, status }) => {
    const said = quote === '' ? label : status === 'unsupported' ? quote : `“${quote.length > 60 ? `${quote.slice(0, 59)}…` : quote}”`;
    return `${said} (${why[status]})`;
  });
  const more = wrong.length - named.length;
  const list = [...named, ...(more > 0 ? [korean ? `그 밖에 ${more}개` : `and ${more} more`] : [])].join(', ');
  return korean ? `※ 계약서에서 확인되지 않은 부분: ${list}` : `Not confirmed by the contract: ${list}`;
}
