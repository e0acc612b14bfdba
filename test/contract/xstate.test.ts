// What XState's documentation does not promise and the two steppers build on. A new version of XState must pass this before it is taken.
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, type AnyActorScope, createActor, type ExecutableActionObject, fromPromise, setup } from 'xstate';

const work = fromPromise(async () => 1);
const machine = setup({ actors: { work }, guards: { yes: () => true, no: () => false } }).createMachine({
  id: 'm',
  initial: 'a',
  context: { n: 0 },
  output: ({ event }) => event.type,
  states: {
    a: {
      invoke: {
        src: 'work',
        input: ({ context }) => context,
        onDone: [
          { target: 'b', guard: 'no' },
          { target: 'b', guard: 'yes' },
        ],
        onError: 'b',
      },
      after: { 50: 'b', 100: 'b' },
    },
    b: { tags: ['waiting'], on: { GO: 'c', 'x.*': 'c' } },
    c: { type: 'final' },
  },
});

function capture(): { readonly scope: AnyActorScope; readonly actions: ExecutableActionObject[] } {
  const actions: ExecutableActionObject[] = [];
  const self = createActor(machine);
  const scope: AnyActorScope = {
    self,
    system: self.system,
    id: self.id,
    sessionId: self.sessionId,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: (action) => {
      actions.push(action);
    },
  };
  return { scope, actions };
}

