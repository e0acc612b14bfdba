// How many machines with one part wrong the invariants of the workflows tell from the right one.
import { provenMachines } from './mutation/proven-machines.ts';
import { tableOf, toRow } from './mutation/score-table.ts';

const rows = [];
const asked = process.argv.slice(2); // names; none: all workflows
for (const machine of await provenMachines())
  if (asked.length === 0 || asked.includes(machine.name)) rows.push(toRow(machine.name, await machine.score()));
console.log(tableOf(rows));
for (const { survived } of rows) for (const { mutant, why } of survived) console.log(`\n${mutant}\n  ${why ?? 'nobody has said why'}`);
const problems = rows.flatMap((row) => row.problems);
for (const problem of problems) console.error(`\n✗ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
