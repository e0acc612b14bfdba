// Process of the question `encryption`: prints a sample for the task in its argument, as JSON.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { z } from 'zod';

export interface EncryptionTask {
  readonly encrypted: boolean;
  /** A run alone, or a turn of one conversation. */
  readonly kind: 'run' | 'turn';
  readonly runs: number;
}

export interface EncryptionSample {
  /** Time of a run from its start to its result, in milliseconds. */
  readonly runMs: number;
  /** Time to read and check the journal of a run, in milliseconds. */
  readonly readMs: number;
}

const word = 'swordfish ';
const text = word.repeat(100);

const write = async (): Promise<{ readonly text: string }> => ({ text });
const state = schemaState(z.object({ text: z.string().default('') }));

const writing = defineWorkflow({
  machine: defineMachine(state, {
    id: 'writing',
    initial: 'a',
    output: ({ text }) => text,
    states: {
      a: { node: 'first', done: 'b', error: 'failed' },
      b: { node: 'second', done: 'c', error: 'failed' },
      c: { node: 'third', done: 'done', error: 'failed' },
      done: { final: 'success' },
      failed: { final: 'failure' },
    },
  }),
  nodes: { first: write, second: write, third: write },
  thread: { initial: [], next: (before: readonly string[], { state }) => [...before, state.text] },
});

async function measure({ encrypted, kind, runs }: EncryptionTask): Promise<EncryptionSample> {
  const folder = mkdtempSync(join(tmpdir(), 'encryption-'));
  const key = Uint8Array.from({ length: 32 }, (_, index) => index);
  const store = sqliteStore({ path: join(folder, 'runs.db'), ...(encrypted ? { encrypt: { key } } : {}) });
  const runtime = createRuntime({ store });
  const thread = kind === 'turn' ? { threadId: 't' } : {};
  const runAll = async (from: number, to: number): Promise<number> => {
    const before = performance.now();
    for (let n = from; n < to; n++) {
      const { status } = await runtime.start(writing, {}, { runId: `r_${n}`, ...thread }).result;
      if (status !== 'done') throw new Error(`The run ${n} ended as ${status}.`);
    }
    return (performance.now() - before) / (to - from);
  };
  try {
    const warmUp = Math.ceil(runs / 4);
    await runAll(0, warmUp);
    const runMs = await runAll(warmUp, warmUp + runs);
    const before = performance.now();
    for (let n = warmUp; n < warmUp + runs; n++) await store.journal(`r_${n}`);
    const readMs = (performance.now() - before) / runs;
    const holds = readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(word));
    if (holds === encrypted) throw new Error(encrypted ? 'The file has the text of a run.' : 'The file has no text of a run.');
    return { runMs, readMs };
  } finally {
    await runtime.close();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '') as EncryptionTask)));
