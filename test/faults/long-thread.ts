// A thread of very many turns, each of which is handed all that was said before it (F23).
import { createRuntime, defineMachine, defineWorkflow, final, node, schemaState } from 'agent-machines';
import { z } from 'zod';
import type { Fault } from './fault.ts';

const partChars = 600;
/** Of a turn: what a human says, and what is answered. */
const turnBytes = 2 * partChars;

const state = schemaState(z.object({ question: z.string(), before: z.array(z.string()), answer: z.string().default('') }));
const machine = defineMachine(state, {
  id: 'talk',
  version: '1',
  initial: 'answer',
  output: ({ answer }) => answer,
  states: { answer: node('answer', { done: 'done', error: 'failed' }), done: final(), failed: final('failure') },
});
const talk = (answer: () => string) =>
  defineWorkflow<typeof machine, string, readonly string[]>({
    machine,
    nodes: { answer: async () => ({ answer: answer() }) },
    parseInput: (question) => String(question),
    toMachineInput: (question, { thread }) => ({ question, before: [...thread] }),
    thread: { initial: [], next: (before, { state }) => [...before, state.question, state.answer] },
  });

export const longThread: Fault = {
  row: 'F23',
  what: 'a thread of 1,000 turns of 1.2 KB, each handed all before it: at most three times what was said is stored, and twice the turns take at most 2.1 times as much',
  asked: 1_000,
  async make({ places, count, random, progress, isLate = () => false }) {
    const text = (): string => Array.from({ length: partChars }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
    const workflow = talk(text);
    const place = await places.create();
    const store = place.open();
    await store.read('r'); // it has its tables then
    const emptyBytes = await place.bytes();
    const stored = async (): Promise<number> => (await place.bytes()) - emptyBytes;
    const runtime = createRuntime({ store, workflows: [workflow] });
    const violations: string[] = [];
    const loadsMs: number[] = [];
    let halfBytes = 0;
    let reached = 0;
    for (; reached < count && !isLate(); progress?.(reached)) {
      const result = await runtime.start(workflow, text(), { threadId: 't' }).result;
      if (result.status !== 'done') violations.push(`turn ${reached}: ${JSON.stringify(result)}`);
      reached++;
      const begun = performance.now();
      const thread = await store.readThread('t');
      loadsMs.push(performance.now() - begun);
      if (thread?.revision !== reached) violations.push(`turn ${reached}: the thread has ${thread?.revision}`);
      if (reached === Math.floor(count / 2)) halfBytes = await stored();
    }
    await runtime.close();
    await store.close();
    const bytes = await stored();
    // of a short thread, the first pages of tables and indexes are more than what it says
    const most = 3 * count * turnBytes + (count < 1_000 ? 16 * 8_192 : 0);
    if (bytes > most) violations.push(`${bytes} bytes for ${reached} turns of ${turnBytes}`);
    if (bytes > 2.1 * halfBytes) violations.push(`${bytes} bytes for ${reached} turns, ${halfBytes} for half of them`);
    const p95 = loadsMs.sort((a, b) => a - b)[Math.floor(loadsMs.length * 0.95)] ?? 0;
    const times = Math.round((100 * bytes) / (reached * turnBytes)) / 100;
    return {
      reached,
      violations,
      seen: { bytes, 'times what was said': times, 'bytes at half of it': halfBytes, 'p95 of a load in ms': Math.round(p95 * 10) / 10 },
    };
  },
};
