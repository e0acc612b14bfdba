// Processes that want the same at the same time: a run (F07), or to answer a question (F09).
import { createRuntime, type NodeIo } from 'agent-machines';
import type { FaultyReply } from '../fixtures/faulty-process.ts';
import { keyed } from '../fixtures/faulty-workflow.ts';
import { notesIn, recordedStore } from '../fixtures/history.ts';
import { waitingFor } from '../fixtures/waiting-for.ts';
import { type Fault, type FaultOptions, inLanes } from './fault.ts';
import { type FaultPlace, violationsAt } from './fault-place.ts';
import { type FaultyChild, faultyChild } from './faulty-child.ts';

const most = 8;

/** Starts the processes of a race, and ends them. */
async function withRacers(
  { places, count }: FaultOptions,
  holds: 'before' | undefined,
  work: (place: FaultPlace, racers: readonly FaultyChild[]) => Promise<void>,
): Promise<readonly string[]> {
  const place = await places.create();
  await place.open().close(); // all find the tables
  const racers = await Promise.all(
    Array.from({ length: Math.min(most, count + 1) }, (_, number) => faultyChild(place, { by: `p${number}`, ...(holds ? { holds } : {}) })),
  );
  try {
    await work(place, racers);
  } finally {
    for (const racer of racers) racer.kill('SIGKILL');
    await Promise.all(racers.map(({ ended }) => ended));
  }
  return violationsAt(place);
}

/** A runtime that leaves runs to others: paused before their first change, or at their question. */
function leaver(place: FaultPlace, pauses: boolean) {
  const note = notesIn(place.notes);
  const by = 'leaver';
  const store = recordedStore(place.open(), { by, note });
  const until = ({ signal, runId = '' }: NodeIo): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      void runtime.pause(runId);
    });
  const runtime = createRuntime({ store, workflows: [keyed({ by, note, ...(pauses ? { before: until } : {}) })] });
  const leave = async (id: string) => runtime.start('keyed', {}, { runId: id, threadId: `t-${id}` }).result;
  const close = async (): Promise<void> => {
    await runtime.close();
    await store.close();
  };
  return { leave, close, runtime };
}

/** F07: up to eight processes resume one run. The one that has it holds it until all others were told so. */
export const resumedByAll: Fault = {
  row: 'F07',
  what: '2 to 8 processes resume one thread at once: one has it, the others are told RUN_BUSY with its owner',
  asked: 1_000,
  async make(options) {
    const violations: string[] = [];
    let reached = 0;
    const wrong = await withRacers(options, 'before', async (place, racers) => {
      const { leave, close } = leaver(place, true);
      const held = new Map<FaultyChild, Promise<string | undefined>>();
      reached = await inLanes(options, 1, async (race) => {
        const id = `r${race}`;
        await leave(id);
        const count = 2 + (race % (most - 1));
        const some = racers.slice(0, count);
        let winners = 0;
        const refused: (FaultyReply | undefined)[] = [];
        await new Promise<void>((resolve) => {
          const look = (): void => {
            if (winners + refused.length >= count) resolve();
          };
          for (const racer of some) {
            void racer.call('resume', id).then((reply) => {
              refused.push(reply);
              look();
            });
            const holding = held.get(racer) ?? racer.held();
            held.set(racer, holding);
            void holding.then((step) => {
              if (held.get(racer) === holding) held.delete(racer);
              if (step !== `${id}/a`) return;
              winners++;
              look();
            });
          }
        });
        if (winners !== 1) violations.push(`${id}: ${winners} have it`);
        for (const reply of refused) {
          const { owner } = (reply?.error?.data ?? {}) as { readonly owner?: unknown };
          if (reply?.error?.code !== 'RUN_BUSY' || typeof owner !== 'string') violations.push(`${id}: ${JSON.stringify(reply)}`);
        }
        const told = refused.length;
        await Promise.all(some.map((racer) => racer.call('go')));
        while (refused.length === told && winners > 0) await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(some.map((racer) => racer.call('hold')));
      });
      await close();
    });
    return { reached, violations: [...violations, ...wrong] };
  },
};

/** F09: up to eight processes answer one question, all the same or each something else. */
export const answeredByAll: Fault = {
  row: 'F09',
  what: 'one question answered by 2 to 8 processes at once, with the same or with different words: one effect, and the others told who was first',
  asked: 1_000,
  async make(options) {
    const violations: string[] = [];
    let reached = 0;
    const wrong = await withRacers(options, undefined, async (place, racers) => {
      const { leave, close, runtime } = leaver(place, false);
      reached = await inLanes(options, 1, async (race) => {
        const id = `r${race}`;
        const interrupt = waitingFor(await leave(id)).id;
        const some = racers.slice(0, 2 + (race % (most - 1)));
        const isSame = race % 2 === 0;
        const texts = some.map((_, number) => (isSame ? 'yes' : `number ${number}`));
        const replies = await Promise.all(
          some.map((racer, number) => racer.call('send', id, { type: 'SAY', text: texts[number] }, interrupt)),
        );
        const refused = replies.filter((reply) => reply?.error);
        if (refused.length !== (isSame ? 0 : some.length - 1)) violations.push(`${id}: ${JSON.stringify(replies)}`);
        for (const reply of refused) if (reply?.error?.code !== 'INTERRUPT_ANSWERED') violations.push(`${id}: ${JSON.stringify(reply)}`);
        const winner = texts[replies.findIndex((reply) => !reply?.error)];
        const { result } = await runtime.get(id);
        if (result?.status !== 'done' || result.output !== `a,b,c,d,${winner},e`)
          violations.push(`${id}: ${winner}, ${JSON.stringify(result)}`);
      });
      await close();
    });
    return { reached, violations: [...violations, ...wrong] };
  },
};
