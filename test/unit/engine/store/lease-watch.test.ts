import type { LeaseRequest } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HeldLease, LeaseWatch } from '../../../../src/engine/store/lease-watch.ts';

type ProcessState = ReturnType<ConstructorParameters<typeof LeaseWatch>[0]>;

const leaseMs = 30_000;
const lease = (heartbeat: number, more: Partial<HeldLease> = {}): HeldLease => ({
  runId: 'r_1',
  owner: 'there',
  epoch: 1,
  heartbeat,
  leaseMs,
  ...more,
});
const at = (monotonic: number, now = 0): LeaseRequest => ({ owner: 'here', leaseMs, now, monotonic });
const watchOf = (state: ProcessState): LeaseWatch => new LeaseWatch(() => state);

/** Moments of looks, in milliseconds after each other, each with a wall clock that says anything. */
const looks = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 40_000 }), now: fc.integer() }), { minLength: 1, maxLength: 30 });

describe('LeaseWatch', () => {
  it('keeps a lease that is renewed three times in its length, whatever any clock shows', () => {
    fc.assert(
      fc.property(looks, fc.constantFrom<ProcessState>('alive', 'unknown'), fc.integer(), (moments, state, startMs) => {
        const watch = watchOf(state);
        let elapsedMs = 0;
        for (const { afterMs, now } of moments) {
          elapsedMs += afterMs;
          const verdict = watch.judge(lease(Math.floor(elapsedMs / (leaseMs / 3))), 'here', at(startMs + elapsedMs, now));
          expect(verdict.isFree).toBe(false);
        }
      }),
    );
  });

  it('frees a lease without renewals exactly after its length', () => {
    fc.assert(
      fc.property(looks, fc.constantFrom<ProcessState>('alive', 'unknown'), fc.integer(), (moments, state, startMs) => {
        const watch = watchOf(state);
        let elapsedMs = 0;
        for (const [index, { afterMs, now }] of moments.entries()) {
          elapsedMs += index === 0 ? 0 : afterMs;
          const verdict = watch.judge(lease(1), 'here', at(startMs + elapsedMs, now));
          const expected =
            elapsedMs >= leaseMs ? { isFree: true } : { isFree: false, ownerMayBeGone: state === 'unknown', waitMs: leaseMs - elapsedMs };
          expect(verdict).toEqual(expected);
          if (verdict.isFree) return;
        }
      }),
    );
  });

  it('uses the process state if it is observable, and frees a run without an owner', () => {
    expect(watchOf('gone').judge(lease(1), 'here', at(0))).toEqual({ isFree: true });
    expect(watchOf('alive').judge(undefined, 'here', at(0))).toEqual({ isFree: true });
    expect(watchOf('alive').judge(lease(1, { leaseMs: 0 }), 'here', at(0))).toEqual({ isFree: true }); // it was given up
    expect(watchOf('gone').judge(lease(1, { owner: 'here' }), 'here', at(0))).toMatchObject({ isFree: false, ownerMayBeGone: false });
  });

  it('counts a change as a heartbeat only while it watches', () => {
    const watch = watchOf('unknown');
    expect(watch.judge(lease(1), 'here', at(0))).toMatchObject({ ownerMayBeGone: true });
    expect(watch.judge(lease(2), 'here', at(10_000))).toMatchObject({ ownerMayBeGone: false });
    expect(watch.judge(lease(3), 'here', at(1_000_000))).toMatchObject({ ownerMayBeGone: true, waitMs: leaseMs });
  });

  it('restarts for another epoch, owner or run, and when a clock was set back', () => {
    for (const other of [lease(1, { epoch: 2 }), lease(1, { owner: 'elsewhere' }), lease(1, { runId: 'r_2' })]) {
      const watch = watchOf('unknown');
      watch.judge(lease(1), 'here', at(0));
      expect(watch.judge(other, 'here', at(leaseMs))).toMatchObject({ isFree: false, waitMs: leaseMs });
    }
    const watch = watchOf('unknown');
    watch.judge(lease(1), 'here', at(1_000_000));
    expect(watch.judge(lease(1), 'here', at(0))).toMatchObject({ isFree: false, waitMs: leaseMs });
  });

  it('forgets the oldest observations above its limit', () => {
    const watch = watchOf('unknown');
    for (let run = 0; run <= 10_000; run++) watch.judge(lease(1, { runId: `r_${run}` }), 'here', at(0));
    expect(watch.judge(lease(1, { runId: 'r_10000' }), 'here', at(leaseMs))).toEqual({ isFree: true });
    expect(watch.judge(lease(1, { runId: 'r_0' }), 'here', at(leaseMs))).toMatchObject({ isFree: false, waitMs: leaseMs });
  });
});
