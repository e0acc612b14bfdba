// What is said live, for whoever comes in the middle of it.
import { createRuntime, memoryStore, type NodeIo, type Run, type RunEvent } from 'agent-machines';
import { expect, it, vi } from 'vitest';
import { followRun } from '../../../../src/server/protocols/follow-run.ts';
import { failure, final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

/** A run whose first node says what the test tells it, as often as it is run. */
async function speaking() {
  const speakers: { readonly io: NodeIo; readonly end: () => void }[] = [];
  const speak = (_: unknown, io: NodeIo): Promise<{ log: readonly string[] }> =>
    new Promise((resolve) => {
      speakers.push({ io, end: () => resolve({ log: ['said'] }) });
    });
  const workflow = logWorkflow({
    id: 'speaking',
    states: { first: node('first', 'second'), second: node('second', 'done'), done: final, failed: failure },
    nodes: { first: speak, second: speak },
  });
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow] });
  const run = runtime.start(workflow, {});
  await vi.waitFor(() => expect(speakers).toHaveLength(1));
  const speaker = async (count: number) => {
    await vi.waitFor(() => expect(speakers).toHaveLength(count));
    return speakers[count - 1] as (typeof speakers)[number];
  };
  return { runtime, run, speaker };
}

/** What somebody who comes now hears. */
function listen(run: Run<unknown>, from = 1): RunEvent[] {
  const heard: RunEvent[] = [];
  void (async () => {
    for await (const event of run.events({ from })) heard.push(event);
  })();
  return heard;
}

const textOf = (events: readonly RunEvent[]): string => events.map((event) => (event.type === 'token' ? event.text : '')).join('');

it('sends a late subscriber the text of the running node as one token, then each new token', async () => {
  const { runtime, run, speaker } = await speaking();
  const { io, end } = await speaker(1);
  const early = listen(run);
  for (const text of ['Half', ' of', ' it']) io.emit({ type: 'token', text });
  await vi.waitFor(() => expect(textOf(early)).toBe('Half of it'));
  const late = listen(run);
  io.emit({ type: 'token', text: ', and the rest' });
  await vi.waitFor(() => expect(textOf(late)).toBe('Half of it, and the rest'));
  expect(late.filter(({ type }) => type === 'token')).toEqual([
    { type: 'token', text: 'Half of it', node: io.key, seq: 2, at: expect.any(Number), live: '1.10' },
    { type: 'token', text: ', and the rest', node: io.key, seq: 2, at: expect.any(Number), live: '1.24' },
  ]);
  expect(textOf(early)).toBe('Half of it, and the rest');
  end();
  (await speaker(2)).end();
  await run.result;
  await runtime.close();
});

it('keeps no text after a node or its run has ended', async () => {
  const { runtime, run, speaker } = await speaking();
  const first = await speaker(1);
  first.io.emit({ type: 'token', text: 'first' });
  first.end();
  const second = await speaker(2);
  second.io.emit({ type: 'token', text: 'second' });
  const late = listen(run);
  await vi.waitFor(() => expect(textOf(late)).toBe('second'));
  second.end();
  await run.result;
  const after = listen(run);
  await vi.waitFor(() => expect(after.at(-1)?.type).toBe('run-end'));
  expect(textOf(after)).toBe('');
  await runtime.close();
});

it('sends no partial text when a node exceeds the buffer, until its next attempt', async () => {
  const { runtime, run, speaker } = await speaking();
  const { io, end } = await speaker(1);
  const early = listen(run);
  const megabyte = 'x'.repeat(2 ** 20);
  for (let count = 0; count < 5; count++) io.emit({ type: 'token', text: megabyte });
  const late = listen(run);
  io.emit({ type: 'token', text: 'the end' });
  io.emit({ type: 'thinking', step: 'here', content: null });
  await vi.waitFor(() => expect(late.at(-1)?.type).toBe('thinking'));
  await vi.waitFor(() => expect(early.at(-1)?.type).toBe('thinking'));
  expect([textOf(late), textOf(early).length]).toEqual(['', 5 * megabyte.length + 'the end'.length]);
  io.emit({ type: 'step-reset' });
  io.emit({ type: 'token', text: 'again' });
  await vi.waitFor(() => expect(textOf(late)).toBe('again'));
  const later = listen(run);
  await vi.waitFor(() => expect(textOf(later)).toBe('again'));
  end();
  (await speaker(2)).end();
  await run.result;
  await runtime.close();
});

it('lets a protocol client join in the middle of a text', async () => {
  const { runtime, run, speaker } = await speaking();
  const { io, end } = await speaker(1);
  io.emit({ type: 'token', text: 'Half of it' });
  const recording = followRun({ runtime, workflows: [] }, run.id);
  const heard: string[] = [];
  const reading = (async () => {
    for await (const event of recording.read()) if (event.type === 'token') heard.push(event.text);
  })();
  await vi.waitFor(() => expect(heard).toEqual(['Half of it']));
  io.emit({ type: 'token', text: ', and the rest' });
  end();
  (await speaker(2)).end();
  await reading;
  expect(heard.join('')).toBe('Half of it, and the rest');
  await runtime.close();
});
