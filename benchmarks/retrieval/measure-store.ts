// The process that measures one store: a task from the command line, its sample as JSON on stdout.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type DocumentPassage, hashedEmbedder } from 'agent-machines/search';
import type { VectorStore } from 'agent-machines/search/node';
import { generatedArticles, generatedQueries } from './generated-articles.ts';
import { openVariant, type StoreVariant } from './store-variants.ts';

export interface StoreTask {
  readonly variant: StoreVariant;
  readonly articles: number;
  readonly queries: number;
}

export interface StoreSample {
  /** Of all articles at once, embedding included. */
  readonly indexMs: number;
  /** What the embedder alone takes for them. */
  readonly embedMs: number;
  readonly queryP50Ms: number;
  readonly queryP99Ms: number;
  /** What this process has grown by, from the open and empty store on, after indexing and after all queries. */
  readonly rssBytes: number;
  /** What a server beside it has grown by. */
  readonly serverBytes: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const residentBytes = (): number => {
  collectGarbage();
  return process.memoryUsage.rss();
};

async function measure({ variant, articles: count, queries: queryCount }: StoreTask): Promise<StoreSample> {
  const articles = generatedArticles(count);
  const queries = generatedQueries(articles, queryCount);
  const embedder = hashedEmbedder();
  const texts = articles.map(({ heading, text }) => `${heading}\n${text}`);
  await embedder.embed(texts.slice(0, 100)); // warm, as it is for the store
  const embedMs = await timed(() => embedder.embed(texts));

  const folder = mkdtempSync(join(tmpdir(), 'bench-retrieval-'));
  try {
    await using opened = await openVariant(variant, folder);
    const { store } = opened;
    const before = { rss: residentBytes(), server: opened.serverBytes() };
    const indexMs = await timed(async () => {
      await store.add(articles);
      await store.search('첫 질문 first question', { limit: 1 }); // what is put off until the first search belongs to indexing
    });
    await provePassages(
      store,
      articles.filter((_, i) => i % Math.ceil(count / 100) === 0),
    ); // and warm
    const times: number[] = [];
    for (const query of queries) times.push(await timed(() => store.search(query, { limit: 10 })));
    return {
      indexMs,
      embedMs,
      queryP50Ms: quantile(times, 0.5),
      queryP99Ms: quantile(times, 0.99),
      rssBytes: residentBytes() - before.rss,
      serverBytes: opened.serverBytes() - before.server,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws {Error} when an article is not what its own text finds: then the store does something else than the others. */
async function provePassages(store: VectorStore, passages: readonly DocumentPassage[]): Promise<void> {
  for (const { source, heading, text } of passages) {
    const [best] = await store.search(`${heading}\n${text}`, { limit: 10 });
    if (best?.source !== source || best.heading !== heading) throw new Error(`A search does not find ${heading} of ${source} first.`);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The smallest value that at least this share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

// written by run-retrieval-question.ts
const task = JSON.parse(process.argv[2] ?? '') as StoreTask;
process.stdout.write(JSON.stringify(await measure(task)));
