interface Median {
  readonly median: number;
}

interface Rate {
  readonly home: string;
  readonly work: 'runs' | 'commits';
  readonly processes: number;
  readonly atOnce: number;
  readonly perSecond: Median;
  readonly toOneProcess: Median;
  readonly unfairness: Median;
  readonly cpuUsEach: Median;
  readonly serverCpuUsEach?: Median;
}

type PostgresCounts = Readonly<Record<'statements' | 'walBytes' | 'storedBytes' | 'sentBytes', number>>;

/** What `npm run bench -- scale` has written. */
export interface ScaleResults {
  readonly shortRun: number;
  readonly longRun: number;
  readonly steps: readonly {
    readonly home: string;
    readonly usPerStep: Median;
    readonly usPerStartAndEnd: Median;
    readonly usPerCommit?: Median;
    readonly nodeToCommit?: Median;
  }[];
  readonly rates: readonly Rate[];
  readonly postgres?: { readonly perShortRun: PostgresCounts; readonly perStep: PostgresCounts };
  readonly samples: readonly { readonly round: number }[];
  readonly loadAverage: { readonly min: number; readonly max: number };
}

const rateOf = ({ rates }: ScaleResults, home: string, work: string, processes: number, isAlone = false): Rate | undefined =>
  rates.find((row) => row.home === home && row.work === work && row.processes === processes && (row.atOnce === 1) === isAlone);

/** How many a second, then what one takes, then what PostgreSQL is sent and writes. */
export function scaleTable(results: ScaleResults): readonly string[] {
  const { shortRun, longRun, steps, rates, postgres, samples, loadAverage } = results;
  const told = (value: Median | undefined): string => (value ? round(value.median) : '');
  const rateRows = [...new Set(rates.map(({ home, work }) => `${home}, ${work}`))].map((name) => {
    const [home = '', work = ''] = name.split(', ');
    const [alone, one, two, four] = [
      rateOf(results, home, work, 1, true),
      ...[1, 2, 4].map((processes) => rateOf(results, home, work, processes)),
    ];
    const cells = [...[alone, one, two, four].map((row) => told(row?.perSecond)), told(four?.toOneProcess), told(four?.unfairness)];
    return `| ${[name.replace('commits', 'bare commits'), ...cells].join(' | ')} |`;
  });
  const stepRows = steps.map(({ home, usPerStep, usPerStartAndEnd, usPerCommit, nodeToCommit }) => {
    const busy = rateOf(results, home, 'runs', 1);
    const cells = [usPerStep, usPerStartAndEnd, usPerCommit, nodeToCommit, busy?.cpuUsEach, busy?.serverCpuUsEach].map(told);
    return `| ${[home, ...cells].join(' | ')} |`;
  });
  const counted = postgres ? { [`a run of ${shortRun} nodes`]: postgres.perShortRun, 'a step': postgres.perStep } : {};
  const countRows = Object.entries(counted).map(
    ([name, { statements, walBytes, storedBytes, sentBytes }]) =>
      `| ${name} | ${statements.toFixed(1)} | ${[sentBytes, walBytes, storedBytes].map((bytes) => bytes.toFixed(0)).join(' | ')} |`,
  );
  return [
    `| a second, runs of ${shortRun} nodes | one at a time | 8 at once | 2 processes | 4 processes | 4 ÷ 1 process | most ÷ fewest of 4 |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rateRows,
    '',
    `| µs | a step | start and end | bare commit | node of a run of ${longRun} ÷ bare commit | processor, a run | the server's |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...stepRows,
    '',
    ...(countRows.length > 0
      ? ['| PostgreSQL | statements | bytes sent | WAL bytes | bytes of tables |', '|---|---:|---:|---:|---:|', ...countRows, '']
      : []),
    `Medians of ${new Set(samples.map((one) => one.round)).size} times fresh processes; other work shared the processors (load average ${round(loadAverage.min)} to ${round(loadAverage.max)}).`,
  ];
}

