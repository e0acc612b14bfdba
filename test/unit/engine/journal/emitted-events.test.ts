import { createRuntime, type JournalEntry, memoryStore, type RunEvent, type RunStore } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, waiting } from '../../../fixtures/log-workflow.ts';
import { share } from '../../../fixtures/share.ts';

type Act = 'returns' | 'throws' | 'thinks' | 'steps' | 'fails in a step' | 'returns what is said';
const acts: readonly Act[] = ['returns', 'throws', 'thinks', 'steps', 'fails in a step', 'returns what is said'];

/** A workflow whose nodes do in turn what they are told. */
function taped(tape: readonly Act[], engine: 'xstate' | undefined) {
  return logWorkflow({
    ...(engine ? { engine } : {}),
    states: {
      a: node('a', [{ guard: 'isLong', target: 'ask' }, { target: 'b' }], 'b'),
      b: node('b', 'a', 'ask'),
      ask: waiting({ GO: 'last', STOP: 'failed' }),
      last: node('last', 'done'),
      done: final,
      failed: failure,
    },
    guards: { isLong: ({ log }) => log.length >= tape.length },
    nodes: Object.fromEntries(
      ['a', 'b', 'last'].map((name) => [
        name,
        async ({ log }, io) => {
          const act = tape[log.length] ?? 'returns';
          if (act === 'throws') throw new Error('no');
          if (act === 'thinks') io.emit({ type: 'thinking', step: name, content: { at: log.length } });
          if (act === 'steps') await io.step('one', async () => ({ found: [log.length] }));
          if (act === 'fails in a step') await io.step('one', () => Promise.reject(new Error('no step')));
          return { log: [act === 'returns what is said' ? 'what the last node says is the output of many a run' : name] };
        },
      ]),
    ),
  });
}

const collect = async (events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> => {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

interface Told {
  readonly live: readonly RunEvent[];
  readonly stored: readonly RunEvent[];
  readonly fromTheMiddle: readonly RunEvent[];
  readonly journal: readonly JournalEntry[];
}

/** All that anybody can hear of a run that waits, is resumed elsewhere, and ends. */
async function toldBy(store: RunStore, tape: readonly Act[], engine: 'xstate' | undefined): Promise<Told> {
  const clock = fakeClock();
  const workflow = taped(tape, engine);
  const first = createRuntime({ store, clock, workflows: [workflow] });
  const run = first.start(workflow, {}, { runId: 'r_told' });
  const begun = collect(run.events());
  const waits = await run.result;
  await first.close();
  const second = createRuntime({ store, clock, workflows: [workflow] });
  if (waits.status !== 'waiting' || !waits.interrupt) throw new Error(JSON.stringify(waits));
  const resumed = await second.send('r_told', { type: 'GO' }, { interruptId: waits.interrupt.id });
  const rest = await collect(resumed.events({ from: (await begun).length + 1 }));
  const stored = await collect(second.events('r_told'));
  const fromTheMiddle = await collect(second.events('r_told', { from: Math.ceil(stored.length / 2) }));
  const journal = await second.history('r_told');
  await second.close();
  return { live: [...(await begun), ...rest], stored, fromTheMiddle, journal };
}

describe('events of a run', () => {
  it('are equal and equally numbered from stores that save them and from stores that rebuild them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...acts), { maxLength: 6 }),
        fc.constantFrom(undefined, 'xstate' as const),
        async (tape, engine) => {
          // another object with the same methods is given plain entries, as every store of somebody else's
          const plain = await toldBy({ ...memoryStore() }, tape, engine);
          const sqlite = sqliteStore({ path: ':memory:' });
          expect(await toldBy(memoryStore(), tape, engine)).toEqual(plain);
          expect(await toldBy(sqlite, tape, engine)).toEqual(plain);
          await sqlite.close();
          expect(plain.stored).toEqual(plain.live);
          expect(plain.stored).toEqual(plain.journal.flatMap(({ events }) => events));
          expect(plain.stored.map(({ seq }) => seq)).toEqual(plain.stored.map((_, index) => index + 1));
          expect(plain.fromTheMiddle).toEqual(plain.stored.slice(Math.ceil(plain.stored.length / 2) - 1));
        },
      ),
      { numRuns: share(60, 20) },
    );
  });

  it('are part of every entry that a custom store receives', async () => {
    const texts: string[] = [];
    const inner = memoryStore();
    const store: RunStore = {
      ...inner,
      append: (lease, entry, activeMs) => {
        texts.push(JSON.stringify(structuredClone(entry)));
        return inner.append(lease, entry, activeMs);
      },
    };
    await toldBy(store, ['steps', 'thinks'], undefined);
    expect(texts.length).toBeGreaterThan(3);
    for (const text of texts) expect(JSON.parse(text)).toHaveProperty('events');
  });
});
