// Whoever comes in the middle of what nodes stream, or comes again, is told it whole and once.
import {
  createRuntime,
  memoryStore,
  type NodeIo,
  type RunEvent,
  type RunStore,
  type Runtime,
  type StreamEvent,
  systemClock,
} from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventPlace, followEvents } from '../../src/server/http/follow-events.ts';
import { codePoint } from '../fixtures/code-point.ts';
import { final, logWorkflow, node } from '../fixtures/log-workflow.ts';

const often = { interval: 1 };

/** Two nodes at once, which say and return what the test tells them. */
function twoSpeakers() {
  const speakers = new Map<string, { readonly io: NodeIo; readonly end: () => void }>();
  const speak = (_: unknown, io: NodeIo): Promise<{ log: readonly string[] }> =>
    new Promise((resolve) => speakers.set(io.key, { io, end: () => resolve({ log: [io.key] }) }));
  const region = (name: string) => ({ initial: name, states: { [name]: node(name, 'over', 'over'), over: final } });
  const workflow = logWorkflow({
    id: 'speakers',
    states: {
      both: { type: 'parallel', onDone: 'done', states: { left: region('left_node'), right: region('right_node') } },
      done: final,
    },
    nodes: { left_node: speak, right_node: speak },
  });
  return { workflow, speakers };
}

type Act =
  | { readonly does: 'token'; readonly who: number; readonly text: string }
  | { readonly does: 'custom' | 'thinking' | 'step-reset' | 'join'; readonly who: number }
  | { readonly does: 'cut'; readonly who: number; readonly read: number }
  | { readonly does: 'breathe' };

const who = fc.nat(1);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('token'), who, text: fc.string({ unit: codePoint, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('custom', 'thinking', 'join'), who }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('step-reset'), who }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('cut'), who, read: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('breathe') }) },
);

const toEvent = (given: Act, index: number): StreamEvent | undefined => {
  if (given.does === 'token') return { type: 'token', text: given.text };
  if (given.does === 'custom') return { type: 'custom', name: 'n', data: index };
  if (given.does === 'thinking') return { type: 'thinking', step: 's', content: index };
  return given.does === 'step-reset' ? { type: 'step-reset' } : undefined;
};

/** What is shown of each node in the end, and what was numbered. Tokens that follow each other are one. */
function toldBy(events: readonly RunEvent[]): unknown {
  const live = new Map<string, unknown[]>();
  for (const { type, ...event } of events) {
    const { node: key = '' } = event;
    const said = live.get(key) ?? [];
    live.set(key, said);
    if (type === 'step-reset') said.length = 0;
    else if ('text' in event) said.push(...event.text.split(''));
    else if (type === 'custom') said.push(event);
  }
  const numbered = events.filter((event) => event.live === undefined);
  return { live: Object.fromEntries([...live].filter(([, said]) => said.length > 0)), numbered };
}

interface Space {
  readonly runtime: Runtime;
  readonly store: RunStore;
  readonly clock: typeof systemClock;
}

/** Listens as a client of the server does, who says where he was when he comes again. */
class Listener {
  readonly heard: RunEvent[] = [];
  readonly #space: Space;
  readonly #runId: string;
  #after: EventPlace | undefined;
  #stop = new AbortController();
  #reading: Promise<void>;
  #cuts = 0;

  constructor(space: Space, runId: string) {
    this.#space = space;
    this.#runId = runId;
    this.#reading = this.#read(Number.POSITIVE_INFINITY);
  }

  async #read(most: number): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    let read = 0;
    for await (const { event, place } of followEvents(this.#space, this.#runId, { after: this.#after })) {
      if (signal.aborted) return; // it did not reach him
      const [seq = 0, epoch, size] = place.split('.').map(Number);
      this.#after = { seq, ...(epoch === undefined ? {} : { epoch }), ...(size === undefined ? {} : { size }) };
      this.heard.push(event);
      if (++read >= most) return;
    }
  }

  /** Loses its connection, has another one for so many events, and a third one that lasts. */
  cut(read: number): void {
    this.#stop.abort();
    const cuts = ++this.#cuts;
    this.#reading = (async () => {
      if (read > 0) await this.#read(read);
      if (cuts === this.#cuts) await this.#read(Number.POSITIVE_INFINITY);
    })();
    this.#reading.catch(() => {});
  }
}

async function play(acts: readonly Act[]): Promise<void> {
  const { workflow, speakers } = twoSpeakers();
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow] });
  const space = { runtime, store, clock: systemClock };
  const run = runtime.start(workflow, {}, { runId: 'r_said' });
  const steady: RunEvent[] = [];
  const steadily = (async () => {
    for await (const event of run.events()) steady.push(event);
  })();
  await expect.poll(() => speakers.size, often).toBe(2);
  const ios = [...speakers.values()].map(({ io }) => io);
  const listeners = [new Listener(space, run.id)];
  const late: RunEvent[][] = [];
  for (const [index, given] of acts.entries()) {
    const event = toEvent(given, index);
    if ('who' in given && event) ios[given.who]?.emit(event);
    if (given.does === 'cut') listeners[given.who % listeners.length]?.cut(given.read);
    if (given.does === 'breathe') await new Promise((go) => setImmediate(go));
    if (given.does !== 'join') continue;
    listeners.push(new Listener(space, run.id));
    const events: RunEvent[] = [];
    late.push(events);
    void (async () => {
      for await (const one of run.events()) events.push(one);
    })();
  }
  ios[0]?.emit({ type: 'thinking', step: 'last', content: null });
  await expect.poll(() => steady.at(-1), often).toMatchObject({ step: 'last' });
  const whole = toldBy(steady);
  for (const heard of [...listeners.map((one) => one.heard), ...late]) {
    await expect.poll(() => heard.at(-1), often).toMatchObject({ step: 'last' });
    expect(toldBy(heard)).toEqual(whole);
  }
  for (const { end } of speakers.values()) end();
  expect(await run.result).toMatchObject({ status: 'done' });
  await steadily;
  await runtime.close();
}

describe('streamed text', () => {
  it('reaches every reader whole and once after any join or reconnect, with two nodes working', async () => {
    await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60 }), play), { numRuns: 60 });
  });
});