/** What the arithmetic assumes; docs/guides/scaling.md names each. */
const assumed = {
  runsPerSecond: [10, 1_000, 100_000],
  /** From a run's start to its end, in seconds: models are waited for. */
  runSeconds: 10,
  /** A third of a lease's 30. */
  renewalSeconds: 10,
  statementsPerRenewal: 1,
  /** A statement holds its connection this long, in seconds. */
  statementSeconds: 0.001,
  serverProcessors: 16,
  /** How much of a processor, a disk or a process may be used at the busiest hour. */
  utilisation: 0.6,
};

/** What so many runs a second need: measured costs, multiplied. */
export function scaleModelTable(results: ScaleResults): readonly string[] {
  const rows = [...postgresNeeds(results), ...otherNeeds(results)];
  return [
    `| runs a second | ${assumed.runsPerSecond.map((count) => count.toLocaleString('en-US')).join(' | ')} |`,
    `|---|${assumed.runsPerSecond.map(() => '---:|').join('')}`,
    ...rows.map(([name, need]) => `| ${name} | ${assumed.runsPerSecond.map((count) => amount(need(count))).join(' | ')} |`),
    '',
    '',
  ];
}

type Need = readonly [name: string, need: (runsPerSecond: number) => number];

function postgresNeeds(results: ScaleResults): readonly Need[] {
  const { postgres, shortRun } = results;
  const busy = rateOf(results, 'postgres', 'runs', 1);
  if (!postgres || !busy) return [];
  const { statements, walBytes, storedBytes } = postgres.perShortRun;
  const { runSeconds, renewalSeconds, statementsPerRenewal, statementSeconds, serverProcessors, utilisation } = assumed;
  const renewals = runSeconds / renewalSeconds; // of each run
  const statementsOfAll = (count: number): number => count * (statements + renewals * statementsPerRenewal);
  // a renewal's statement costs what another one costs
  const withRenewals = (us: number): number => (us / 1e6) * (1 + (renewals * statementsPerRenewal) / statements);
  const serverBusy = (count: number): number => count * withRenewals(busy.serverCpuUsEach?.median ?? Number.NaN);
  return [
    ['runs under way', (count) => count * runSeconds],
    ['**PostgreSQL**: statements a second', statementsOfAll],
    ['commits a second', (count) => count * (shortRun + 2 + renewals)],
    ['connections that are busy', (count) => Math.ceil(statementsOfAll(count) * statementSeconds)],
    ['processors that drive', (count) => (count * withRenewals(busy.cpuUsEach.median)) / utilisation],
    ["processors of the servers'", (count) => serverBusy(count) / utilisation],
    ['write-ahead log, MB a second', (count) => (count * walBytes) / 1e6],
    ['tables, GB a day', (count) => (count * storedBytes * 86_400) / 1e9],
    [`databases of ${serverProcessors} processors`, (count) => Math.ceil(serverBusy(count) / (serverProcessors * utilisation))],
  ];
}

function otherNeeds(results: ScaleResults): readonly Need[] {
  const fitting = (home: string, processes: number): ((count: number) => number) => {
    const rate = rateOf(results, home, 'runs', processes)?.perSecond.median ?? Number.NaN;
    return (count) => Math.ceil(count / (rate * assumed.utilisation));
  };
  const restate = rateOf(results, 'restate', 'runs', 1);
  return [
    ['**SQLite**: files on disks like this one', fitting('sqlite', 1)],
    ['**memory**: processes', fitting('memory', 1)],
    ...(restate
      ? [
          [
            '**Restate**: processors, workers and servers',
            (count: number) => (count * (restate.cpuUsEach.median + (restate.serverCpuUsEach?.median ?? 0))) / 1e6 / assumed.utilisation,
          ] as const,
        ]
      : []),
  ];
}

const round = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** Two digits are all that a model is good for. */
const amount = (value: number): string => {
  if (Number.isNaN(value)) return '';
  const rounded = Number(value.toPrecision(2));
  return rounded >= 10 || Number.isInteger(rounded) ? rounded.toLocaleString('en-US') : String(rounded);
};
