// Runs that wait are moved to another version of their machine, or stay as they are.
import { join } from 'node:path';
import {
  type AnyWorkflow,
  createRuntime,
  defineMachine,
  defineWorkflow,
  final as finalState,
  type Interrupt,
  type MigrateOptions,
  memoryStore,
  migrateRuns,
  node as nodeState,
  type RunResult,
  type RunStore,
  schemaState,
  subWorkflow,
  waiting as waitingState,
} from 'agent-machines';
import { stateAt } from 'agent-machines/inspect';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startChild } from '../../../fixtures/child.ts';
import { folderForTest } from '../../../fixtures/folder-for-test.ts';
import { failure, final, type LogWorkflowOptions, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { publish, renamed } from '../../../fixtures/publish-versions.ts';

const ends = { done: final, failed: failure };

const askedIn = (result: RunResult<unknown>): Interrupt => {
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`It is ${JSON.stringify(result)}.`);
  return result.interrupt;
};

const started = async (store: RunStore, workflow: AnyWorkflow, clock?: MigrateOptions['clock']) => {
  const run = createRuntime({ store, ...(clock ? { clock } : {}) }).start(workflow, {});
  const result = await run.result;
  return { id: run.id, result };
};

const asked = async (store: RunStore, id: string): Promise<Interrupt> => {
  const { result } = await createRuntime({ store }).get(id);
  if (!result) throw new Error('It is at work.');
  return askedIn(result);
};

