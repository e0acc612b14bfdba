// A deterministic simulation: `npm run simulate -- --seeds 10000 [--seed 1] [--plant 'forgets the fence']`. Fails at the first broken
// invariants, with the command that repeats each. Of a thousand seeds and more it writes what came of them to
// benchmarks/results/simulation.json while it goes on: who was interrupted begins again behind the last seed that stands there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { plantedFaults } from './planted-faults.ts';
import { simulate } from './simulation.ts';
import { thisMachine } from './this-machine.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, seed: { type: 'string', default: '1' }, plant: { type: 'string' } },
});
const first = Number(values.seed);
const count = Number(values.seeds ?? '1');
const plant = values.plant === undefined ? undefined : plantedFaults[values.plant];
if (!Number.isInteger(first) || !(Number.isInteger(count) && count > 0) || (values.plant !== undefined && !plant)) {
  console.error(`usage: npm run simulate -- --seeds 10000 [--seed 1] [--plant '${Object.keys(plantedFaults).join("'|'")}']`);
  process.exit(2);
}

/** What came of seeds that follow each other. */
interface Recorded {
  readonly from: number;
  readonly to: number;
  readonly broken: readonly number[];
  readonly seconds: number;
  readonly seen: Readonly<Record<string, number>>;
}

const mostShown = 10;
const fewestRecorded = 1_000;
const file = new URL('../../benchmarks/results/simulation.json', import.meta.url);
const isRecorded = count >= fewestRecorded && !plant;
const earlier = isRecorded && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : undefined;
/** What this one goes on with. */
const before = earlier?.to === first - 1 ? earlier : undefined;

const begun = performance.now();
const sums = new Map<string, number>(Object.entries(before?.seen ?? {}));
const broken: number[] = [...(before?.broken ?? [])];
const secondsSince = (): number => Math.round((performance.now() - begun) / 1_000);
function record(to: number): void {
  if (!isRecorded) return;
  const seconds = (before?.seconds ?? 0) + secondsSince();
  const made: Recorded = { from: before?.from ?? first, to, broken, seconds, seen: Object.fromEntries(sums) };
  writeFileSync(file, `${JSON.stringify({ machine: thisMachine(), ...made, date: new Date().toISOString() }, null, 2)}\n`);
}

let said = begun;
let last = first - 1;
while (last < first + count - 1 && broken.length < mostShown) {
  const seed = ++last;
  const { violations, seen, digest } = await simulate({ seed, ...(plant ? { plant } : {}) });
  for (const [what, number] of Object.entries(seen)) sums.set(what, (sums.get(what) ?? 0) + number);
  if (count === 1) console.log(`seed ${seed}: ${digest}`, seen);
  if (violations.length > 0) {
    broken.push(seed);
    for (const line of violations.slice(0, 10)) console.log(`✗ seed ${seed}: ${line}`);
    console.log(`  again: npm run simulate -- --seed ${seed}${values.plant === undefined ? '' : ` --plant '${values.plant}'`}`);
  }
  if (performance.now() - said > 15_000) {
    said = performance.now();
    record(seed);
    console.log(`  ${seed - first + 1} of ${count} seeds, ${broken.length} broken`);
  }
}
record(last);
console.log(
  `${broken.length === 0 ? '✓' : '✗'} ${last - first + 1} seeds from ${first}, ${broken.length} broken, ${secondsSince()} s`,
  Object.fromEntries(sums),
);
process.exit(broken.length === 0 ? 0 : 1);
