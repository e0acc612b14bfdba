import { readdirSync, readFileSync } from 'node:fs';

interface Results {
  readonly startedAt: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly runs: readonly {
    readonly variant: string;
    readonly usPerRun: Median;
    readonly toLiveActor: Median;
    readonly langGraphToIt: Median;
  }[];
  readonly durableStep: { readonly nodeToRaw: Median; readonly appendToRaw: Median };
}

interface Median {
  readonly median: number;
}

/** The newest results of a benchmark's question as a table: medians of fresh processes. */
export function figures(question: string): string {
  const folder = 'benchmarks/results';
  const newest = readdirSync(folder)
    .filter((name) => name.startsWith(`${question}-`))
    .sort()
    .at(-1);
  if (!newest) throw new Error(`There are no results of "${question}".`);
  const { startedAt, machine, runs, durableStep } = JSON.parse(readFileSync(`${folder}/${newest}`, 'utf8')) as Results;
  const rows = runs.map(
    ({ variant, usPerRun, toLiveActor, langGraphToIt }) =>
      `| ${variant} | ${round(usPerRun.median)} | ${round(toLiveActor.median)} | ${round(langGraphToIt.median)} |`,
  );
  return [
    '| a run of 6 nodes | µs | ÷ live actor | LangGraph.js, MemorySaver ÷ it |',
    '|---|---:|---:|---:|',
    ...rows,
    '',
    `One \`append\` takes ${round(durableStep.appendToRaw.median)} times as long as a raw SQLite commit, a durable node ${round(durableStep.nodeToRaw.median)} times. ` +
      `Measured ${startedAt.slice(0, 10)} on ${machine.cores} cores (${machine.cpu}), Node ${machine.node.slice(1)}: [${newest}](results/${newest}).`,
  ].join('\n');
}

const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
