import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { type ScaleResults, scaleModelTable, scaleTable } from './scale-tables.ts';

interface Results {
  readonly startedAt: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
}

interface EngineResults extends Results {
  readonly runs: readonly {
    readonly variant: string;
    readonly usPerRun: Median;
    readonly toLiveActor: Median;
    readonly langGraphToIt: Median;
  }[];
  readonly durableStep: { readonly nodeToRaw: Median; readonly appendToRaw: Median };
}

interface RetrievalResults extends Results {
  readonly stores: readonly {
    readonly variant: string;
    readonly indexMs: Median;
    readonly queryP50Ms: Median;
    readonly queryP99Ms: Median;
    readonly rssBytes: Median;
    readonly serverBytes: Median;
  }[];
}

interface Cost {
  readonly sentTokens: number;
  readonly summaryCalls: number;
}

interface MemoryResults extends Results {
  readonly figures: readonly {
    readonly turns: number;
    readonly size: string;
    readonly withWindow: Cost;
    readonly without: Cost;
    readonly saved: number;
  }[];
}

interface ExecutorResults extends Results {
  readonly plans: readonly {
    readonly graph: string;
    readonly variant: string;
    readonly ms: Median;
    readonly ofIdeal: number;
    readonly byHandToIt: Median;
  }[];
}

interface Median {
  readonly median: number;
}

interface Exchange {
  readonly requests: number;
  readonly sent: number;
  readonly replied: number;
}

interface TokensResults extends Results {
  readonly figures: readonly {
    readonly calls: number;
    readonly shape: string;
    readonly planned: Exchange;
    readonly react: Exchange;
    readonly ratio: number;
  }[];
}

interface ServerResults extends Results {
  readonly servers: readonly {
    readonly variant: string;
    readonly alone: Delays;
    readonly crowded: Delays;
    readonly mib: Readonly<Record<'start' | 'idle' | 'end', Median>>;
    readonly peerFirstEventToIt: Median;
  }[];
  readonly samples: readonly { readonly round: number }[];
  readonly loadAverage: { readonly min: number; readonly max: number };
}

type Delays = Readonly<Record<'firstEventP50' | 'firstEventP99' | 'tokenP50' | 'tokenP99', Median>>;

interface ApprovalResults extends Results {
  readonly kills: number;
  readonly edges: number;
  readonly peers: readonly {
    readonly peer: string;
    readonly ms: Median;
    readonly stored: { readonly rows: number; readonly bytes: number };
    readonly duplicates: number;
    readonly bundleBytes: number;
    readonly ownTests: number;
  }[];
}

const tables: Readonly<Record<string, (results: Results) => readonly string[]>> = {
  approval: (results) => approvalTable(results as ApprovalResults),
  engine: (results) => engineTable(results as EngineResults),
  retrieval: (results) => retrievalTable(results as RetrievalResults),
  memory: (results) => memoryTable(results as MemoryResults),
  executor: (results) => executorTable(results as ExecutorResults),
  tokens: (results) => tokensTable(results as TokensResults),
  server: (results) => serverTable(results as ServerResults),
  scale: (results) => scaleTable(results as Results & ScaleResults),
  'scale-model': (results) => scaleModelTable(results as Results & ScaleResults),
};

/** A column for each package. Each row names the command that measures it. */
function approvalTable({ edges, kills, peers }: ApprovalResults): readonly string[] {
  const row = (what: string, cell: (peer: ApprovalResults['peers'][number]) => string): string =>
    `| ${[what, ...peers.map(cell)].join(' | ')} |`;
  const stored = ({ stored: { rows, bytes } }: ApprovalResults['peers'][number]): string =>
    rows === 0 ? 'nothing' : `${rows} (${(bytes / 1000).toFixed(1)} kB)`;
  return [
    `| ${['', ...peers.map(({ peer }) => peer)].join(' | ')} |`,
    `|---|${peers.map(() => '---:|').join('')}`,
    row('a run, ms', ({ ms }) => round(ms.median)),
    row('rows that a run stores', stored),
    row(`texts published twice after ${kills} kills`, ({ duplicates }) => `${duplicates}`),
    row('bundle, kB gzipped', ({ bundleBytes }) => (bundleBytes / 1000).toFixed(0)),
    row(`tests you write to take all ${edges} edges`, ({ ownTests }) => `${ownTests}`),
    '',
    'All five: `npm run bench -- approval` ([what is measured](benchmarks/README.md#the-question-approval)).',
  ];
}

function tokensTable({ figures }: TokensResults): readonly string[] {
  const rows = figures.map(({ calls, shape, planned, react, ratio }) => {
    const cells = [planned, react].flatMap(({ requests, sent, replied }) => [requests, sent + replied]);
    return `| ${calls} ${shape} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`;
  });
  return [
    '| calls | plan-execute: requests | tokens | ReAct: requests | tokens | plan-execute ÷ ReAct |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
    '',
    '',
  ];
}

