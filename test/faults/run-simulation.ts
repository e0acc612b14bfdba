// A deterministic simulation: `npm run simulate -- --seeds 10000 [--seed 1] [--plant 'forgets the fence']`. Fails at the first broken
// invariants, with the command that repeats each.
import { parseArgs } from 'node:util';
import { plantedFaults } from './planted-faults.ts';
import { simulate } from './simulation.ts';

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

const mostShown = 10;
const begun = performance.now();
const sums = new Map<string, number>();
const broken: number[] = [];
let said = begun;
for (let seed = first; seed < first + count && broken.length < mostShown; seed++) {
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
    console.log(`  ${seed - first + 1} of ${count} seeds, ${broken.length} broken`);
  }
}
const seconds = Math.round((performance.now() - begun) / 1_000);
console.log(
  `${broken.length === 0 ? '✓' : '✗'} ${count} seeds from ${first}, ${broken.length} broken, ${seconds} s`,
  Object.fromEntries(sums),
);
process.exit(broken.length === 0 ? 0 : 1);
