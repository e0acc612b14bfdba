import { createRuntime, engineOf, type HumanEvent, type JournalEntry, memoryStore, type RunEvent, type RunResult } from 'agent-machines';
import { fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventObject } from 'xstate';
import { tableStepper } from '../../src/engine/drive/table-stepper.ts';
import { xstateStepper } from '../../src/engine/drive/xstate-stepper.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { flatMachines, flatWorkflow } from '../fixtures/flat-machines.ts';
import { says } from '../fixtures/log-workflow.ts';
import { share } from '../fixtures/share.ts';

/** What happens next: a node ends or fails, a timer fires, a human says something, or something arrives that nobody waits for. */
const cell = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('output' as const),
      count: fc.nat(6),
      log: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
      pick: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('error' as const), message: fc.constantFrom('boom', 'bang'), pick: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('timer' as const), pick: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom('GO' as const, 'SAY' as const, 'STOP' as const), pick: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('stranger' as const), pick: fc.nat(3) }) },
);
type Cell = typeof cell extends fc.Arbitrary<infer T> ? T : never;

type Move = ReturnType<ReturnType<typeof xstateStepper>['begin']>;
type Command = Move['commands'][number];

const comparable = ({ position, commands, edges }: Move): object => {
  const { state, where, done, output, waits } = position;
  return { state, where, done, output, waits, commands: commands.map((command) => ({ ...command, handler: undefined })), edges };
};

/** What is in progress after these commands. */
function follow(live: readonly Command[], commands: readonly Command[]): readonly Command[] {
  let now = [...live];
  for (const command of commands) {
    if (command.type === 'stop') now = now.filter(({ id }) => id !== command.id);
    else now.push(command);
  }
  return now;
}

function toEvent(step: Cell, live: readonly Command[]): EventObject & Record<string, unknown> {
  const nodes = live.filter(({ type }) => type === 'start');
  const timers = live.filter(({ type }) => type === 'delay');
  const pickOf = (list: readonly Command[]): Command | undefined => list[step.pick % Math.max(1, list.length)];
  if (step.what === 'output' || step.what === 'error') {
    const id = pickOf(nodes)?.id ?? '0.log.s0';
    if (step.what === 'output') return { type: `xstate.done.actor.${id}`, output: { count: step.count, log: step.log }, actorId: id };
    return {
      type: `xstate.error.actor.${id}`,
      error: { name: 'Error', code: 'NODE_FAILED', message: step.message, retryable: false },
      actorId: id,
    };
  }
  const timer = pickOf(timers);
  if (step.what === 'timer' && timer?.type === 'delay') return { ...timer.event };
  return step.what === 'SAY' ? { type: 'SAY', text: 'said' } : { type: step.what };
}

describe('the table of a flat machine', () => {
  it('moves exactly like XState for any machine and tape: state, place, commands, edges and rejections', () => {
    let moves = 0;
    let refusals = 0;
    fc.assert(
      fc.property(flatMachines, fc.array(cell, { maxLength: 25 }), (plan, tape) => {
        const { machine } = flatWorkflow(plan, says('x'));
        const table = tableStepper(machine);
        if ('reason' in table) throw new Error(`not compiled: ${table.reason}`);
        const xstate = xstateStepper(machine);
        let [a, b] = [table.begin({}), xstate.begin({})];
        expectSame(comparable(a), comparable(b));
        let live = follow([], b.commands);
        for (const step of tape) {
          if (b.position.done) break;
          const event = toEvent(step, live);
          const [nextA, nextB] = [table.move(a.position, { ...event }), xstate.move(b.position, { ...event })];
          expectSame(nextA && comparable(nextA), nextB && comparable(nextB));
          if (!nextA || !nextB) {
            refusals++;
            continue;
          }
          moves++;
          live = follow(live, nextB.commands);
          [a, b] = [nextA, nextB];
        }
      }),
      { numRuns: share(4_000) },
    );
    expect(moves).toBeGreaterThan(share(4_000));
    expect(refusals).toBeGreaterThan(share(300));
  });

  it('runs like XState over any tape, with humans and timers: result, journal and events', async () => {
    const endings = new Set<string>();
    await fc.assert(
      fc.asyncProperty(flatMachines, fc.array(cell, { minLength: 1, maxLength: 15 }), async (plan, tape) => {
        const onTable = await play(plan, tape);
        const onXState = await play(plan, tape, 'xstate');
        expect(onTable.engine).toBe('table');
        expect(onXState.engine).toBe('xstate');
        expectSame(onTable.seen, onXState.seen);
        endings.add(onTable.seen.result.status);
      }),
      { numRuns: share(400) },
    );
    expect(endings).toEqual(new Set(['done', 'waiting', 'failed']));
  });
});

interface Seen {
  readonly result: RunResult<unknown>;
  readonly journal: readonly Omit<JournalEntry, 'events'>[];
  readonly events: readonly RunEvent[];
}

/** Runs a machine: nodes take their outcomes from the tape, waits are answered or timed out by it. */
async function play(
  plan: Parameters<typeof flatWorkflow>[0],
  tape: readonly Cell[],
  engine?: 'xstate',
): Promise<{ engine: string; seen: Seen }> {
  let at = 0;
  const workflow = flatWorkflow(
    plan,
    async () => {
      const step = tape[at++ % tape.length];
      if (step?.what === 'error') throw new Error(step.message);
      return { log: step?.what === 'output' ? step.log : [], ...(step?.what === 'output' ? { count: step.count } : {}) };
    },
    engine,
  );
  const clock = fakeClock();
  const store = memoryStore();
  const runtime = createRuntime({ clock, store, limits: { nodeVisits: 12 } });
  let run = runtime.start(workflow, {});
  for (const step of tape) {
    const result = await run.result;
    if (result.status !== 'waiting' || !result.interrupt) break;
    if (step.what === 'timer') await clock.advance(60);
    else if (step.what === 'GO' || step.what === 'SAY' || step.what === 'STOP') {
      const event: HumanEvent = step.what === 'SAY' ? { type: 'SAY', text: 'said' } : { type: step.what };
      const answered = await runtime.send(run.id, event, { interruptId: result.interrupt.id }).catch(() => undefined);
      if (answered) run = answered as typeof run;
    }
    run = (await runtime.resume(run.id).catch(() => run)) as typeof run;
  }
  const result = await run.result;
  const journal = await store.journal(run.id);
  // ids are made of the run's: two runs differ in nothing else
  const normal = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(run.id, 'RUN')
        .replaceAll(/i_[0-9a-f]{16}/g, 'i_X'),
    ) as T;
  const seen = normal({
    result,
    journal: journal.map(({ events: _, ...entry }) => entry),
    events: (await runtime.history(run.id)).flatMap(({ events }) => events),
  });
  return { engine: engineOf(workflow).engine, seen };
}