describe('migrateRuns', () => {
  it('moves a waiting run, which then continues in the new version and repeats nothing', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const now = publish('2', { migrate: { from: '1' } });
    expect(await migrateRuns({ store, workflows: [publish('1'), now] })).toEqual({
      moved: [{ runId: run.id, from: '1', to: '2' }],
      refused: [],
    });
    expect(await store.read(run.id)).toMatchObject({ version: '2', structure: now.structureHash, status: 'waiting' });
    const runtime = createRuntime({ store, workflows: [now] });
    const sent = await runtime.send(run.id, { type: 'GO' }, { interruptId: askedIn(run.result).id }); // the question that was shown before
    expect(await sent.result).toMatchObject({ status: 'done', output: 'a1,b2' });
    expect((await migrateRuns({ store, workflows: [publish('1'), now] })).moved).toEqual([]);
  });

  it('numbers its events without a gap, and includes the migration', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const now = renamed('2');
    await migrateRuns({ store, workflows: [publish('1'), now] });
    const runtime = createRuntime({ store, workflows: [now] });
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: (await asked(store, run.id)).id })).result;
    const events = (await store.journal(run.id)).flatMap((entry) => entry.events);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual([
      ...['run-start', 'node-start', 'node-end', 'edge', 'interrupt', 'run-migrated', 'interrupt', 'edge'],
      ...['node-start', 'node-end', 'edge', 'run-end'],
    ]);
    expect(events.find(({ type }) => type === 'run-migrated')).toMatchObject({ from: '1', version: '2' });
  });

  it('rejects an answer to an earlier question, with the current question', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const now = renamed('2');
    await migrateRuns({ store, workflows: [publish('1'), now] });
    const runtime = createRuntime({ store, workflows: [now] });
    const before = askedIn(run.result);
    const after = await asked(store, run.id);
    expect(after).toMatchObject({ key: 'approval#1', accepts: ['GO'] });
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId: before.id })).rejects.toMatchObject({
      code: 'INTERRUPT_MOVED',
      data: { open: [after.id] },
    });
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId: 'i_never' })).rejects.toMatchObject({ code: 'INTERRUPT_UNKNOWN' });
    expect(await (await runtime.send(run.id, { type: 'GO' }, { interruptId: after.id })).result).toMatchObject({ output: 'a1,b2' });
  });

  it('asks again when the question of the same state changes', async () => {
    const store = memoryStore();
    const asks = (text: string) => ({ questions: { review: () => ({ text }) } });
    const run = await started(store, publish('1', asks('Pay 5?')));
    await migrateRuns({ store, workflows: [publish('1', asks('Pay 5?')), publish('2', { ...asks('Pay 500?'), migrate: { from: '1' } })] });
    expect((await asked(store, run.id)).id).not.toBe(askedIn(run.result).id);
  });

  it('converts the old state, and checks it against the new schema', async () => {
    const draft = (version: string, schema: z.ZodObject, migrate?: unknown): AnyWorkflow =>
      defineWorkflow({
        machine: defineMachine(schemaState(schema, { events: { GO: null } }), {
          id: 'draft',
          version,
          initial: 'write',
          output: (state) => state,
          states: {
            write: nodeState('write', { done: 'review', error: 'failed' }),
            review: waitingState({ GO: 'done' }),
            done: finalState(),
            failed: finalState('failure'),
          },
        }),
        nodes: { write: async () => ({}) },
        ...(migrate ? { migrate: migrate as never } : {}),
      }) as AnyWorkflow;
    const one = draft('1', z.object({ euros: z.number().default(5) }));
    const store = memoryStore();
    const run = await started(store, one);
    const cents = z.object({ cents: z.number().int() });
    const wrong = draft('2', cents, { from: '1', state: (old: { euros: number }) => ({ cents: `${old.euros}00` }) });
    const { refused } = await migrateRuns({ store, workflows: [one, wrong] });
    expect(refused).toMatchObject([{ error: { code: 'MIGRATION_REFUSED' } }]);
    expect(refused[0]?.error.message).toContain('PATCH_INVALID');
    const right = draft('2', cents, { from: '1', state: (old: { euros: number }) => ({ cents: old.euros * 100 }) });
    expect((await migrateRuns({ store, workflows: [one, right] })).moved).toHaveLength(1);
    const { id } = await asked(store, run.id);
    const sent = await createRuntime({ store, workflows: [right] }).send(run.id, { type: 'GO' }, { interruptId: id });
    expect(await sent.result).toMatchObject({ status: 'done', output: { cents: 500 } });
  });

  it('moves through several versions, and accepts several source versions', async () => {
    const store = memoryStore();
    const first = await started(store, publish('1'));
    const second = await started(store, publish('2'));
    const workflows = [
      publish('1'),
      publish('2', { migrate: { from: '1' } }),
      renamed('3', { migrate: { from: ['0', '2'], position: () => ['approval'] } }),
    ];
    const { moved } = await migrateRuns({ store, workflows });
    expect(moved.map(({ runId, from, to }) => [runId, from, to])).toEqual([
      [first.id, '1', '2'],
      [first.id, '2', '3'],
      [second.id, '2', '3'],
    ]);
    const runtime = createRuntime({ store, workflows: workflows.slice(2) });
    const { id } = await asked(store, first.id);
    expect(await (await runtime.send(first.id, { type: 'GO' }, { interruptId: id })).result).toMatchObject({ output: 'a1,b3' });
  });

  it('works without the old version when the new machine reaches the same questions', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const longer = publish('2', {
      states: { a: node('a', 'review'), review: waiting({ GO: 'b', STOP: 'done' }), b: node('b', 'c'), c: node('c', 'done'), ...ends },
      nodes: { a: says('a2'), b: says('b2'), c: says('c2') },
      migrate: { from: '1' },
    });
    expect((await migrateRuns({ store, workflows: [longer] })).moved).toHaveLength(1);
    const { id } = await asked(store, run.id);
    expect(id).toBe(askedIn(run.result).id);
    const sent = await createRuntime({ store, workflows: [longer] }).send(run.id, { type: 'GO' }, { interruptId: id });
    expect(await sent.result).toMatchObject({ output: 'a1,b2,c2' });
  });

  it('moves back only when the newer version is not offered', async () => {
    const store = memoryStore();
    await started(store, publish('2'));
    const back = publish('1', { migrate: { from: '2' } });
    expect((await migrateRuns({ store, workflows: [back, publish('2')] })).moved).toEqual([]);
    expect((await migrateRuns({ store, workflows: [back] })).moved).toMatchObject([{ from: '2', to: '1' }]);
  });

  it('reports its moves in a dry run, and writes nothing', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const before = [await store.read(run.id), await store.journal(run.id)];
    const { moved } = await migrateRuns({ store, workflows: [publish('1'), renamed('2')], dryRun: true });
    expect(moved).toEqual([{ runId: run.id, from: '1', to: '2' }]);
    expect([await store.read(run.id), await store.journal(run.id)]).toEqual(before);
  });

  it('skips runs that do not wait, and runs of other workflows', async () => {
    const store = memoryStore();
    const over = await started(store, publish('1', { states: { a: node('a', 'done'), ...ends }, nodes: { a: says('a') }, id: 'publish' }));
    const other = await started(store, publish('1', { id: 'other' }));
    expect(await migrateRuns({ store, workflows: [publish('2', { migrate: { from: '1' } })] })).toEqual({ moved: [], refused: [] });
    expect([await store.read(over.id), await store.read(other.id)]).toMatchObject([{ version: '1' }, { version: '1' }]);
  });

  it.each([
    ['a state that does not exist', { position: () => ['nowhere'] }, 'no state "nowhere"'],
    ['a state that runs a node', { position: () => ['b'] }, '"b" runs the node "b"'],
    ['a final state', { position: () => ['done'] }, '"done" is final'],
    ['no state', { position: () => [] }, 'the position names no state'],
    ['two states at once', { position: () => ['review', 'other'] }, 'cannot be in "review" and "other" at the same time'],
    ['a state that is left immediately', { position: () => ['gate'] }, '"gate" is left immediately'],
    ['a position that is not a list', { position: () => 'review' as never }, 'must return a list of paths'],
    [
      'a state that cannot be converted',
      {
        state: () => {
          throw new Error('no');
        },
      },
      'migrate.state threw: no',
    ],
    ['a state that is not JSON', { state: () => ({ log: new Map(), count: 0 }) as never }, 'VALUE_NOT_JSON'],
    [
      'a position that cannot be found',
      {
        position: () => {
          throw new Error('no');
        },
      },
      'migrate.position threw: no',
    ],
  ] as const)('rejects %s, and changes nothing', async (_, migrate, reason) => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const before = [{ ...(await store.read(run.id)) }, await store.journal(run.id)];
    const states = {
      a: node('a', 'review'),
      review: waiting({ GO: 'b', STOP: 'gate', SAY: 'other' }),
      other: waiting({ GO: 'b' }),
      gate: { ...waiting({ GO: 'b' }), always: [{ guard: 'open', target: 'b' }] },
      b: node('b', 'done'),
      ...ends,
    };
    const now = publish('2', { states, guards: { open: () => true }, migrate: { from: '1', ...migrate } as never });
    const { moved, refused } = await migrateRuns({ store, workflows: [publish('1'), now] });
    expect(moved).toEqual([]);
    expect(refused).toMatchObject([{ runId: run.id, from: '1', to: '2', error: { code: 'MIGRATION_REFUSED' } }]);
    expect(refused[0]?.error.message).toContain(reason);
    expect(await store.read(run.id)).toMatchObject({ version: '1', status: 'waiting' });
    expect(await store.journal(run.id)).toEqual(before[1]);
  });

  it('rejects a run that needs the old version when it is not offered', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const { refused } = await migrateRuns({ store, workflows: [renamed('2')] });
    expect(refused).toMatchObject([{ error: { code: 'MIGRATION_REFUSED', data: { runId: run.id, from: '1', to: '2' } } }]);
    expect(refused[0]?.error.message).toContain('its position is known only to version 1');
    const other = publish('2', {
      states: { b: node('b', 'review'), review: waiting({ GO: 'done' }), ...ends },
      nodes: { b: says('b') },
      migrate: { from: '1' },
    });
    expect((await migrateRuns({ store, workflows: [other] })).refused[0]?.error.message).toContain('JOURNAL_DIVERGED');
  });

  it('keeps the due times of timers, and starts new timers at the migration', async () => {
    const clock = fakeClock(1_000);
    const store = memoryStore();
    const hour = 3_600_000;
    const sleepy = (version: string, delayMs: number, migrate?: LogWorkflowOptions['migrate']) =>
      publish(version, {
        states: { sleep: { after: { [delayMs]: { target: 'b', actions: 'merge' } } }, b: node('b', 'done'), ...ends },
        nodes: { b: says(`b${version}`) },
        ...(migrate ? { migrate } : {}),
      });
    const run = createRuntime({ store, clock }).start(sleepy('1', hour), {});
    await clock.advance(0);
    await run.result;
    await clock.advance(1_000);
    const same = sleepy('2', hour, { from: '1' });
    expect((await migrateRuns({ store, clock, workflows: [sleepy('1', hour), same] })).moved).toHaveLength(1);
    expect(await store.read(run.id)).toMatchObject({ version: '2', status: 'waiting', wakeAt: 1_000 + hour });
    const longer = sleepy('3', 2 * hour, { from: '2' });
    await migrateRuns({ store, clock, workflows: [same, longer] });
    expect(await store.read(run.id)).toMatchObject({ version: '3', wakeAt: 2_000 + 2 * hour });
    const runtime = createRuntime({ store, clock, workflows: [longer] });
    const resumed = await runtime.resume(run.id);
    await clock.advance(0);
    expect(await resumed.result).toMatchObject({ status: 'waiting', wakeAt: 2_000 + 2 * hour });
    await clock.advance(2 * hour);
    expect(await store.read(run.id)).toMatchObject({ status: 'done' });
    expect((await runtime.get(run.id)).result).toMatchObject({ output: 'b3' });
  });

  it('moves a run that waits in several regions at once', async () => {
    const store = memoryStore();
    const region = (event: string) => ({ initial: 'ask', states: { ask: waiting({ [event]: 'said' }), said: { type: 'final' } } });
    const both = (version: string, migrate?: LogWorkflowOptions['migrate']) =>
      publish(version, {
        states: {
          both: { type: 'parallel', states: { left: region('GO'), right: region('STOP') }, onDone: { target: 'b' } },
          b: node('b', 'done'),
          ...ends,
        },
        nodes: { b: says(`b${version}`) },
        ...(migrate ? { migrate } : {}),
      });
    const run = createRuntime({ store }).start(both('1'), {});
    const before = await run.result;
    const [left] = before.status === 'waiting' ? before.interrupts : [];
    await (await createRuntime({ store, workflows: [both('1')] }).send(run.id, { type: 'GO' }, { interruptId: left?.id ?? '' })).result;
    const right = await asked(store, run.id);
    const now = both('2', { from: '1' });
    expect(await migrateRuns({ store, workflows: [both('1'), now] })).toMatchObject({ moved: [{}], refused: [] });
    expect(await asked(store, run.id)).toEqual(right);
    const sent = await createRuntime({ store, workflows: [now] }).send(run.id, { type: 'STOP' }, { interruptId: right.id });
    expect(await sent.result).toMatchObject({ status: 'done', output: 'b2' });
  });

  it('continues the visit numbers, so that no step reuses an old key', async () => {
    const store = memoryStore();
    const loop = (version: string, migrate?: LogWorkflowOptions['migrate']) =>
      publish(version, {
        states: { a: node('a', 'review'), review: waiting({ GO: 'a', STOP: 'done' }), ...ends },
        nodes: {
          a: async (_state, io) => ({ log: [`${io.key} ${await io.step('pay', async () => `paid ${version}`, { effect: 'once' })}`] }),
        },
        ...(migrate ? { migrate } : {}),
      });
    const run = await started(store, loop('1'));
    const now = loop('2', { from: '1' });
    await migrateRuns({ store, workflows: [loop('1'), now] });
    const runtime = createRuntime({ store, workflows: [now] });
    let { id } = await asked(store, run.id);
    for (const type of ['GO', 'GO', 'STOP']) {
      const result = await (await runtime.send(run.id, { type }, { interruptId: id })).result;
      if (result.status === 'done') expect(result.output).toBe('a#1 paid 1,a#2 paid 2,a#3 paid 2');
      else id = askedIn(result).id;
    }
    const keys = (await store.journal(run.id)).filter(({ kind }) => kind === 'node' || kind === 'event').map(({ key }) => key);
    expect(keys).toEqual(['a#1', 'review#1', 'a#2', 'review#2', 'a#3', 'review#3']);
  });

  it('allows forks after a migration, and rejects earlier ones', async () => {
    const store = memoryStore();
    const run = await started(store, publish('1'));
    const now = renamed('2');
    await migrateRuns({ store, workflows: [publish('1'), now] });
    const runtime = createRuntime({ store, workflows: [now] });
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: (await asked(store, run.id)).id })).result;
    await expect(runtime.fork(run.id, { at: 'a#1' })).rejects.toMatchObject({ code: 'FORK_POINT_UNKNOWN', data: { nodes: ['b#1'] } });
    const fork = await runtime.fork(run.id, { at: 'b#1', patch: { log: ['patched'] } });
    expect(await fork.result).toMatchObject({ status: 'done', output: 'a1,patched' });
  });

  it('moves each run once under concurrency, and skips driven runs', async () => {
    const path = join(folderForTest('migrating-'), 'runs.db');
    const stores = Array.from({ length: 5 }, () => sqliteStore({ path }));
    const [store = memoryStore()] = stores;
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) ids.push((await started(store, publish('1'))).id);
    const held = await store.acquire(ids[0] ?? '', { owner: 'o_other', leaseMs: 60_000, now: Date.now(), monotonic: 0 });
    const workflows = [publish('1'), renamed('2')];
    const all = await Promise.all(stores.map((each) => migrateRuns({ store: each, workflows })));
    expect(all.flatMap(({ refused }) => refused)).toEqual([]);
    expect(
      all
        .flatMap(({ moved }) => moved)
        .map(({ runId }) => runId)
        .sort(),
    ).toEqual(ids.slice(1).sort());
    for (const id of ids.slice(1)) expect((await store.journal(id)).filter(({ kind }) => kind === 'settle')).toHaveLength(2);
    expect(await store.read(ids[0] ?? '')).toMatchObject({ version: '1', status: 'running', epoch: held.lease.epoch });
    for (const each of stores) await each.close();
  });

  it('keeps the thread of a run, and the new version computes its next state', async () => {
    const store = memoryStore();
    const thread = {
      initial: [],
      next: (before: readonly string[], { state }: { readonly state: { readonly log: readonly string[] } }) => [...before, ...state.log],
    };
    const first = createRuntime({ store }).start(publish('1', { thread }), {}, { threadId: 't_1' });
    await first.result;
    const now = renamed('2', { thread });
    await migrateRuns({ store, workflows: [publish('1', { thread }), now] });
    const runtime = createRuntime({ store, workflows: [now] });
    const { id } = await asked(store, first.id);
    const { state } = await stateAt({ store, runId: first.id, workflow: now });
    expect(state).toMatchObject({ log: ['a1'] });
    expect(await (await runtime.send(first.id, { type: 'GO' }, { interruptId: id })).result).toMatchObject({
      status: 'done',
      output: 'a1,b2',
    });
    expect(await store.readThread('t_1')).toMatchObject({ state: ['a1', 'b2'], revision: 1 });
    expect(await runtime.start(now, {}, { threadId: 't_1' }).result).toMatchObject({ status: 'waiting' });
  });

  it('rejects a run that waits inside a node', async () => {
    const store = memoryStore();
    const inner = publish('1', { id: 'inner', states: { ask: waiting({ GO: 'done' }), done: final }, nodes: {} });
    const outer = (version: string) =>
      publish(version, {
        states: { a: node('a', 'done'), ...ends },
        nodes: { a: subWorkflow(inner as never, { toInput: () => ({}), toPatch: () => ({ log: ['asked'] }) } as never) as never },
        ...(version === '2' ? { migrate: { from: '1' } } : {}),
      });
    await started(store, outer('1'));
    const { refused } = await migrateRuns({ store, workflows: [outer('1'), outer('2')] });
    expect(refused[0]?.error.message).toContain('it waits inside the node a#1');
  });
});

