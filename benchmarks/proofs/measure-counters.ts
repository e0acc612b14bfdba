import { canReach, eventually, exploreMachine, never } from 'agent-machines/testing';
import { counters } from './counters.ts';

/** Processor time in milliseconds, memory in MB. */
export interface CountersSample {
  readonly places: number;
  readonly moves: number;
  readonly exploreMs: number;
  readonly stuckMs: number;
  readonly eventuallyMs: number;
  readonly neverMs: number;
  readonly canReachMs: number;
  readonly residentMb: number;
}

const { wheel } = JSON.parse(process.argv[2] ?? '{}') as { readonly wheel: number };
const workflow = counters(wheel);

function timed<T>(work: () => T): readonly [result: T, milliseconds: number] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000];
}

const [explored, exploreMs] = timed(() => exploreMachine(workflow, { maxStates: 3_000_000 }));
if (!explored.complete) throw new Error(`The exploration is not complete: ${explored.cutOff.join('; ')}`);
const expected = wheel ** 4 + 1;
if (explored.states.length !== expected) throw new Error(`There are ${explored.states.length} places instead of ${expected}.`);
const residentMb = process.resourceUsage().maxRSS / 1_024;

const [stuck, stuckMs] = timed(() => explored.stuck.length);
if (stuck > 0) throw new Error('A place has no way to the end.');
const [circle, eventuallyMs] = timed(() => eventually('it ends', ({ done }) => done).check(explored).verdict);
if (circle !== 'broken') throw new Error('A circle was not found.');
const [high, neverMs] = timed(() => never('the last wheel turns', ({ state }) => Number(state.d) === wheel - 1).check(explored).verdict);
if (high !== 'broken') throw new Error('The last wheel does not turn.');
const [end, canReachMs] = timed(() => canReach('it can end', ({ done }) => done).check(explored).verdict);
if (end !== 'holds') throw new Error('It cannot end.');

const sample: CountersSample = {
  places: explored.states.length,
  moves: 3 * wheel ** 4,
  exploreMs,
  stuckMs,
  eventuallyMs,
  neverMs,
  canReachMs,
  residentMb,
};
console.log(JSON.stringify(sample));
