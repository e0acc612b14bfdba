import { type Article, type ContractDocument, contractValues, findParts, labelText } from 'agent-machines/contracts';
import { splitSentences } from 'agent-machines/search';
import { defineTool, objectSchema } from 'agent-machines/tools';
import type { OpenContract } from '../contract-library.ts';
import type { Survey } from '../rules/survey.ts';
import type { Finding } from '../state.ts';
import { access, maxOutputBytes } from './access.ts';
import { labelsOfNumber } from './article-labels.ts';
import { type ContractTool, nameOf, refOf, type ToolOutput } from './found-articles.ts';

const maxListed = 300;
const maxLineChars = 160;

/** The tool `survey_contract`: answers questions about the whole contract. */
export const surveyContract = (contract: OpenContract, korean: boolean): ContractTool =>
  defineTool({
    name: 'survey_contract',
    description:
      'Lists something of the whole contract: its articles, the first sentence of each (summary), fields that were left blank, articles with periods and dates (deadlines), or the articles that refer to one (references, with its place).',
    access,
    errors: 'hidden', // hides errors of the store or the embedder
    maxOutputBytes,
    input: objectSchema({
      what: { type: 'string', enum: ['articles', 'summary', 'blanks', 'deadlines', 'references'] },
      place: {
        default: '',
        description: 'Of references: the article, for example "5" or "Section 4.02".',
        type: 'string',
        maxLength: 80,
      },
    }),
    execute: (args) => listOf(contract, args, korean),
  });

export async function listOf({ user }: OpenContract, { what, place }: Survey, korean: boolean): Promise<ToolOutput> {
  const { document } = user;
  const lines = {
    articles: (of: ContractDocument) => names(of, korean),
    summary: firsts,
    blanks,
    deadlines,
    references: (of: ContractDocument) => referring(of, place),
  }[what](document);
  const name = labelsOfNumber(place).map(labelText).join(', ') || place;
  const listed = lines.slice(0, maxListed);
  const heading = headings[what][korean ? 0 : 1].replace('%', name).replace('#', String(lines.length));
  const none = nothing[what][korean ? 0 : 1].replace('%', name);
  const findings = listed.map((detail): Finding => ({ kind: 'listed', subject: heading, detail }));
  return { articles: [], beside: [], findings: findings.length > 0 ? findings : [{ kind: 'listed', subject: none, detail: '' }] };
}

type Words = readonly [korean: string, english: string];

const headings: Readonly<Record<Survey['what'], Words>> = {
  articles: ['이 계약서의 조항 (#개):', 'The articles of the contract (#):'],
  summary: ['조항별 첫 문장 (#개 조항):', 'The first sentence of each of the # articles:'],
  blanks: ['비어 있는 곳 (#곳):', 'Left blank (#):'],
  deadlines: ['기간이나 날짜가 있는 조항 (#개):', 'Articles with a period or a date (#):'],
  references: ['%에 대한 인용 (#개 조항):', 'References to %, in # articles:'],
};
const nothing: Readonly<Record<Survey['what'], Words>> = {
  articles: ['이 문서에서 조항을 찾지 못했습니다.', 'No articles were found in this document.'],
  summary: ['이 문서에서 조항을 찾지 못했습니다.', 'No articles were found in this document.'],
  blanks: ['비어 있는 곳을 찾지 못했습니다.', 'Nothing was found that was left blank.'],
  deadlines: ['기간이나 날짜가 있는 조항을 찾지 못했습니다.', 'No article with a period or a date was found.'],
  references: ['%에 대한 인용을 찾지 못했습니다.', 'No article was found that refers to %.'],
};

const nameIn = (document: ContractDocument, article: Article): string => nameOf(refOf('user', document, article));

const names = (document: ContractDocument, korean: boolean): readonly string[] =>
  document.articles.map((article) => `${nameIn(document, article)}${article.deleted ? (korean ? ' 삭제' : ' (deleted)') : ''}`);

const short = (text: string): string => {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars - 1).trimEnd()}…` : line;
};

const firsts = (document: ContractDocument): readonly string[] =>
  document.articles
    .filter(({ deleted, part }) => !deleted && part !== 'addenda')
    .map((article) => {
      const [first = ''] = splitSentences(article.text.replace(/^①\s*/u, ''));
      return first.trim() === '' ? nameIn(document, article) : `${nameIn(document, article)}: ${short(first)}`;
    });

const blank =
  /_{3,}|(?<![\p{L}\p{N}])[○OX●◯]{2,}(?![\p{L}])|\[\s{0,20}(?:[●•*]|_{1,40}|\s)\s{0,20}\]|\(\s{3,40}\)|\[(?:insert|name|date|amount|address|tbd|to be|company)[^\]\n]{0,60}\]|20_{1,4}\s?년|\s{2,}년\s{2,}월\s{2,}일|\bTBD\b|…{2,}|\.{6,}(?!\s{0,3}\d)/giu;

function blanks(document: ContractDocument): readonly string[] {
  return document.parts
    .filter(({ part }) => part !== 'contents')
    .flatMap((article) =>
      article.text.split('\n').flatMap((line) => {
        const found = new RegExp(blank).exec(line);
        if (!found) return [];
        const around = line.slice(Math.max(0, found.index - 50), found.index + found[0].length + 50);
        return [`${nameIn(document, article)}: ${short(around)}`];
      }),
    );
}

const deadlines = (document: ContractDocument): readonly string[] =>
  document.articles
    .filter(({ deleted }) => !deleted)
    .flatMap((article) => {
      const values = contractValues(article.text).filter(({ type }) => type === 'period' || type === 'date');
      return values.length === 0
        ? []
        : [`${nameIn(document, article)}: ${[...new Set(values.map(({ written }) => written))].slice(0, 8).join(', ')}`];
    });

function referring(document: ContractDocument, place: string): readonly string[] {
  const ids = new Set(labelsOfNumber(place).flatMap((label) => findParts(document, label).articles.map(({ id }) => id)));
  return document.articles.flatMap((article) => {
    const own = article.references.filter(({ articleId }) => articleId !== undefined && ids.has(articleId) && articleId !== article.id);
    return own.length === 0
      ? []
      : [`${nameIn(document, article)}: ${[...new Set(own.map(({ text }) => text.trim()))].slice(0, 5).join(', ')}`];
  });
}
