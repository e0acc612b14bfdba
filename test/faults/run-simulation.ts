// A deterministic simulation: `npm run simulate -- --seeds 10000 [--seed 1] [--db sqlite] [--plant 'forgets the fence']`. Fails at the first
// broken invariants, with the command that repeats each. Of a thousand seeds and more it writes what came of them to
// benchmarks/results/simulation.json while it goes on: who was interrupted begins again behind the last seed that stands there.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plantedFaults } from './planted-faults.ts';
import { type SimulationReport, simulate } from './simulation.ts';
import { thisMachine } from './this-machine.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    db: { type: 'string', default: 'memory' },
    plant: { type: 'string' },
  },
});
const first = Number(values.seed);
const count = Number(values.seeds ?? '1');
const plant = values.plant === undefined ? undefined : plantedFaults[values.plant];
if (
  !Number.isInteger(first) ||
  !(Number.isInteger(count) && count > 0) ||
  (values.plant !== undefined && !plant) ||
  !/^(memory|sqlite)$/.test(values.db)
) {
  console.error(
    `usage: npm run simulate -- --seeds 10000 [--seed 1] [--db memory|sqlite] [--plant '${Object.keys(plantedFaults).join("'|'")}']`,
  );
  process.exit(2);
}

/** What came of seeds that follow each other. */
interface Recorded {
  readonly from: number;
  readonly to: number;
  readonly broken: readonly number[];
  readonly seconds: number;
  readonly seen: Readonly<Record<string, number>>;
  readonly date: string;
}

const mostShown = 10;
const fewestRecorded = 1_000;
const file = new URL('../../benchmarks/results/simulation.json', import.meta.url);
const isRecorded = count >= fewestRecorded && !plant;
const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Recorded>>) : {};
/** What this one goes on with. */
const before = isRecorded && recorded[values.db]?.to === first - 1 ? recorded[values.db] : undefined;

const begun = performance.now();
const sums = new Map<string, number>(Object.entries(before?.seen ?? {}));
const broken: number[] = [...(before?.broken ?? [])];
const secondsSince = (): number => Math.round((performance.now() - begun) / 1_000);
function record(to: number): void {
  if (!isRecorded) return;
  const seconds = (before?.seconds ?? 0) + secondsSince();
  const made: Recorded = {
    from: before?.from ?? first,
    to,
    broken,
    seconds,
    seen: Object.fromEntries(sums),
    date: new Date().toISOString(),
  };
  writeFileSync(file, `${JSON.stringify({ ...recorded, machine: thisMachine(), [values.db]: made }, null, 2)}\n`);
}

/** A database for each seed: one that has had another run in it would be another world. */
const folder = values.db === 'sqlite' ? mkdtempSync(join(tmpdir(), 'simulation-')) : undefined;
async function make(seed: number): Promise<SimulationReport> {
  const home = folder && mkdtempSync(join(folder, `${seed}-`));
  try {
    return await simulate({ seed, ...(plant ? { plant } : {}), ...(home ? { path: join(home, 'a.db') } : {}) });
  } finally {
    if (home) rmSync(home, { recursive: true });
  }
}

let said = begun;
let last = first - 1;
while (last < first + count - 1 && broken.length < mostShown) {
  const seed = ++last;
  const { violations, seen, digest } = await make(seed);
  for (const [what, number] of Object.entries(seen)) sums.set(what, (sums.get(what) ?? 0) + number);
  if (count === 1) console.log(`seed ${seed}: ${digest}`, seen);
  if (violations.length > 0) {
    broken.push(seed);
    for (const line of violations.slice(0, 10)) console.log(`✗ seed ${seed}: ${line}`);
    console.log(
      `  again: npm run simulate -- --seed ${seed} --db ${values.db}${values.plant === undefined ? '' : ` --plant '${values.plant}'`}`,
    );
  }
  if (performance.now() - said > 15_000) {
    said = performance.now();
    record(seed);
    console.log(`  ${seed - first + 1} of ${count} seeds, ${broken.length} broken`);
  }
}
record(last);
if (folder) rmSync(folder, { recursive: true });
console.log(
  `${broken.length === 0 ? '✓' : '✗'} ${last - first + 1} seeds from ${first}, ${broken.length} broken, ${secondsSince()} s`,
  Object.fromEntries(sums),
);
process.exit(broken.length === 0 ? 0 : 1);
