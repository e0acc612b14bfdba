// Every fault at its full count, on real databases with real processes: `npm run faults -- [--db sqlite|postgres] [--share 0.05] [--row F01]… [--seed 1]`.
// Writes benchmarks/results/faults.json; fails when anything was found, or a row was not made as often as it was asked for.
import { readFileSync, writeFileSync } from 'node:fs';
import { inspect, parseArgs } from 'node:util';
import { seeded } from '../fixtures/seeded.ts';
import { canMake, type Fault, type FaultOutcome } from './fault.ts';
import { type FaultPlaces, postgresPlaces, sqlitePlaces } from './fault-place.ts';
import { everyBoundary, insideCommits, onceInDoubt, randomKills } from './kills.ts';
import { eightWriters, manyThreads, poisonedRun, restartedServer } from './loads.ts';
import { longThread } from './long-thread.ts';
import { powerLoss } from './power.ts';
import { answeredByAll, resumedByAll } from './races.ts';
import { type MeasuredOn, thisMachine } from './this-machine.ts';
import { blockedLoop, stoppedProcess } from './zombies.ts';

const faults: readonly Fault[] = [
  everyBoundary,
  onceInDoubt,
  stoppedProcess,
  blockedLoop,
  resumedByAll,
  answeredByAll,
  eightWriters,
  poisonedRun,
  manyThreads,
  longThread,
  insideCommits,
  powerLoss,
  restartedServer,
  randomKills,
];

interface Row extends FaultOutcome {
  readonly row: string;
  readonly db: FaultPlaces['db'];
  readonly what: string;
  readonly asked: number | 'all';
  readonly seconds: number;
  readonly date: string;
  readonly seed: number;
  /** Rows are made again one at a time, and not all on one machine. */
  readonly machine: MeasuredOn;
}

const { values } = parseArgs({
  options: {
    db: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    share: { type: 'string', default: '1' },
    row: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
  },
});
const share = Number(values.share);
const seed = Number(values.seed);
const endAt = performance.now() + Number(values.minutes) * 60_000;
const named = faults.filter(({ row }) => values.row.length === 0 || values.row.includes(row));
const chosen = named.filter(canMake);
for (const { row, needs } of named.filter((fault) => !canMake(fault))) console.log(`${row} is left out: it needs ${needs}`);
const opens: Readonly<Record<string, () => Promise<FaultPlaces>>> = { sqlite: async () => sqlitePlaces(), postgres: postgresPlaces };
if (!(share > 0 && share <= 1) || !Number.isInteger(seed) || chosen.length === 0 || values.db.some((db) => !Object.hasOwn(opens, db))) {
  console.error('usage: npm run faults -- [--db sqlite|postgres]… [--share 0.05] [--row F01]… [--seed 1] [--minutes 30]');
  process.exit(2);
}

async function make(fault: Fault, places: FaultPlaces): Promise<Row> {
  const { row, what, asked } = fault;
  const { db } = places;
  const whole = Number.isFinite(asked);
  // of every boundary there is a share, too: it takes as many as it is told, spread over all
  const count = whole ? Math.max(1, Math.ceil(asked * share)) : share < 1 ? Math.ceil(100 * share) : asked;
  const begun = performance.now();
  let said = begun;
  const progress = (done: number): void => {
    if (performance.now() - said < 10_000) return;
    said = performance.now();
    console.log(`  ${db} ${row}: ${done} of ${whole ? count : 'all'}`);
  };
  const isLate = (): boolean => performance.now() > endAt;
  const outcome = await fault
    .make({ places, count, random: seeded(seed), progress, isLate })
    .catch((cause: unknown): FaultOutcome => ({ reached: 0, violations: [`it broke off: ${inspect(cause)}`] }));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const mark = outcome.violations.length === 0 ? '✓' : '✗';
  console.log(
    `${mark} ${db} ${row}: ${outcome.reached} of ${whole ? asked : 'all'}, ${outcome.violations.length} violations, ${seconds} s`,
  );
  for (const line of outcome.violations.slice(0, 20)) console.log(`    ${line}`);
  return { row, db, what, asked: whole ? asked : 'all', ...outcome, seconds, date: new Date().toISOString(), seed, machine: thisMachine() };
}

const file = new URL('../../benchmarks/results/faults.json', import.meta.url);
const earlier = (): readonly Row[] => {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly rows: readonly Row[] }).rows;
  } catch {
    return []; // there is none yet
  }
};

/** What was made now replaces what was made of the same row before, where it was made at least as often, or something was found in one. */
function write(rows: readonly Row[]): void {
  const idOf = ({ row, db }: Row): string => `${row} ${db}`;
  const kept = new Map(earlier().map((row) => [idOf(row), row]));
  for (const row of rows) {
    const before = kept.get(idOf(row));
    if (!before || before.violations.length > 0 || row.violations.length > 0 || row.reached >= before.reached) kept.set(idOf(row), row);
  }
  const sorted = [...kept.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ rows: sorted }, null, 2)}\n`);
}

const rows: Row[] = [];
for (const db of values.db) {
  const places = await opens[db]?.();
  if (!places) continue;
  try {
    for (const fault of chosen.filter(({ only = db }) => only === db)) {
      rows.push(await make(fault, places));
      write(rows);
    }
  } finally {
    await places[Symbol.asyncDispose]();
  }
}
const short = rows.filter(({ asked, reached }) => asked !== 'all' && reached < Math.ceil(asked * share));
for (const { row, db, asked, reached } of short) console.log(`${db} ${row} was made ${reached} of ${asked} times: there was no more time`);
process.exit(short.length > 0 || rows.some(({ violations }) => violations.length > 0) ? 1 : 0);
