import { createRuntime, type NodeIo, type RunEvent } from 'agent-machines';
import { expect, it, onTestFinished } from 'vitest';
import { final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';
import { drain } from '../../../fixtures/text-tools.ts';

interface Subscription {
  hold(): void;
  resume(): void;
}

/** Events that are pushed, as the server takes them. */
interface Pushed {
  subscribe(reader: { tell(events: readonly RunEvent[]): void; end(): void; fail(cause: unknown): void }): Subscription;
}

/** A run with two nodes at work that emit what the test says, and a reader that is pushed the events. */
async function speaking() {
  const ios: NodeIo[] = [];
  const ends: (() => void)[] = [];
  const speak = (_: unknown, io: NodeIo): Promise<{ log: readonly string[] }> =>
    new Promise((resolve) => {
      ios.push(io);
      ends.push(() => resolve({ log: [] }));
    });
  const region = (name: string) => ({ initial: name, states: { [name]: node(name, 'over', 'over'), over: final } });
  const workflow = logWorkflow({
    states: { both: { type: 'parallel', onDone: 'done', states: { left: region('a'), right: region('b') } }, done: final },
    nodes: { a: speak, b: speak },
  });
  const runtime = createRuntime();
  onTestFinished(() => runtime.close());
  const run = runtime.start(workflow, {});
  await expect.poll(() => ios.length).toBe(2);
  const pulled: RunEvent[] = [];
  const pulling = (async () => {
    for await (const event of run.events()) pulled.push(event);
  })();
  const heard: RunEvent[] = [];
  const events = runtime.events(run.id) as AsyncIterable<RunEvent> & Pushed;
  const subscription = events.subscribe({
    tell: (some) => void heard.push(...some),
    end() {},
    fail(cause) {
      throw cause;
    },
  });
  await drain();
  const end = async (): Promise<void> => {
    for (const one of ends) one();
    await run.result;
    await pulling;
    await drain();
  };
  const [a, b] = ios;
  if (!a || !b) throw new Error('two nodes are at work');
  return { a, b, pulled, heard, subscription, end };
}

const textOf = (events: readonly RunEvent[], key: string): string =>
  events.flatMap((event) => (event.type === 'token' && event.node === key ? [event.text] : [])).join('');

const numbers = Array.from({ length: 30_000 }, (_, at) => `${at} `);
const whole = numbers.join('');
/** Compares without a diff, which would be megabytes. */
const isSame = (a: string, b: string): boolean => a === b;
const half = 'x'.repeat(2 ** 21);

it.each([1, 2])('loses no token that nodes emit in one turn of the event loop: %i node(s)', async (count) => {
  const { a, b, pulled, heard, end } = await speaking();
  const ios = [a, b].slice(0, count);
  for (const text of numbers) for (const io of ios) io.emit({ type: 'token', text });
  await end();
  for (const events of [pulled, heard]) for (const { key } of ios) expect(isSame(textOf(events, key), whole)).toBe(true);
});

it('merges the tokens that wait beyond 10,000 events', async () => {
  const { a, heard, subscription, end } = await speaking();
  subscription.hold();
  for (const text of numbers) a.emit({ type: 'token', text });
  subscription.resume();
  await drain();
  expect(isSame(textOf(heard, a.key), whole)).toBe(true);
  const tokens = heard.filter(({ type }) => type === 'token');
  expect(tokens).toHaveLength(10_000);
  expect(tokens.at(-1)?.live?.split('.')[1]).toBe(String(whole.length));
  await end();
});

it('skips the rest of a node once 16 MB wait for a held reader, until the node begins again', async () => {
  const { a, b, heard, subscription, end } = await speaking();
  subscription.hold();
  for (const text of [...Array.from({ length: 8 }, () => half), 'late ']) a.emit({ type: 'token', text });
  b.emit({ type: 'token', text: 'other' });
  subscription.resume();
  await drain();
  a.emit({ type: 'token', text: 'later' });
  a.emit({ type: 'step-reset' });
  a.emit({ type: 'token', text: 'again' });
  await drain();
  expect(isSame(textOf(heard, a.key), `${half.repeat(7)}again`)).toBe(true);
  expect(textOf(heard, b.key)).toBe('other');
  await end();
});
