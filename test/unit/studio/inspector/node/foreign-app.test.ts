import { type MachineGraph, toInspectorMessage, toSvg } from 'agent-machines/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, createMachine, type InspectionEvent } from 'xstate';
import { type FeedReader, readFeed, serveInspector } from '../../../../fixtures/feed-reader.ts';
import { playForAWhile } from '../../../../fixtures/foreign-app.ts';

/** Messages of the example app. */
async function messagesOfApp(): Promise<readonly string[]> {
  const messages: string[] = [];
  await playForAWhile((event: InspectionEvent) => {
    const message = toInspectorMessage(event);
    if (message !== undefined) messages.push(message);
  });
  return messages;
}

interface Shown {
  readonly run: { readonly id: string; readonly name: string; readonly parent?: string };
  readonly graph: MachineGraph | null;
  readonly source: string;
  /** Edges of each snapshot, as `GO: a GO, b always [guard] #1`. */
  readonly edges: readonly string[];
}

/** Sends messages to an inspector. @returns what its page is told, by the names of the actors. */
async function shown(messages: readonly string[]): Promise<ReadonlyMap<string, Shown>> {
  const { server } = await serveInspector();
  const socket = new WebSocket(server.webSocketUrl);
  onTestFinished(() => socket.close());
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  for (const message of [...messages, JSON.stringify({ type: '@xstate.actor', sessionId: 'end', name: 'end' })]) socket.send(message);
  const feed = readFeed(`${server.url}feed`);
  onTestFinished(() => feed.close());
  const runsOf = (told: FeedReader['messages']): readonly Shown['run'][] =>
    (told.findLast(([name]) => name === 'runs')?.[1].runs ?? []) as readonly Shown['run'][];
  await feed.until((told) => runsOf(told).some(({ name }) => name === 'end'));
  const all = runsOf(feed.messages).map(async (run) => [run.name, await contentsOf(server.url, run)] as const);
  return new Map(await Promise.all(all));
}

interface ShownSnapshot {
  readonly seq: number;
  readonly event: { readonly type: string } | null;
  readonly edges: readonly { readonly from: string; readonly on: string; readonly guard?: string; readonly turn?: number }[];
}

