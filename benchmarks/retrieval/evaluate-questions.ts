import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import type { Article, ContractDocument } from '../../src/contracts/contract-document.ts';
import { loadContract } from '../../src/contracts/node/load-contract.ts';
import { searchedParts } from '../../src/contracts/search/searched-parts.ts';

/** A question, and what should be found. */
export interface Question {
  readonly query: string;
  /** The document's name. */
  readonly document: string;
  /** Keys of articles. */
  readonly relevant: ReadonlySet<string>;
}

/** What a retrieval is measured by. */
export interface Evaluation {
  readonly documents: readonly ContractDocument[];
  readonly questions: readonly Question[];
  /** How many the documents have together. */
  readonly articles: number;
  /** What could not be used. A label that its document does not have stays in the measure, as one that is never found. */
  readonly problems: readonly string[];
}

/** One for articles of the same label in the same part: which of them is meant, a label does not say. */
export const keyOf = ({ part, label }: Article): string => `${part}/${label}`;

const asked = { query: z.string().min(1), document: z.string().min(1) };
const row = z.union([
  z.object({ ...asked, relevant: z.array(z.string()).min(1) }),
  /** The passages that answer it, as they stand in the document; none where it has no answer. */
  z.object({ ...asked, evidence: z.array(z.string()) }),
]);
type Row = z.infer<typeof row> & { readonly line: number };

/** Loads the documents that are asked about, and finds what each question means. */
export async function loadEvaluation({ docs, queries }: { readonly docs: string; readonly queries: string }): Promise<Evaluation> {
  const problems: string[] = [];
  const rows = await readRows(queries, problems);
  const files = await listFiles(docs, problems);
  const documents = new Map<string, ContractDocument>();
  const fileOf = new Map<string, string>();
  for (const asked of new Set(rows.map(({ document }) => document))) {
    const file = findFile(asked, files, docs, problems);
    if (file === undefined) continue;
    try {
      if (!documents.has(file)) documents.set(file, { ...(await loadContract(join(docs, file))), name: file });
      fileOf.set(asked, file);
    } catch (error) {
      problems.push(`document "${asked}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const questions = rows.flatMap((row) => {
    const { query, document, line } = row;
    const contract = documents.get(fileOf.get(document) ?? '');
    if (!contract) return [];
    if ('evidence' in row) {
      const keys = articlesWith(contract, row.evidence);
      if (row.evidence.length > 0 && keys.length === 0) problems.push(`${queries}:${line}: "${document}" contains none of the evidence`);
      return keys.length === 0 ? [] : [{ query, document: contract.name, relevant: new Set(keys) }];
    }
    const keys = row.relevant.map((label) => {
      const article = articleOf(contract, label);
      if (!article) problems.push(`${queries}:${line}: "${document}" has no ${label}`);
      return article ? keyOf(article) : `missing/${label}`;
    });
    return [{ query, document: contract.name, relevant: new Set(keys) }];
  });
  if (problems.length === 0 && questions.length === 0) problems.push(`${queries} contains no questions`);
  const all = [...documents.values()];
  return { documents: all, questions, problems, articles: all.reduce((sum, { articles }) => sum + articles.length, 0) };
}

async function readRows(path: string, problems: string[]): Promise<readonly Row[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  });
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((json, i) => {
      if (json.trim() === '') return [];
      const parsed = row.safeParse(parseJson(json));
      if (parsed.success) return [{ ...parsed.data, line: i + 1 }];
      problems.push(`${path}:${i + 1}: expected {"query": "…", "document": "…", "relevant": ["…"]} or "evidence" in place of "relevant"`);
      return [];
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const documentEnding = /^\.(?:txt|md|docx|pdf|json)$/i;

async function listFiles(folder: string, problems: string[]): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => documentEnding.test(extname(name))).sort();
  } catch (error) {
    problems.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** The file of that name, with or without its ending. File systems write `각` in one character or in three. */
function findFile(asked: string, files: readonly string[], folder: string, problems: string[]): string | undefined {
  const name = asked.normalize();
  const exact = files.find((file) => file.normalize() === name);
  if (exact !== undefined) return exact;
  const found = files.filter((file) => file.slice(0, -extname(file).length).normalize() === name);
  if (found.length === 0) problems.push(`document "${asked}" does not exist in ${folder}`);
  if (found.length > 1) problems.push(`document "${asked}" is ambiguous: ${found.join(' or ')}. Add its extension`);
  return found.length === 1 ? found[0] : undefined;
}

const parts = ['body', 'exhibit', 'addenda'];

/** By its `id`, else by its label: of the body first, for the addenda have a 제1조 of their own. Spaces and case do not matter. */
function articleOf({ articles }: ContractDocument, label: string): Article | undefined {
  const folded = fold(label);
  const named = articles.filter((article) => fold(article.label) === folded);
  return articles.find(({ id }) => id === label) ?? named.sort((a, b) => parts.indexOf(a.part) - parts.indexOf(b.part))[0];
}

/** How much of a passage must be found: what follows may be worded as it was extracted. */
const sameChars = 60;
const minChars = 4;

/** The parts that have a passage, however their lines are broken; `<omitted>` stands between pieces of one. */
function articlesWith(document: ContractDocument, evidence: readonly string[]): readonly string[] {
  const wanted = evidence
    .flatMap((text) => text.split('<omitted>'))
    .map(squeeze)
    .filter(({ length }) => length >= minChars);
  const has = ({ start, end }: Article): boolean => {
    const text = squeeze(document.text.slice(start, end));
    return wanted.some((each) => text.includes(each.slice(0, sameChars)));
  };
  return searchedParts(document).filter(has).map(keyOf);
}

const squeeze = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

const fold = (label: string): string => label.normalize('NFKC').toLowerCase().replace(/\s/g, '');
