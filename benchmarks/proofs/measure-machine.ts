import { entries } from 'agent-machines/machines';
import { type ExploreOptions, exploreMachine, toPromiseReport } from 'agent-machines/testing';

/** Processor time in milliseconds, of the exploration and all promises. */
export interface MachineSample {
  readonly places: number;
  readonly promises: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly milliseconds: number;
}

// a machine of the package, without the abstraction that its exploration has
const { name } = JSON.parse(process.argv[2] ?? '{}') as { readonly name: string };
const entry = entries.find((one) => one.name === name);
if (!entry) throw new Error(`There is no machine ${name}.`);
const { draft, small = draft, promises } = await entry.load();
const { exploreOptions = {}, invariants = [] } = (await promises?.()) ?? {};
const { abstract: _, ...options }: ExploreOptions<unknown, unknown> = exploreOptions;
const workflow = small();

const before = process.cpuUsage();
const explored = exploreMachine(workflow, options);
const verdicts: Record<string, number> = {};
for (const { verdict = '' } of toPromiseReport(explored, invariants).promises) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
const { user, system } = process.cpuUsage(before);
const sample: MachineSample = {
  places: explored.states.length,
  promises: invariants.length,
  verdicts,
  milliseconds: (user + system) / 1_000,
};
console.log(JSON.stringify(sample));