describe('XState', () => {
  it('hands effects to the scope, timers before the node, with the parameters that its types leave out', () => {
    const { scope, actions } = capture();
    machine.getInitialSnapshot(scope, undefined);
    expect(actions.map(({ type }) => type)).toEqual(['xstate.raise', 'xstate.raise', 'xstate.spawnChild']);
    expect(actions[0]?.params).toMatchObject({ event: { type: 'xstate.after.50.m.a' }, id: 'xstate.after.50.m.a', delay: 50 });
    expect(actions[2]?.params).toMatchObject({ id: '0.m.a', src: 'work', input: { n: 0 } });
  });

  it('stops timers and nodes by cancel and stopChild when their state is left', () => {
    const { scope, actions } = capture();
    const at = machine.getInitialSnapshot(scope, undefined);
    actions.length = 0;
    const next = machine.transition(at, { type: 'xstate.done.actor.0.m.a', output: 1, actorId: '0.m.a' } as never, scope);
    expect(next.value).toBe('b');
    expect(
      actions.map(({ type, params }) => [type, (params as { id?: string; sendId?: string }).id ?? (params as { sendId?: string }).sendId]),
    ).toEqual([
      ['xstate.cancel', 'xstate.after.50.m.a'],
      ['xstate.cancel', 'xstate.after.100.m.a'],
      ['xstate.stopChild', '0.m.a'],
    ]);
  });

  it('never calls an effect itself, and spawns no running actor', () => {
    const { scope, actions } = capture();
    const at = machine.getInitialSnapshot(scope, undefined);
    const { params } = actions[2] ?? {};
    const { actorRef: child } = (params ?? {}) as unknown as { actorRef: { getSnapshot(): { status: string }; _processingStatus: number } };
    expect([child.getSnapshot().status, child._processingStatus]).toEqual(['active', 0]);
    expect(Object.keys(at.children)).toEqual(['0.m.a']);
  });

  it('names the transitions of an event in order, with guard, source and target', () => {
    const { scope } = capture();
    const at = machine.getInitialSnapshot(scope, undefined);
    const done = machine.getTransitionData(at as never, { type: 'xstate.done.actor.0.m.a' } as never);
    expect(done.map(({ guard, source, target }) => [guard, source.path, target?.[0]?.path])).toEqual([['yes', ['a'], ['b']]]);
    expect(machine.getTransitionData(at as never, { type: 'GO' } as never)).toEqual([]);
  });

  it('describes its states: paths, tags, transitions by event type, timers, invocations', () => {
    const { a, b } = machine.root.states;
    expect([a?.path, b?.path, b?.tags, a?.invoke.map(({ id, src }) => [id, src])]).toEqual([
      ['a'],
      ['b'],
      ['waiting'],
      [['0.m.a', 'work']],
    ]);
    expect([...(a?.transitions.keys() ?? [])]).toEqual([
      'xstate.done.actor.0.m.a',
      'xstate.error.actor.0.m.a',
      'xstate.after.50.m.a',
      'xstate.after.100.m.a',
    ]);
    expect(a?.after.map(({ eventType, delay }) => [eventType, delay])).toEqual([
      ['xstate.after.50.m.a', 50],
      ['xstate.after.100.m.a', 100],
    ]);
    expect([...(b?.transitions.keys() ?? [])]).toEqual(['GO', 'x.*']);
  });

  it('ends a flat machine with the event of its final state', () => {
    const { scope } = capture();
    const start = machine.getInitialSnapshot(scope, undefined);
    const waiting = machine.transition(start, { type: 'xstate.after.50.m.a' } as never, scope);
    const end = machine.transition(waiting, { type: 'GO' } as never, scope);
    expect([end.status, end.output, waiting.hasTag('waiting' as never)]).toEqual(['done', 'xstate.done.state.m.c', true]);
  });

  it('bounds the edges of one move by the option maxIterations, in its pure functions and live, with this message', () => {
    const wheel = setup({}).createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    expect(wheel.options.maxIterations).toBe(Number.POSITIVE_INFINITY);
    wheel.options.maxIterations = 30;
    const { scope } = capture();
    const at = wheel.getInitialSnapshot(scope, undefined);
    const message = /^Infinite loop detected: .* more than 30 microsteps/;
    expect(() => wheel.transition(at, { type: 'GO' }, scope)).toThrow(message);
    const actor = createActor(wheel);
    actor.subscribe({ error: () => {} });
    actor.start();
    actor.send({ type: 'GO' });
    expect(actor.getSnapshot()).toMatchObject({ status: 'error', error: { message: expect.stringMatching(message) } });
  });

  it('starts and stops a node of a state that is left at once, in one move: a live actor never runs it', async () => {
    const { scope, actions } = capture();
    const passed = setup({ actors: { work } }).createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { invoke: { src: 'work' }, after: { 5: 'b' }, always: 'b' }, b: { type: 'final', id: 'own' } },
      output: ({ event }) => event.type,
    });
    const end = passed.getInitialSnapshot(scope, undefined);
    expect(actions.map(({ type }) => type)).toEqual(['xstate.raise', 'xstate.spawnChild', 'xstate.cancel', 'xstate.stopChild']);
    expect(end.output).toBe('xstate.done.state.own');
  });

  it('copies the result of a context function, and passes the scope as "self", reading only its system', () => {
    const { scope } = capture();
    const selves: unknown[] = [];
    const given = { n: 1 };
    const asking = setup({ actors: { work } }).createMachine({
      id: 'm',
      initial: 'a',
      context: ({ self }) => {
        selves.push(self);
        return given;
      },
      states: { a: { invoke: { src: 'work', input: ({ self }) => void selves.push(self) }, on: { GO: 'b' } }, b: { type: 'final' } },
      output: ({ self }) => void selves.push(self),
    });
    const read: unknown[] = [];
    const { system } = scope;
    const get = (_: object, key: unknown): unknown => {
      read.push(key);
      return key === 'system' ? system : undefined;
    };
    const self = new Proxy({}, { get }) as never;
    const at = asking.getInitialSnapshot({ ...scope, self }, undefined);
    asking.transition(at, { type: 'GO' }, { ...scope, self });
    expect(new Set(read)).toEqual(new Set(['system']));
    expect([selves.length, selves.every((given) => given === self)]).toEqual([3, true]);
    expect(at.context).toEqual(given);
    expect(at.context).not.toBe(given);
  });

  it('evaluates always edges after an unhandled event, and reports the chosen ones to an inspector', () => {
    const { scope } = capture();
    const door = setup({
      types: { events: {} as { type: 'GO' | 'NO' } },
      guards: { going: ({ event }) => event.type === 'GO' },
    }).createMachine({ id: 'm', initial: 'a', states: { a: { always: { target: 'b', guard: 'going' } }, b: {} } });
    const at = door.getInitialSnapshot(scope, undefined);
    const edges: unknown[] = [];
    const watching = scope.system.inspect((seen) => {
      if (seen.type === '@xstate.microstep') edges.push(seen._transitions.map(({ source, guard }) => [source.key, guard]));
    });
    expect(door.transition(at, { type: 'NO' }, scope).value).toBe('a');
    expect(door.transition(at, { type: 'GO' }, scope).value).toBe('b');
    watching.unsubscribe();
    expect(edges).toEqual([[], [], [['a', 'going']]]);
  });

  it('reports the transitions of a microstep as its states list them', () => {
    const { scope } = capture();
    const door = setup({}).createMachine({ id: 'm', initial: 'a', states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: {} } });
    const at = door.getInitialSnapshot(scope, undefined);
    const found: unknown[] = [];
    const watching = scope.system.inspect((seen) => {
      if (seen.type !== '@xstate.microstep') return;
      for (const one of seen._transitions) {
        found.push([one.eventType, one.source.transitions.get(one.eventType)?.indexOf(one), one.source.always?.indexOf(one)]);
      }
    });
    door.transition(at, { type: 'GO' }, scope);
    watching.unsubscribe();
    expect(found).toEqual([
      ['GO', 0, undefined],
      ['', undefined, 0],
    ]);
  });

  it('makes a machine of another config by the class of a machine', () => {
    const Machine = machine.constructor as new (config: object, implementations: object) => typeof machine;
    const other = new Machine({ ...machine.config, context: { n: 7 } }, machine.implementations);
    expect(Object.keys(other.root.states)).toEqual(Object.keys(machine.root.states));
    expect(other.implementations).toEqual(machine.implementations);
    expect(createActor(other).getSnapshot().context).toEqual({ n: 7 });
  });

  it('schedules a timer under its event before it reads the clock, and settles a promise by an event to itself', () => {
    const asked: unknown[] = [];
    const told: unknown[] = [];
    const clock = {
      setTimeout: () => asked.push(Object.values(actor.system.getSnapshot()._scheduledEvents).at(-1)?.event.type),
      clearTimeout: () => {},
    };
    const actor: AnyActorRef = createActor(machine, {
      clock,
      inspect: (event) => {
        if (event.type === '@xstate.event' && (event.actorRef as AnyActorRef).id === '0.m.a')
          told.push([event.sourceRef === event.actorRef, event.event]);
      },
    });
    actor.start();
    expect(asked).toEqual(['xstate.after.50.m.a', 'xstate.after.100.m.a']);
    const [child] = Object.values(actor.getSnapshot().children) as (AnyActorRef & { system: { _relay(...args: unknown[]): void } })[];
    child?.system._relay(child, child, { type: 'xstate.promise.resolve', data: 1 });
    expect(actor.getSnapshot().value).toBe('b');
    expect(told.at(-1)).toEqual([true, { type: 'xstate.promise.resolve', data: 1 }]);
    expect(typeof (work as { transition?: unknown }).transition).toBe('function');
    const [rejected, input] = [
      { type: 'xstate.promise.reject', data: 'why' },
      { status: 'active', input: 1 },
    ];
    expect(work.transition(input as never, rejected as never, {} as never)).toMatchObject({ status: 'error', error: 'why' });
  });
});
