// What a budget counts, for any order of calls that are reserved, paid, paid twice or never.
import { memoryStore, type Reservation } from 'agent-machines';
import { modelBudget } from 'agent-machines/stores';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';

const kinds = ['usd', 'tokens', 'calls'] as const;
type Amount = Readonly<Record<(typeof kinds)[number], number>>;

/** A token of a request costs 2, and one of a reply 3. */
const prices = { m: { inputPerMillion: 2e6, outputPerMillion: 3e6 } };
const tokens = fc.record({ inputTokens: fc.nat(20), outputTokens: fc.nat(20) });
const limits = fc.record({ usd: fc.nat(300), tokens: fc.nat(200), calls: fc.nat(12) }, { requiredKeys: [] });
const step = fc.oneof(
  fc.record({ do: fc.constant('reserve' as const), bound: tokens }),
  fc.record({ do: fc.constant('settle' as const), which: fc.nat(), usage: tokens }),
);

const nothing: Amount = { usd: 0, tokens: 0, calls: 0 };
const amountOf = ({ inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number }): Amount => ({
  usd: 2 * inputTokens + 3 * outputTokens,
  tokens: inputTokens + outputTokens,
  calls: 1,
});
const sum = (amounts: Iterable<Amount>): Amount =>
  [...amounts].reduce((all, one) => ({ usd: all.usd + one.usd, tokens: all.tokens + one.tokens, calls: all.calls + one.calls }), nothing);
const fits = (amount: Amount, limit: Partial<Amount>): boolean =>
  kinds.every((kind) => amount[kind] <= (limit[kind] ?? Number.POSITIVE_INFINITY));

it('never exceeds a limit, refuses only what does not fit, and loses no call', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (perRun, steps) => {
      const budget = modelBudget({ prices, perRun });
      const open: { readonly reservation: Reservation; readonly bound: Amount }[] = [];
      const settled: Reservation[] = [];
      const paid: Amount[] = [];
      for (const one of steps) {
        if (one.do === 'reserve') {
          const bound = perRun.usd === undefined ? { ...amountOf(one.bound), usd: 0 } : amountOf(one.bound);
          const isRoom = fits(sum([...paid, ...open.map(({ bound }) => bound), bound]), perRun);
          const reserved = budget.reserve({ model: 'm', ...one.bound }, { runId: 'r' });
          if (isRoom) open.push({ reservation: await reserved, bound });
          else await expect(reserved).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
        } else if (open.length > 0) {
          const [ended] = open.splice(one.which % open.length, 1);
          if (!ended) continue;
          const cost = amountOf(one.usage);
          const isWithin = fits(cost, ended.bound);
          await ended.reservation.settle(isWithin ? { model: 'm', usage: one.usage } : 'all');
          paid.push(isWithin ? { ...cost, usd: perRun.usd === undefined ? 0 : cost.usd } : ended.bound);
          settled.push(ended.reservation);
        }
        await settled.at(0)?.settle('all');
        const { reserved, ...spent } = await budget.spent({ runId: 'r' });
        expect([spent, reserved]).toEqual([sum(paid), sum(open.map(({ bound }) => bound))]);
        expect(fits(sum([spent, reserved]), perRun)).toBe(true);
      }
    }),
    { numRuns: share(1_000) },
  );
});

it('keeps a bounded number of calls that nobody settles, and counts them all', async () => {
  const store = memoryStore();
  const budget = modelBudget({ store, perRun: { calls: 2_000 } });
  const call = { model: 'm', inputTokens: 1, outputTokens: 1 };
  const first = await budget.reserve(call, { runId: 'r' });
  for (let calls = 1; calls < 1_200; calls++) await budget.reserve(call, { runId: 'r' });
  expect(await budget.spent({ runId: 'r' })).toMatchObject({ calls: 200, tokens: 400, reserved: { calls: 1_000, tokens: 2_000 } });
  await first.settle('none');
  expect(await budget.spent({ runId: 'r' })).toMatchObject({ calls: 200, reserved: { calls: 1_000 } });
});