/** Each server twice: with the streams alone, and beside idle threads and clients that read nothing. */
function serverTable({ servers, samples, loadAverage }: ServerResults): readonly string[] {
  const rows = servers.flatMap(({ variant, alone, crowded, mib, peerFirstEventToIt }) => {
    const cells = ({ firstEventP50, firstEventP99, tokenP50, tokenP99 }: Delays): readonly string[] =>
      [firstEventP50, firstEventP99, tokenP50, tokenP99].map(({ median }) => round(median));
    return [
      `| ${[variant, ...cells(alone), mib.start.median.toFixed(0), ''].join(' | ')} |`,
      `| ${[`${variant}, crowded`, ...cells(crowded), mib.end.median.toFixed(0), round(peerFirstEventToIt.median)].join(' | ')} |`,
    ];
  });
  return [
    '| ms | first event p50 | p99 | token p50 | p99 | MiB | LangGraph.js ÷ it, first event |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows,
    '',
    `Medians of ${new Set(samples.map(({ round }) => round)).size} fresh servers each; other work shared the processors (load average ${round(loadAverage.min)} to ${round(loadAverage.max)}), so only the ratio, taken within a round, means much.`,
  ];
}

/** A row for each plan, a column for each variant. */
function executorTable({ plans }: ExecutorResults): readonly string[] {
  const variants = [...new Set(plans.map(({ variant }) => variant))];
  const rows = [...new Set(plans.map(({ graph }) => graph))].map((graph) => {
    const cells = variants.map((variant) => {
      const plan = plans.find((each) => each.graph === graph && each.variant === variant);
      return plan ? `${plan.ms.median.toFixed(1)} (${plan.ofIdeal.toFixed(2)})` : '';
    });
    const own = plans.find((each) => each.graph === graph && each.variant === 'executePlan');
    return `| ${[graph, ...cells, own?.byHandToIt.median.toFixed(3) ?? ''].join(' | ')} |`;
  });
  return [
    `| ms (of the ideal) | ${variants.join(' | ')} | by hand ÷ \`executePlan\` |`,
    `|---|${variants.map(() => '---:|').join('')}---:|`,
    ...rows,
    '',
    '',
  ];
}

/** What each size of message means is said in benchmarks/README.md. */
function memoryTable({ figures }: MemoryResults): readonly string[] {
  const count = (value: number): string => value.toLocaleString('en-US');
  const rows = figures.map(
    ({ turns, size, withWindow, without, saved }) =>
      `| ${turns} | ${size} | ${count(withWindow.sentTokens)} | ${withWindow.summaryCalls} | ${count(without.sentTokens)} | ${Math.round(saved * 100)} % |`,
  );
  return [
    '| turns | messages | tokens sent, with the window | summary calls | without it | saved |',
    '|---:|---|---:|---:|---:|---:|',
    ...rows,
    '',
    '',
  ];
}

/** The newest results of a benchmark's question as a table for a page: medians of fresh processes. */
export function figures(name: string, page: string): string {
  const folder = 'benchmarks/results';
  const question = name.replace(/-model$/, ''); // what follows from the figures stands beside them
  const newest = readdirSync(folder)
    .filter((file) => file.startsWith(`${question}-`))
    .sort()
    .at(-1);
  const table = tables[name];
  if (!newest || !table) throw new Error(`"${name}" has no results.`);
  const results = JSON.parse(readFileSync(`${folder}/${newest}`, 'utf8')) as Results;
  const { startedAt, machine } = results;
  const lines = [...table(results)];
  const measured = `Measured ${startedAt.slice(0, 10)} on ${machine.cores} cores (${machine.cpu}), Node ${machine.node.slice(1)}: [${newest}](${relative(dirname(page), `${folder}/${newest}`)}).`;
  return [...lines.slice(0, -1), [lines.at(-1), measured].join(' ').trim()].join('\n');
}

/** The last line is a sentence, or empty. */
function engineTable({ runs, durableStep }: EngineResults): readonly string[] {
  const rows = runs.map(
    ({ variant, usPerRun, toLiveActor, langGraphToIt }) =>
      `| ${variant} | ${round(usPerRun.median)} | ${round(toLiveActor.median)} | ${round(langGraphToIt.median)} |`,
  );
  return [
    '| a run of 6 nodes | µs | ÷ live actor | LangGraph.js, MemorySaver ÷ it |',
    '|---|---:|---:|---:|',
    ...rows,
    '',
    `One \`append\` takes ${round(durableStep.appendToRaw.median)} times as long as a raw SQLite commit, a durable node ${round(durableStep.nodeToRaw.median)} times.`,
  ];
}

function retrievalTable({ stores }: RetrievalResults): readonly string[] {
  const megabytes = ({ median }: Median): string => (median / 1e6).toFixed(0);
  const rows = stores.map(
    ({ variant, indexMs, queryP50Ms, queryP99Ms, rssBytes, serverBytes }) =>
      `| ${variant} | ${indexMs.median.toFixed(0)} | ${round(queryP50Ms.median)} | ${round(queryP99Ms.median)} | ${megabytes(rssBytes)} | ${serverBytes.median > 0 ? megabytes(serverBytes) : ''} |`,
  );
  return [
    '| 3,000 articles | index ms | query p50 ms | query p99 ms | memory MB | server MB |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
    '',
    '',
  ];
}

const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
