// Processes that stand still for longer than their lease, and go on: stopped (F08), or with a tool that holds the event loop (F25).
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, type RunStore, WorkflowError } from 'agent-machines';
import { keyed } from '../fixtures/faulty-workflow.ts';
import { notesIn, recordedStore } from '../fixtures/history.ts';
import { type Fault, type FaultOptions, type FaultOutcome, inLanes } from './fault.ts';
import { violationsAt } from './fault-place.ts';
import { type FaultyChild, faultyChild } from './faulty-child.ts';

const leaseMs = 300;

interface Sleep {
  /** Makes it stand still, outside of a commit: inside of one it would lock the file for as long as it is stopped. */
  begin(child: FaultyChild, store: RunStore): Promise<void> | void;
  /** Lets it go on. */
  end(child: FaultyChild): void;
}

/** A process holds a run behind an effect, stands still until another one has taken the run over, and goes on. */
async function standStill(options: FaultOptions, { begin, end }: Sleep): Promise<FaultOutcome> {
  const violations: string[] = [];
  const place = await options.places.create();
  const note = notesIn(place.notes);
  const by = 'next';
  const store = recordedStore(place.open(), { by, note });
  const runtime = createRuntime({ store, workflows: [keyed({ by, note })], leaseMs });
  const child = await faultyChild(place, { by: 'zombie', leaseMs, holds: 'after' });
  const reached = await inLanes(options, 1, async (number) => {
    const id = `r${number}`;
    const over = child.call('start', 'keyed', id, `t-${id}`);
    await child.held();
    await begin(child, store);
    for (let taken = 0; taken === 0; taken = (await runtime.recover()).taken.length) await pause(20);
    const run = await runtime.resume(id);
    const result = await run.result;
    if (result.status !== 'waiting') violations.push(`${id}: ${JSON.stringify(result)}`);
    const before = await store.journal(id);
    end(child);
    await child.call('go');
    const { result: told, error } = (await over) ?? {};
    const { status, error: why } = (told ?? {}) as { readonly status?: string; readonly error?: { readonly code: string } };
    if (error || status !== 'failed' || why?.code !== 'RUN_FENCED') violations.push(`${id}: it was told ${JSON.stringify(told ?? error)}`);
    const after = await store.journal(id);
    if (JSON.stringify(after) !== JSON.stringify(before)) violations.push(`${id}: it has written`);
    await child.call('hold');
  });
  child.kill('SIGKILL');
  await child.ended;
  await runtime.close();
  await store.close();
  return { reached, violations: [...violations, ...(await violationsAt(place))] };
}

export const stoppedProcess: Fault = {
  row: 'F08',
  what: 'SIGSTOP past the end of the lease, SIGCONT after another process has taken the run over: nothing more is written',
  asked: 100,
  make: (options) => standStill(options, { begin: stopOutsideOfCommit, end: (child) => child.kill('SIGCONT') }),
};

async function stopOutsideOfCommit(child: FaultyChild, store: RunStore): Promise<void> {
  for (;;) {
    child.kill('SIGSTOP');
    try {
      await store.storage?.note?.('is the file free?', () => ({ text: undefined }));
      return;
    } catch (error) {
      if (!(WorkflowError.isInstance(error) && error.code === 'STORE_UNAVAILABLE')) throw error;
      child.kill('SIGCONT');
      await pause(5);
    }
  }
}

export const blockedLoop: Fault = {
  row: 'F25',
  what: 'a tool that holds the event loop for twice the length of the lease: another process takes the run over, and the first one writes nothing',
  asked: 20,
  make: (options) => standStill(options, { begin: (child) => void child.call('block', 2 * leaseMs + 1_000), end: () => {} }),
};
