import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { StoreClock } from '../../../../src/engine/run/store-clock.ts';

/** A machine whose wall clock may be set, and a database that is asked over a network. */
function pair({ aheadMs, tripMs = () => 0 }: { readonly aheadMs: number; readonly tripMs?: (ask: number) => number }) {
  const steady = fakeClock(1_000_000);
  const machine = { ...steady, now: () => steady.now() + setMs };
  let [setMs, asks] = [0, 0];
  let fails = false;
  const ask = async (): Promise<number> => {
    if (fails) throw new Error('it is not there');
    await new Promise<void>((resolve) => steady.schedule(tripMs(asks++), resolve));
    return steady.now() + aheadMs;
  };
  return {
    steady,
    clock: new StoreClock(machine, ask),
    asks: () => asks,
    set: (ms: number) => {
      setMs = ms;
    },
    fail: (does: boolean) => {
      fails = does;
    },
  };
}

describe('StoreClock', () => {
  it("returns the store's time after the first reply, and advances by the monotonic clock", async () => {
    const { clock, steady, set, asks } = pair({ aheadMs: 3_600_000 });
    expect(clock.now()).toBe(1_000_000);
    const ready = clock.ready();
    await steady.advance(0);
    await ready;
    expect([clock.ready(), clock.now()]).toEqual([undefined, 4_600_000]);
    await steady.advance(500);
    set(-86_400_000);
    expect(clock.now()).toBe(4_600_500);
    expect([clock.monotonic(), asks()]).toEqual([500, 6]);
  });

  it('uses the shortest of five round trips', async () => {
    const trips = [400, 90, 10, 200, 300];
    const { clock, steady } = pair({ aheadMs: 0, tripMs: (ask) => trips[ask % 5] ?? 0 });
    void clock.ready();
    await steady.advance(2_000);
    expect(clock.now() - steady.now()).toBe(5);
  });

  it('sends five requests in 30 seconds, however often it is read, and none while it is not read', async () => {
    const { clock, steady, asks } = pair({ aheadMs: 0 });
    for (let second = 0; second < 60; second++) {
      clock.now();
      await steady.advance(1_000);
    }
    expect(asks()).toBe(10);
    await steady.advance(3_600_000);
    expect(asks()).toBe(10);
  });

  it('sends a request immediately after the wall clock changes or the machine has slept', async () => {
    const { clock, steady, set, asks } = pair({ aheadMs: 0 });
    clock.now();
    await steady.advance(1_000);
    set(7_200_000);
    clock.now();
    await steady.advance(1_000);
    expect([asks(), clock.now()]).toEqual([10, 1_002_000]);
  });

  it("returns the machine's time while the store is unavailable, and retries after 5 seconds", async () => {
    const { clock, steady, fail } = pair({ aheadMs: 3_600_000 });
    fail(true);
    await clock.ready();
    expect(clock.now()).toBe(1_000_000);
    fail(false);
    await steady.advance(5_000);
    clock.now();
    await steady.advance(0);
    expect(clock.now()).toBe(1_005_000 + 3_600_000);
  });
});
