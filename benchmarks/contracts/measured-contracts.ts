import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Article, type ContractDocument, parseContract } from 'agent-machines/contracts';
import { loadContract } from 'agent-machines/contracts/node';
import { z } from 'zod';
import { isKorean } from '../../src/core/text/is-korean.ts';
import { generatedArticles } from '../retrieval/generated-articles.ts';

const folders = ['../../machines/contract-agent/examples/', '../retrieval/silence/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const row = z.object({ document: z.string(), query: z.string() });

/** A contract of the repository, with the questions about it. */
export interface AskedContract {
  readonly document: ContractDocument;
  readonly queries: readonly string[];
}

/** All contracts of the repository, with all questions of the evaluations. */
export async function askedContracts(): Promise<readonly AskedContract[]> {
  const asked: AskedContract[] = [];
  for (const folder of folders) {
    const files = await readdir(folder);
    const questions = files.find((file) => /^(?:queries|questions)\.jsonl$/.test(file)) ?? '';
    const lines = (await readFile(join(folder, questions), 'utf8')).split('\n').filter((line) => line.trim() !== '');
    const rows = lines.map((line) => row.parse(JSON.parse(line)));
    for (const file of files.filter((file) => /\.(?:md|txt)$/.test(file))) {
      const names = [file, file.replace(/\.\w+$/, '')].map((name) => name.normalize());
      const queries = rows.filter(({ document }) => names.includes(document.normalize())).map(({ query }) => query);
      asked.push({ document: await loadContract(join(folder, file)), queries });
    }
  }
  return asked;
}

/** Generated articles as contracts of 30 each. */
export function generatedContracts(count: number): readonly ContractDocument[] {
  const bySource = Map.groupBy(generatedArticles(count), ({ source }) => source);
  return [...bySource].map(([name, articles]) =>
    parseContract({ name, text: articles.map(({ heading, text }) => `${heading}\n${text}`).join('\n\n') }),
  );
}

/** Contracts that mix the articles of the repository's own in one language, 19 or 20 each. */
export function mixedContracts(own: readonly ContractDocument[], count: number): readonly ContractDocument[] {
  const pools = Map.groupBy(
    own.flatMap(({ articles, text }) =>
      articles.filter(({ part, deleted }) => part === 'body' && !deleted).map((article) => ({ article, korean: isKorean(text) })),
    ),
    ({ korean }) => korean,
  );
  return Array.from({ length: count }, (_, i) => {
    const korean = i % 2 === 0;
    const pool = pools.get(korean) ?? [];
    const size = i < 16 ? 20 : 19;
    // steps of a prime, so that neighbours mix
    const articles = Array.from({ length: size }, (_, j) => pool[(i * 7 + j * 31) % pool.length]?.article);
    const text = articles.map((article, j) => (article ? sectionOf(article, j + 1, korean) : '')).join('\n\n');
    return parseContract({ name: `contract-${i + 1}.md`, text: `${korean ? '# 계약서' : '# Agreement'} ${i + 1}\n\n${text}\n` });
  });
}

const sectionOf = ({ title, text }: Article, number: number, korean: boolean): string =>
  korean ? `제${number}조(${title || '기타'}) ${text}` : `Article ${number}. ${title || 'Other'}\n${text}`;
