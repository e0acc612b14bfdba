import { replayInspection } from 'agent-machines/inspect';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells } from '../fixtures/equality/cells.ts';
import { choose } from '../fixtures/equality/expect-equal.ts';
import { playLive } from '../fixtures/equality/live-play.ts';
import { type MachineConfig, toMachine } from '../fixtures/equality/machine-config.ts';
import { machinePlans } from '../fixtures/equality/machine-plan.ts';
import { isBuilt, issuesOf, toConfig } from '../fixtures/equality/plan-config.ts';
import { playRun } from '../fixtures/equality/run-play.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { inspectionLog } from '../fixtures/inspection-log.ts';
import { share } from '../fixtures/share.ts';

/** Plays a machine live and in a run, and holds equal what inspectors were told after each act; then replays the run. */
async function expectSameInspection(config: MachineConfig, tape: Parameters<typeof choose>[1][], engine?: 'xstate') {
  const [seenLive, seenRun, seenReplay] = [inspectionLog(), inspectionLog(), inspectionLog()];
  const live = await playLive(toMachine(config), seenLive.inspect);
  const run = await playRun(toMachine(config), engine, seenRun.inspect);
  const expected: unknown[] = [];
  let at = 0;
  const compare = async (): Promise<void> => {
    await run.seen(await live.seen());
    const added = seenLive.lines.slice(at);
    at = seenLive.lines.length;
    // an event that no edge takes is told to a live actor, and refused before it comes to a run
    if (!run.refused()) expected.push(...added);
    expectSame(seenRun.lines, expected);
  };
  try {
    await compare();
    for (const cell of tape) {
      const act = choose(live, cell);
      if (!act) break;
      await live.act(act);
      await run.act(act);
      await compare();
    }
    if ((await live.seen()).at !== 'error') {
      await replayInspection({ store: run.store, runId: run.runId, workflow: run.workflow, inspect: seenReplay.inspect });
      expectSame(seenReplay.lines, expected);
    }
    return expected as readonly { readonly type: string }[];
  } catch (error) {
    throw new Error(`${String(error)}\n\nthe machine: ${JSON.stringify(config)}\nthe tape: ${JSON.stringify(tape)}`, { cause: error });
  } finally {
    await live.end();
    await run.end();
  }
}

describe('an inspector of a run', () => {
  it('receives the events of a live actor and of a replay, in kind, order and shape: 200 machines of every shape', async () => {
    const told = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(machinePlans, fc.array(cells, { minLength: 1, maxLength: 10 }), fc.boolean(), async (plan, tape, onXState) => {
        const config = toConfig(plan);
        fc.pre(isBuilt(config) && issuesOf(config).length === 0);
        const lines = await expectSameInspection(config, tape, onXState ? 'xstate' : undefined);
        for (const { type } of lines) told.set(type, (told.get(type) ?? 0) + 1);
      }),
      { numRuns: share(200), maxSkipsPerRun: 20 },
    );
    for (const kind of ['actor', 'event', 'snapshot', 'microstep', 'action'])
      expect(told.get(`@xstate.${kind}`)).toBeGreaterThan(share(200));
  }, 600_000);
});