async function contentsOf(url: string, run: Shown['run'] & { readonly seq?: number }): Promise<Shown> {
  const feed = readFeed(`${url}feed?run=${encodeURIComponent(run.id)}`);
  onTestFinished(() => feed.close());
  const snapshots = (): readonly ShownSnapshot[] =>
    feed.messages.flatMap(([name, data]) => (name === 'snapshots' ? (data.snapshots as readonly ShownSnapshot[]) : []));
  await feed.until((told) => told.some(([name]) => name === 'graph') && snapshots().length >= (run.seq ?? 0));
  const told = feed.messages.find(([name]) => name === 'graph')?.[1] ?? {};
  const { graph, source } = told as Record<string, unknown> & Pick<Shown, 'graph' | 'source'>;
  const edges = snapshots().map(({ event, edges: taken }) => {
    const texts = taken.map(({ from, on, guard, turn }) => `${from} ${on}${guard ? ` [${guard}]` : ''}${turn ? ` #${turn}` : ''}`);
    return `${event?.type}: ${texts.join(', ')}`;
  });
  return { run, graph, source, edges };
}

const taken = [
  'xstate.init: ',
  'xstate.done.actor.0.player.on.deck.loading: on.deck.loading done, on.deck.check always #2, on.deck.counting always',
  'ADD: on ADD',
  'PLAY: on.deck.paused PLAY',
  'VOLUME: on.sound VOLUME, on.sound.choose always [isLoud]',
  'MUTE: on.sound.loud MUTE',
  'UNMUTE: on.sound.muted UNMUTE',
  'OFF: on OFF',
  'ON: off ON, back always',
  'xstate.after.fade.player.on.deck.playing.normal: on.deck.playing.normal after fade, on.deck.playing state.done',
  'xstate.done.actor.0.player.on.deck.loading: on.deck.loading done, on.deck.check always #2, on.deck.counting always',
  'VOLUME: on.sound VOLUME, on.sound.choose always #1',
  'OFF: on OFF',
];

describe('an app of XState', () => {
  it('shows all edges of a macrostep from its microsteps', async () => {
    const player = (await shown(await messagesOfApp())).get('player');
    expect(player?.edges).toEqual([...taken, 'KNOCK: off KNOCK, off ON, back always']);
  });

  it('derives the edges without microsteps, and none if an action has raised an event', async () => {
    const messages = await messagesOfApp();
    const player = (await shown(messages.filter((message) => !message.includes('"@xstate.microstep"')))).get('player');
    expect(player?.edges).toEqual([...taken, 'KNOCK: ']);
  });

  it('shows spawned and invoked actors below their parent', async () => {
    const actors = await shown(await messagesOfApp());
    const children = [...actors].flatMap(([name, { run }]) => (run.parent === actors.get('player')?.run.id ? [name] : []));
    expect(children.sort()).toEqual(['0.player.on.deck.loading', '0.player.on.deck.playing', 'track 0']);
    expect(actors.get('track 0')?.edges).toContain('xstate.after.5.track.buffering: buffering after 5');
  });

  it('has the source of the definition, with guards, actions and actors by name', async () => {
    const { source, graph } = (await shown(await messagesOfApp())).get('player') ?? {};
    const [, config = '{}'] = /createMachine\(([\s\S]*)\);\n$/.exec(source ?? '') ?? [];
    expect(JSON.parse(config)).toMatchObject({
      id: 'player',
      states: {
        on: {
          on: { OFF: 'off', ADD: { actions: 'assign' } },
          states: {
            memory: { type: 'history', history: 'deep' },
            deck: {
              states: {
                loading: { invoke: { src: 'load', onDone: 'check', onError: 'broken' } },
                check: { always: [{ target: 'over', guard: 'isLast' }, { target: 'broken', guard: '(inline)' }, 'counting'] },
              },
            },
          },
        },
      },
    });
    expect(graph?.states.find(({ path }) => path === 'on.sound.last')).toMatchObject({
      history: 'shallow',
      edges: [{ on: 'default', target: 'on.sound.quiet' }],
    });
    expect(toSvg(graph ?? emptyGraph)).toContain('>H*</text>');
  });
});

const emptyGraph: MachineGraph = { id: '', version: '', initial: '', states: [] };

/** Edges of an actor without microsteps, after each event with a value. */
async function derived(
  definition: object | string,
  steps: readonly (readonly [event: unknown, value: unknown])[],
): Promise<readonly string[]> {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  const messages = [
    { type: '@xstate.actor', sessionId: 'm', name: 'm', definition: text },
    ...steps.map(([event, value]) => ({ type: '@xstate.snapshot', sessionId: 'm', event, snapshot: { status: 'active', value } })),
  ];
  return (await shown(messages.map((message) => JSON.stringify(message)))).get('m')?.edges ?? [];
}

const init = [{ type: 'xstate.init' }, 'a'] as const;
const go = { type: 'GO' };

describe('toInspectorMessage', () => {
  it('sends machines and states whose data has no JSON', async () => {
    const context: { self?: object; readonly size: bigint } = { size: 1n };
    context.self = context;
    const messages: string[] = [];
    const machine = createMachine({ id: 'odd', context, initial: 'a', states: { b: { on: { GO: 'a' } }, a: { on: { GO: 'b' } } } });
    const actor = createActor(machine, { inspect: (event) => messages.push(toInspectorMessage(event) ?? '') }).start();
    actor.send({ type: 'GO' });
    const odd = (await shown(messages)).get('odd');
    expect(odd?.edges).toEqual(['xstate.init: ', 'GO: a GO']);
    expect(odd?.graph?.states.map(({ path }) => path)).toEqual(['b', 'a']);
  });
});

describe('a definition', () => {
  it('may be the JSON of a machine', async () => {
    const json = JSON.stringify(createMachine({ id: 'm', initial: 'a', states: { a: { on: { GO: 'b' }, after: { 10: 'b' } }, b: {} } }));
    expect((await derived(json, [init, [{ type: 'xstate.after.10.m.a' }, 'b']])).at(-1)).toBe('xstate.after.10.m.a: a after 10');
  });

  it('gives only edges that are certain', async () => {
    const states = {
      a: { on: { GO: [{ target: 'b', guard: 'x' }, { target: 'c', guard: 'y' }, { target: 'd' }] } },
      b: { always: 'e' },
      c: { always: 'e' },
      d: {},
      e: {},
    };
    const machine = { id: 'm', initial: 'a', states };
    expect(await derived(machine, [init, [go, 'e']])).toEqual(['xstate.init: ', 'GO: ']);
    expect(await derived(machine, [init, [go, 'd'], [go, 'a']])).toEqual(['xstate.init: ', 'GO: a GO #2', 'GO: ']);
  });

  it('gives no edges for endless loops, unknown values and invalid machines', async () => {
    const guards = Array.from({ length: 40 }, (_, index) => ({ target: 'b', guard: `g${index}` }));
    const states = { a: { always: { target: 'b', guard: 'x' }, on: { GO: guards } }, b: { always: 'a' }, c: {} };
    const steps = [init, [go, 'c'], [go, { nowhere: 'x' }], [null, null]] as const;
    expect(await derived({ initial: 'a', states }, steps)).toEqual(['xstate.init: ', 'GO: ', 'GO: ', 'undefined: ']);
    const regions = Array.from({ length: 10 }, (_, index) => [`r${index}`, { initial: 'a', states: { a: { on: { GO: guards } }, b: {} } }]);
    const [before, after] = ['a', 'b'].map((key) => Object.fromEntries(regions.map(([name]) => [name, key])));
    const many = { type: 'parallel', states: Object.fromEntries(regions) };
    expect(
      await derived(many, [
        [{ type: 'xstate.init' }, before],
        [go, after],
      ]),
    ).toEqual(['xstate.init: ', 'GO: ']);
    expect(await derived({ states: { a: { initial: 'gone', states: { b: {} } } } }, [init])).toEqual(['xstate.init: ']);
  });
});