describe('a migration that is killed', () => {
  it('leaves each run in the old or the new version, at every write', async () => {
    const found = new Set<string>();
    for (let at = 0, killed = true; killed; at++) {
      const path = join(folderForTest('migrating-'), 'runs.db');
      const store = sqliteStore({ path });
      const runs = [await started(store, publish('1')), await started(store, publish('1'))];
      const before = await Promise.all(runs.map(async ({ id }) => store.journal(id)));
      const child = startChild('migrating-process.ts', [path, String(at)]);
      await child.ended;
      killed = !child.lines.includes('moved 2');
      const workflows = [publish('1'), renamed('2')];
      for (const [index, { id }] of runs.entries()) {
        const record = await store.read(id);
        const journal = await store.journal(id);
        found.add(`${record?.version} ${record?.status}`);
        expect(journal.slice(0, before[index]?.length)).toEqual(before[index]);
        expect(journal.length - (before[index]?.length ?? 0)).toBe(record?.version === '2' ? 1 : 0);
      }
      // the next one brings all of them over, and to their end
      await migrateRuns({ store, workflows });
      const runtime = createRuntime({ store, workflows });
      for (const { id } of runs) {
        expect(await store.read(id)).toMatchObject({ version: '2', status: 'waiting' });
        const sent = await runtime.send(id, { type: 'GO' }, { interruptId: (await asked(store, id)).id });
        expect(await sent.result).toMatchObject({ status: 'done', output: 'a1,b2' });
      }
      await runtime.close();
      await store.close();
    }
    expect([...found].sort()).toEqual(['1 running', '1 waiting', '2 waiting']);
  });
});
