// Many runs for a long time, with processes that are killed: `npm run soak -- [fleet] [--db sqlite|postgres]… [--minutes 10] [--runs 10000] [--threads 1000] [--seed 1]`.
// Writes what came of it to benchmarks/results/soak.json. With `fleet`, a server, workers and clients on PostgreSQL go through a deployment, see fleet.ts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seeded } from '../fixtures/seeded.ts';
import { type FaultPlaces, postgresPlaces, sqlitePlaces } from './fault-place.ts';
import { fleet } from './fleet.ts';
import { soak } from './soak.ts';
import { thisMachine } from './this-machine.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    db: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: '10000' },
    threads: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const isFleet = positionals[0] === 'fleet';
const { db: dbs = isFleet ? ['postgres'] : ['sqlite', 'postgres'] } = values;
const [minutes, runs, threads, seed] = [values.minutes, values.runs, values.threads, values.seed].map(Number);
const isUnknown = positionals.length > (isFleet ? 1 : 0) || dbs.some((db) => db !== 'sqlite' && db !== 'postgres');
if (!minutes || !runs || !threads || !seed || isUnknown) {
  console.error('usage: npm run soak -- [fleet] [--db sqlite|postgres]… [--minutes 10] [--runs 10000] [--threads 1000] [--seed 1]');
  process.exit(2);
}
const lastsMs = minutes * 60_000;
const file = new URL('../../benchmarks/results/soak.json', import.meta.url);
const results = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
const machine = thisMachine();

/** Returns the violations, and what is recorded. */
async function soakOf(
  db: string,
  places: FaultPlaces,
): Promise<{ readonly name: string; readonly violations: readonly string[]; readonly shown: object }> {
  const progress = (said: string): void => console.log(`  ${db}: ${said}`);
  const random = seeded(seed ?? 1);
  if (isFleet) {
    const { counts, violations } = await fleet({ place: await places.create(), lastsMs, random, progress });
    console.table(counts);
    return { name: `fleet ${db}`, violations, shown: counts };
  }
  const { violations, ...shown } = await soak({ places, runs: runs ?? 0, threads: threads ?? 0, lastsMs, random, progress });
  return { name: db, violations, shown: { ...shown, threads } };
}

let isSound = true;
for (const db of dbs) {
  const places = db === 'sqlite' ? sqlitePlaces() : await postgresPlaces();
  try {
    const { name, violations, shown } = await soakOf(db, places);
    console.log(`${violations.length === 0 ? '✓' : '✗'} ${db}: ${JSON.stringify(shown)}`);
    for (const line of violations.slice(0, 20)) console.log(`    ${line}`);
    isSound &&= violations.length === 0;
    results[name] = { ...shown, violations, minutes, seed, date: new Date().toISOString() };
    writeFileSync(file, `${JSON.stringify({ ...results, machine }, null, 2)}\n`);
  } finally {
    await places[Symbol.asyncDispose]();
  }
}
process.exit(isSound ? 0 : 1);
