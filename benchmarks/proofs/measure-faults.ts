import { findings, seededMachines } from '../../test/fixtures/seeded-faults/seeded-machines.ts';

/** Processor time in milliseconds. */
export interface FaultsSample {
  readonly rightMs: number;
  /** Mean of all faults. */
  readonly faultMs: number;
  /** Reports on the right machine. */
  readonly reports: number;
  /** Of the twelve usual faults. */
  readonly killed: number;
  /** How many of the others, such as `7 of 7`. */
  readonly subtle: string;
  /** Faults by the kind of their first report. */
  readonly by: Readonly<Record<string, number>>;
}

const { name } = JSON.parse(process.argv[2] ?? '{}') as { readonly name: string };
const machine = seededMachines.find((one) => one.name === name);
if (!machine) throw new Error(`There is no machine ${name}.`);

const before = process.cpuUsage();
const right = findings(machine);
const rightMs = sinceMs(before);
const kinds = [...machine.faults, ...machine.subtleFaults].map((fault) => ({ fault, kind: firstKind(fault) }));
const by: Record<string, number> = {};
for (const { kind } of kinds) by[kind] = (by[kind] ?? 0) + 1;
const killedOf = (faults: readonly string[]): number =>
  kinds.filter(({ fault, kind }) => faults.includes(fault) && kind !== 'nothing').length;

const sample: FaultsSample = {
  rightMs,
  faultMs: (sinceMs(before) - rightMs) / kinds.length,
  reports: right.length,
  killed: killedOf(machine.faults),
  subtle: `${killedOf(machine.subtleFaults)} of ${machine.subtleFaults.length}`,
  by,
};
console.log(JSON.stringify(sample));

/** A broken promise says most; then come other reports. */
function firstKind(fault: string): string {
  const found = findings(machine as NonNullable<typeof machine>, fault).filter((report) => !right.includes(report));
  const kinds = ['lint', 'broken', 'refused', 'undecided', 'edge', 'stuck', 'failure'];
  return kinds.find((kind) => found.some((report) => report.startsWith(`${kind}:`))) ?? 'nothing';
}

function sinceMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
