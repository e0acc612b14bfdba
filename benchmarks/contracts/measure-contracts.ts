// The process that measures indexes of contracts: a task from the command line, its sample as JSON on stdout.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ContractDocument, createAnswerFinder, createArticleIndex } from 'agent-machines/contracts';
import { shuffled } from '../engine/statistics.ts';
import { askedContracts, generatedContracts, mixedContracts } from './measured-contracts.ts';
import { plainBm25 } from './plain-bm25.ts';

export interface ContractsTask {
  readonly articles: number;
  readonly contracts: number;
  readonly rounds: number;
}

/** Processor time of each round, in milliseconds. */
export interface BuildSample {
  readonly documents: number;
  readonly articles: number;
  readonly plainMs: readonly number[];
  /** An index of articles over all documents, and a finder for each. */
  readonly oursMs: readonly number[];
}

/** Processor time of questions to one contract, in milliseconds. */
export interface QuerySample {
  readonly questions: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface ContractsSample {
  readonly generated: BuildSample;
  readonly mixed: BuildSample;
  readonly plain: QuerySample;
  readonly find: QuerySample;
  readonly search: QuerySample;
  /** One search over all mixed contracts. */
  readonly searchAll: QuerySample;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function measure({ articles, contracts, rounds }: ContractsTask): Promise<ContractsSample> {
  const asked = await askedContracts();
  const mixed = mixedContracts(
    asked.map(({ document }) => document),
    contracts,
  );
  const generatedBuild = await measureBuild(generatedContracts(articles), rounds);
  const mixedBuild = await measureBuild(mixed, rounds);

  const times = { plain: [] as number[], find: [] as number[], search: [] as number[], searchAll: [] as number[] };
  for (const counts of [false, true]) {
    for (const { document, queries } of asked) {
      // a contract that no question has been put to: the first ones also pay for what is read lazily
      const fresh = copyOf(document);
      const plain = plainBm25(textsOf(fresh));
      const finder = await createAnswerFinder(fresh);
      const index = await createArticleIndex([fresh]);
      for (const query of queries) {
        const measured = [
          ['plain', () => plain.search(query, 5)],
          ['find', () => finder.find(query)],
          ['search', () => index.search(query, { limit: 5 })],
        ] as const;
        for (const [name, work] of shuffled(measured)) {
          const ms = await processorMs(work);
          if (counts) times[name].push(ms);
        }
      }
    }
  }
  const all = await createArticleIndex(mixed.map(copyOf));
  const queries = asked.flatMap(({ queries }) => queries);
  for (const [i, query] of queries.entries()) {
    const ms = await processorMs(() => all.search(query, { limit: 5 }));
    if (i >= 20) times.searchAll.push(ms);
    if (i >= 120) break;
  }
  return {
    generated: generatedBuild,
    mixed: mixedBuild,
    plain: toSample(times.plain),
    find: toSample(times.find),
    search: toSample(times.search),
    searchAll: toSample(times.searchAll),
  };
}

async function measureBuild(documents: readonly ContractDocument[], rounds: number): Promise<BuildSample> {
  const plainMs: number[] = [];
  const oursMs: number[] = [];
  const texts = documents.map(textsOf);
  // the first two rounds warm up
  for (let round = -2; round < rounds; round++) {
    for (const variant of shuffled(['plain', 'ours'])) {
      const fresh = documents.map(copyOf);
      collectGarbage();
      const ms = await processorMs(async () => {
        if (variant === 'plain') return texts.map(plainBm25);
        const index = await createArticleIndex(fresh);
        const finders = [];
        for (const document of fresh) finders.push(await createAnswerFinder(document));
        return { index, finders };
      });
      if (round >= 0) (variant === 'plain' ? plainMs : oursMs).push(ms);
    }
  }
  return { documents: documents.length, articles: documents.reduce((sum, { articles }) => sum + articles.length, 0), plainMs, oursMs };
}

/** Lists are kept by document, so a copy has none yet. */
const copyOf = (document: ContractDocument): ContractDocument => ({ ...document });
const textsOf = ({ articles }: ContractDocument): readonly string[] => articles.map(({ title, text }) => `${title} ${text}`);

async function processorMs(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function toSample(times: readonly number[]): QuerySample {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { questions: times.length, p50Ms: at(0.5), p95Ms: at(0.95) };
}

// written by run-contracts-question.ts
const task = JSON.parse(process.argv[2] ?? '') as ContractsTask;
process.stdout.write(JSON.stringify(await measure(task)));
