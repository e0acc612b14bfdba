// Stately's own inspector, in a browser and over a WebSocket, is sent the same of a run as of a live actor.

import { createRuntime, memoryStore } from 'agent-machines';
import { inspectRuns, replayInspection } from 'agent-machines/inspect';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, type InspectionEvent, toPromise } from 'xstate';
import { readFeed, serveInspector } from '../fixtures/feed-reader.ts';
import { importStately, type StatelyMessage } from './stately/stately-inspector.ts';

const question = { input: '12 * 30' };

/** Where a run's inspection, a replay's or a live actor's is sent to. */
type Show = (inspect: (event: InspectionEvent) => void) => Promise<void>;

const workflow = planExecute();
const start = { runId: 'r_same', startedAt: Date.UTC(2026, 0, 1), thread: workflow.thread?.initial ?? null };

const live: Show = async (inspect) => {
  const input = workflow.toMachineInput(workflow.parseInput(question), start);
  const actor = createActor(workflow.machine, { id: 'r_same', input, inspect });
  await toPromise(actor.start());
};

const store = memoryStore();

const run: Show = async (inspect) => {
  const runtime = createRuntime({ store, clock: fakeClock(start.startedAt), workflows: [workflow], inspect: inspectRuns({ inspect }) });
  expect(await runtime.start(workflow, question, { runId: 'r_same' }).result).toMatchObject({ status: 'done' });
};

const replay: Show = (inspect) => replayInspection({ store, runId: 'r_same', workflow, inspect });

/** What an adapter of the package is given, when all of it has come: it converts each event a turn later. */
async function sentBy(
  show: Show,
  inspect: { next(event: unknown): void },
  sent: readonly StatelyMessage[],
): Promise<readonly StatelyMessage[]> {
  let told = 0;
  await show((event) => {
    if (/^@xstate\.(?:actor|event|snapshot)$/.test(event.type)) told++;
    inspect.next(event);
  });
  while (sent.length < told) await new Promise((resolve) => setImmediate(resolve));
  return sent;
}

/** Without what is another one each time: session ids by the order in which they come, and times of day. */
function comparable(messages: readonly StatelyMessage[]): unknown {
  const sessions = [...new Set(messages.map(({ sessionId }) => sessionId))];
  const named = (text: string): string =>
    sessions.reduce((all, session, index) => all.replaceAll(`"${session}"`, `"session ${index}"`), text);
  const timeless = JSON.stringify(messages, (name, value: unknown) =>
    /^(?:createdAt|startedAt|durationMs|runId|elapsedMs)$/.test(name) ? name : value,
  );
  return JSON.parse(named(timeless));
}

/** A browser's window, whose inspector is open. */
function fakeWindow() {
  const posted: StatelyMessage[] = [];
  let told: (event: { data: unknown }) => void = () => {};
  return {
    posted,
    open: () => ({ postMessage: (message: StatelyMessage) => void posted.push(message) }),
    addEventListener: (_type: string, listener: typeof told) => {
      told = listener;
    },
    connect: () => told({ data: { type: '@statelyai.connected' } }),
  };
}

describe('@statelyai/inspect', { timeout: 300_000 }, () => {
  it('receives the same events of a run and its replay as of a live actor', async () => {
    const { createInspector } = await importStately();
    const sentOf = async (show: Show): Promise<readonly StatelyMessage[]> => {
      const sent: StatelyMessage[] = [];
      const { inspect } = createInspector({ send: (message) => void sent.push(message) });
      return sentBy(show, inspect, sent);
    };
    const expected = await sentOf(live);
    expect(new Set(expected.map(({ type }) => type)).size).toBe(3);
    expect(JSON.parse(expected[0]?.definition ?? '')).toMatchObject({ id: workflow.machine.id, states: { planner: {} } });
    expect(comparable(await sentOf(run))).toEqual(comparable(expected));
    expect(comparable(await sentOf(replay))).toEqual(comparable(expected));
  });

  it('posts the same to the window of its browser inspector', async () => {
    const { createBrowserInspector } = await importStately();
    const postedOf = async (show: Show): Promise<readonly StatelyMessage[]> => {
      const window = fakeWindow();
      const { inspect } = createBrowserInspector({ window, url: 'http://localhost/inspector' });
      window.connect();
      return sentBy(show, inspect, window.posted);
    };
    const expected = await postedOf(live);
    expect(comparable(await postedOf(replay))).toEqual(comparable(expected));
  });

  it('sends over a WebSocket to the inspector of this package, which shows the events', async () => {
    const { createWebSocketInspector } = await importStately();
    const { server } = await serveInspector();
    const feed = readFeed(`${server.url}feed`);
    const inspector = createWebSocketInspector({ url: server.webSocketUrl });
    onTestFinished(() => inspector.stop());
    await replay((event) => inspector.inspect.next(event));
    const runsOf = (messages: typeof feed.messages) =>
      (messages.findLast(([name]) => name === 'runs')?.[1].runs ?? []) as { id: string; name: string; status: string }[];
    await feed.until((messages) => runsOf(messages).some(({ name, status }) => name === 'r_same' && status === 'done'));
    const id = runsOf(feed.messages).find(({ name }) => name === 'r_same')?.id ?? '';
    const one = readFeed(`${server.url}feed?run=${encodeURIComponent(id)}`);
    await one.until((messages) => messages.some(([name]) => name === 'snapshots'));
    const drawn = one.messages.find(([name]) => name === 'graph')?.[1].graph as { id: string; initial: string; states: { path: string }[] };
    expect(drawn).toMatchObject({ id: workflow.machine.id, initial: 'intent_classifier' });
    expect(drawn.states[0]?.path).toBe('intent_classifier');
    expect(drawn.states.map(({ path }) => path).sort()).toEqual(Object.keys(workflow.machine.root.states).sort());
    const active = one.messages
      .flatMap(([name, data]) => (name === 'snapshots' ? (data.snapshots as { active: string[] }[]) : []))
      .map((each) => each.active.join());
    expect(active.at(-1)).toBe('done');
    expect(active).toContain('executor');
    one.close();
    feed.close();
  });
});
