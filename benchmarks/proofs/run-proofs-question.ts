import { entries } from 'agent-machines/machines';
import { runFreshProcess } from '../engine/fresh-process.ts';
import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { CountersSample } from './measure-counters.ts';
import type { FaultsSample } from './measure-faults.ts';
import type { MachineSample } from './measure-machine.ts';

const maxResidentMb = 1_300;
const minPlacesPerSecond = 80_000;
const maxSearchMs = 1_000;
const maxMachineMs = 2_000;
/** Its outcomes are functions that read lists. */
const maxPlanExecuteMs = 60_000;

/** At least so many of the 36 faults in machines that were not written with the kit. */
const minKilled = 34;
const maxSeededMs = 1_000;

const wheels = { small: 18, middle: 27, large: 32 } as const;

/** Maximum growth of time, relative to that of places. */
const maxGrowth = 1.3;

/** What does a proof cost? Fails beyond 1.3 GB, below 80,000 places a second, when time is not linear, and for a slow machine. */
export async function runProofsQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wrong: string[] = [];
  const small = await counted(wheels.small);
  const middle = await counted(wheels.middle);
  const large = quick ? undefined : await counted(wheels.large);
  const counts = [small, middle, ...(large ? [large] : [])];
  printTable(
    'two odometers, processor time',
    ['places', 'moves', 'explored, s', 'places/s', 'MB', 'stuck, ms', 'eventually, ms', 'never, ms', 'canReach, ms'],
    counts.map((one) => [
      one.places.toLocaleString('en'),
      one.moves.toLocaleString('en'),
      (one.exploreMs / 1_000).toFixed(2),
      Math.round(perSecond(one)).toLocaleString('en'),
      one.residentMb.toFixed(0),
      ...[one.stuckMs, one.eventuallyMs, one.neverMs, one.canReachMs].map((ms) => ms.toFixed(0)),
    ]),
  );
  for (const [one, next] of [[small, middle] as const, ...(large ? [[middle, large] as const] : [])]) {
    const [more, growth] = [next.places / one.places, next.exploreMs / one.exploreMs];
    console.log(`${more.toFixed(2)} times the places take ${growth.toFixed(2)} times the time`);
    // the start of a process weighs more in a small search, so less than linear is no fault
    if (growth > maxGrowth * more) wrong.push(`time grows by ${growth.toFixed(2)} for ${more.toFixed(2)} times the places`);
  }
  if (large) {
    if (perSecond(large) < minPlacesPerSecond) wrong.push(`${Math.round(perSecond(large))} places a second`);
    if (large.residentMb > maxResidentMb) wrong.push(`${large.residentMb.toFixed(0)} MB`);
    if (large.stuckMs > maxSearchMs || large.eventuallyMs > maxSearchMs) wrong.push('a search of the graph takes more than a second');
  }

  const machines: (MachineSample & { readonly name: string })[] = [];
  for (const { name, load } of entries) {
    if (!(await load()).promises) continue;
    const sample = (await runFreshProcess(new URL('measure-machine.ts', import.meta.url), { name })) as MachineSample;
    machines.push({ name, ...sample });
    if (sample.milliseconds > (name === 'plan-execute' ? maxPlanExecuteMs : maxMachineMs))
      wrong.push(`${name} takes ${(sample.milliseconds / 1_000).toFixed(1)} s`);
  }
  printTable(
    'the machines, without an abstraction written by hand',
    ['machine', 'places', 'promises', 'verdicts', 's'],
    machines.map(({ name, places, promises, verdicts, milliseconds }) => [
      name,
      String(places),
      String(promises),
      Object.entries(verdicts)
        .map(([verdict, count]) => `${count} ${verdict}`)
        .join(', '),
      (milliseconds / 1_000).toFixed(2),
    ]),
  );
  const seeded = [];
  for (const name of ['refund-bot', 'on-call', 'hiring'])
    seeded.push({ name, ...((await runFreshProcess(new URL('measure-faults.ts', import.meta.url), { name })) as FaultsSample) });
  printTable(
    'machines with faults, no outcome written by hand; processor time of the right machine and of a fault on average',
    ['machine', 'right, s', 'a fault, s', 'reports on the right one', 'of 12', 'subtle', 'by'],
    seeded.map(({ name, rightMs, faultMs, reports, killed, subtle, by }) => [
      name,
      (rightMs / 1_000).toFixed(2),
      (faultMs / 1_000).toFixed(2),
      String(reports),
      String(killed),
      subtle,
      Object.entries(by)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(', '),
    ]),
  );
  const killed = seeded.reduce((sum, one) => sum + one.killed, 0);
  if (killed < minKilled) wrong.push(`${killed} of 36 faults are found`);
  for (const { name, rightMs, reports } of seeded) {
    if (rightMs > maxSeededMs) wrong.push(`${name} takes ${(rightMs / 1_000).toFixed(1)} s`);
    if (reports > 0) wrong.push(`${name} without a fault has ${reports} reports`);
  }
  if (!quick) writeResults('proofs', startedAt, { machine: machineInfo({}), counters: counts, machines, seeded });
  for (const one of wrong) console.error(`✗ ${one}`);
  if (wrong.length > 0) process.exitCode = 1;
}

const counted = async (wheel: number): Promise<CountersSample> =>
  (await runFreshProcess(new URL('measure-counters.ts', import.meta.url), { wheel })) as CountersSample;

const perSecond = ({ places, exploreMs }: CountersSample): number => (places / exploreMs) * 1_000;
