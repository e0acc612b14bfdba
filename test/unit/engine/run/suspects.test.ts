import { memoryStore, type RunRecord } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import { expect, it } from 'vitest';
import { CrashGuard } from '../../../../src/engine/run/crash-guard.ts';

const never = new AbortController().signal;

/** A run that is driven here, and others that are looked at. */
function suspected() {
  const clock = fakeClock();
  let seq = 3;
  let isHere = true;
  const recordOf = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
    id,
    workflow: 'w',
    version: '1',
    structure: 's',
    status: 'running',
    seq: 3,
    epoch: 3,
    crashes: 2,
    activeMs: 0,
    startedAt: 0,
    updatedAt: 0,
    ...more,
  });
  const store = { ...memoryStore(), read: (id: string) => recordOf(id, { seq }) };
  const suspects = new CrashGuard({ store, clock, isHere: () => isHere });
  const take = (id: string, more?: Partial<RunRecord>): Promise<boolean> => suspects.mayTake(recordOf(id, more), false, never);
  const wait = (id: string): Promise<boolean> => suspects.mayTake(recordOf(id), true, never);
  const ends = (): void => {
    isHere = false;
  };
  return { clock, take, wait, comesFurther: () => void seq++, ends };
}

it.each<[name: string, more: Partial<RunRecord>]>([
  ['has crashed once', { crashes: 1 }],
  ['is parked', { crashes: 3 }],
  ['waits for its timer', { status: 'waiting' }],
])('resumes a run that %s beside any other', async (_name, more) => {
  const { take } = suspected();
  expect([await take('one'), await take('two', more), await take('one', more)]).toEqual([true, true, true]);
});

it('resumes one run at a time when another crash would park it', async () => {
  const { take } = suspected();
  expect([await take('one'), await take('two'), await take('one')]).toEqual([true, false, true]);
});

it.each(['has come further', 'is not driven here any more', 'has had a minute'])(
  'resumes the next run when the previous one %s',
  async (how) => {
    const { clock, take, comesFurther, ends } = suspected();
    await take('one');
    expect(await take('two')).toBe(false);
    if (how === 'has come further') comesFurther();
    else if (how === 'has had a minute') await clock.advance(60_000);
    else ends();
    expect(await take('two')).toBe(true);
  },
);

it('waits for each run on request', async () => {
  const { clock, take, wait, comesFurther } = suspected();
  await take('one');
  let isTaken = false;
  const waiting = wait('two').then(() => {
    isTaken = true;
  });
  await clock.advance(1_000);
  expect(isTaken).toBe(false);
  comesFurther();
  await clock.advance(100);
  await waiting;
  expect(isTaken).toBe(true);
});
