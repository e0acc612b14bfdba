// Many runs for a long time, with processes that are killed: `npm run soak -- [--db sqlite|postgres]… [--minutes 10] [--runs 10000] [--threads 1000] [--seed 1]`.
// Writes what came of it to benchmarks/results/soak.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seeded } from '../fixtures/seeded.ts';
import { postgresPlaces, sqlitePlaces } from './fault-place.ts';
import { soak } from './soak.ts';
import { thisMachine } from './this-machine.ts';

const { values } = parseArgs({
  options: {
    db: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: '10000' },
    threads: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const [minutes, runs, threads, seed] = [values.minutes, values.runs, values.threads, values.seed].map(Number);
if (!minutes || !runs || !threads || !seed || values.db.some((db) => db !== 'sqlite' && db !== 'postgres')) {
  console.error('usage: npm run soak -- [--db sqlite|postgres]… [--minutes 10] [--runs 10000] [--threads 1000] [--seed 1]');
  process.exit(2);
}
const file = new URL('../../benchmarks/results/soak.json', import.meta.url);
const results = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
const machine = thisMachine();
let isSound = true;
for (const db of values.db) {
  const places = db === 'sqlite' ? sqlitePlaces() : await postgresPlaces();
  try {
    const progress = (said: string): void => console.log(`  ${db}: ${said}`);
    const report = await soak({ places, runs, threads, lastsMs: minutes * 60_000, random: seeded(seed), progress });
    const { violations, ...numbers } = report;
    console.log(`${violations.length === 0 ? '✓' : '✗'} ${db}: ${JSON.stringify(numbers)}`);
    for (const line of violations.slice(0, 20)) console.log(`    ${line}`);
    isSound &&= violations.length === 0;
    writeFileSync(
      file,
      `${JSON.stringify({ ...results, machine, [db]: { ...report, threads, minutes, seed, date: new Date().toISOString() } }, null, 2)}\n`,
    );
    results[db] = { ...report, threads, minutes, seed, date: new Date().toISOString() };
  } finally {
    await places[Symbol.asyncDispose]();
  }
}
process.exit(isSound ? 0 : 1);
