import { loadavg } from 'node:os';
import { nodeFlags, runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo, versionIn } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { type Summary, shuffled, summary } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { StoreSample, StoreTask } from './measure-store.ts';
import { type StoreVariant, storeVariants } from './store-variants.ts';

/** What one store takes; each figure of several fresh processes. */
type StoreRow = { readonly variant: StoreVariant } & { readonly [K in keyof StoreSample]: Summary };

const script = new URL('measure-store.ts', import.meta.url);

/** What it takes to index and to search generated articles, for each store that needs no service elsewhere. */
export async function runRetrievalQuestion({ quick }: BenchOptions): Promise<void> {
  const variants = storeVariants();
  for (const name of ['faiss', 'chroma'] as const) {
    if (!variants.includes(name)) console.error(`${name} is skipped. Run \`npm run test:system\` to install it.`);
  }
  const startedAt = new Date();
  const machine = machineInfo({
    'sqlite-vec': versionIn('node_modules/sqlite-vec/package.json'),
    ...(variants.includes('chroma') && { chromadb: versionIn('test/system/chroma/node_modules/chromadb/package.json') }),
    ...(variants.includes('faiss') && { 'faiss-node': versionIn('test/system/faiss/node_modules/faiss-node/package.json') }),
  });
  const [rounds, articles, queries] = quick ? [1, 300, 100] : [5, 3_000, 1_000];
  const samples: { readonly round: number; readonly loadAverage: number; readonly variant: StoreVariant; readonly sample: StoreSample }[] =
    [];
  for (let round = 1; round <= rounds; round++) {
    for (const variant of shuffled(variants)) {
      const loadAverage = loadavg()[0] ?? 0;
      const task: StoreTask = { variant, articles, queries };
      const sample = (await runFreshProcess(script, task)) as StoreSample;
      samples.push({ round, loadAverage, variant, sample });
    }
  }
  const rows = variants.map((variant) =>
    toRow(
      variant,
      samples.filter((one) => one.variant === variant).map(({ sample }) => sample),
    ),
  );
  print(rows, articles);
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const loadAverage = summary(samples.map((one) => one.loadAverage));
  console.log(`\n${rounds} fresh processes for each figure, ${seconds} s in all, load average ${loadAverage.min} to ${loadAverage.max}.`);
  if (quick) return;
  const method = {
    processes: `${rounds} rounds; in each, every store once, in random order, one process after the other`,
    nodeFlags,
    articles,
    queries: `${queries}, one at a time, 10 passages each; embedding included`,
    memory: 'growth of the resident set from the open and empty store on, after a garbage collection; of a server, too',
    proof: 'every thirtieth article comes first for its own text; these questions warm up, too',
  };
  const head = { seconds, machine, method, loadAverage };
  writeResults('retrieval', startedAt, { ...head, stores: rows, samples });
}

function toRow(variant: StoreVariant, samples: readonly StoreSample[]): StoreRow {
  const of = (key: keyof StoreSample): Summary => summary(samples.map((sample) => sample[key]));
  return {
    variant,
    indexMs: of('indexMs'),
    embedMs: of('embedMs'),
    queryP50Ms: of('queryP50Ms'),
    queryP99Ms: of('queryP99Ms'),
    rssBytes: of('rssBytes'),
    serverBytes: of('serverBytes'),
  };
}

function print(rows: readonly StoreRow[], articles: number): void {
  const megabytes = ({ median }: Summary): string => (median / 1e6).toFixed(0);
  printTable(
    `${articles.toLocaleString('en')} generated articles`,
    ['', 'index ms', 'of it embedding', 'query p50 ms', 'query p99 ms', 'memory MB', 'server MB'],
    rows.map((row) => [
      row.variant,
      row.indexMs.median.toFixed(0),
      row.variant === 'memory, words' ? '0' : row.embedMs.median.toFixed(0),
      row.queryP50Ms.median.toFixed(2),
      row.queryP99Ms.median.toFixed(2),
      megabytes(row.rssBytes),
      megabytes(row.serverBytes),
    ]),
  );
}

// bytes and times stay whole
