// Several versions of one workflow in one runtime: each run is driven by its own.
import { createRuntime, createWorker, memoryStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

const publish = (version: string, more: Readonly<Record<string, unknown>> = {}) =>
  logWorkflow({
    id: 'publish',
    version,
    states: { ask: waiting({ STOP: 'b' }), b: node('b', 'done'), done: final, failed: final, ...more },
    initial: 'ask',
    nodes: { b: says(`by ${version}`) },
  });
const changed = (version: string) => publish(version, { failed: waiting({ STOP: 'done' }) });
const outputOf = async (run: { readonly result: Promise<{ status: string; output?: unknown }> }): Promise<unknown> =>
  (await run.result).output;

describe('workflows of one name', () => {
  it('each drive the runs of their own version', async () => {
    const store = memoryStore();
    const before = createRuntime({ store });
    const runs = [before.start(publish('1'), {}), before.start(publish('2'), {}), before.start(publish('10'), {})];
    const asked = await Promise.all(runs.map((run) => run.result));
    for (const workflows of [
      [publish('1'), publish('2'), publish('10')],
      [publish('10'), publish('2'), publish('1')],
    ]) {
      const runtime = createRuntime({ store, workflows });
      const outputs = [];
      for (const [index, run] of runs.entries()) {
        const result = asked[index];
        const interruptId = result?.status === 'waiting' && result.interrupt ? result.interrupt.id : '';
        outputs.push(await outputOf(await runtime.send(run.id, { type: 'STOP' }, { interruptId })));
      }
      expect(outputs).toEqual(['by 1', 'by 2', 'by 10']);
    }
  });

  it('start as the given object, and by name in the newest version', async () => {
    const go = (version: string) =>
      logWorkflow({ id: 'go', version, states: { b: node('b', 'done'), done: final, failed: final }, nodes: { b: says(`by ${version}`) } });
    const older = go('1.9.0');
    const runtime = createRuntime({ workflows: [go('1.10.0'), older, go('1.10.0-rc.1')] });
    expect(await outputOf(runtime.start(older, {}))).toBe('by 1.9.0');
    expect(await outputOf(runtime.start('go', {}))).toBe('by 1.10.0');
    expect(await outputOf(runtime.start(go('2.0.0'), {}))).toBe('by 2.0.0');
    expect(await outputOf(runtime.start('go', {}))).toBe('by 2.0.0');
    expect(() => runtime.start('nobody', {})).toThrow(expect.objectContaining({ code: 'WORKFLOW_UNKNOWN' }));
  });

  it.each([
    { known: ['a_b'], asked: 'a-b', started: 'a_b' },
    { known: ['a-b'], asked: 'a_b', started: 'a-b' },
    { known: ['a_b', 'a-b'], asked: 'a-b', started: 'a-b' },
    { known: ['a-b', 'a_b'], asked: 'a_b', started: 'a_b' },
    { known: ['a_b-c'], asked: 'a-b_c', started: 'a_b-c' },
    { known: ['a_b'], asked: 'ab', started: 'WORKFLOW_UNKNOWN' },
  ])('start $started by the name $asked when $known are registered', async ({ known, asked, started }) => {
    const workflows = known.map((id) =>
      logWorkflow({ id, states: { b: node('b', 'done'), done: final, failed: final }, nodes: { b: says('b') } }),
    );
    const runtime = createRuntime({ workflows });
    const start = async (): Promise<string> => {
      const run = runtime.start(asked, {});
      await run.result;
      return (await runtime.get(run.id)).workflow;
    };
    expect(await start().catch(({ code }: { readonly code: string }) => code)).toBe(started);
  });

  it('are rejected when two of one version differ in structure, wherever the second one comes from', () => {
    const refused = expect.objectContaining({ code: 'WORKFLOW_DUPLICATE', message: expect.stringContaining('state "failed" has changed') });
    expect(() => createRuntime({ workflows: [publish('1'), changed('1')] })).toThrow(refused);
    const runtime = createRuntime({ workflows: [publish('1')] });
    expect(() => runtime.start(changed('1'), {})).toThrow(refused);
    const same = publish('1');
    expect(() => createRuntime({ workflows: [same, same, changed('2')] })).not.toThrow();
  });

  it('are rejected when two of one version have equal structures but are different objects', async () => {
    const refused = expect.objectContaining({ code: 'WORKFLOW_DUPLICATE', data: { workflow: 'publish', version: '1' } });
    expect(() => createRuntime({ workflows: [publish('1'), publish('1')] })).toThrow(refused);
    expect(() => createWorker({ workflows: [publish('1'), publish('1')] })).toThrow(refused);
    const [known, other] = [publish('1'), publish('1')];
    const runtime = createRuntime({ workflows: [known] });
    expect(() => runtime.start(other, {})).toThrow(refused);
    expect((await runtime.start(known, {}).result).status).toBe('waiting');
  });

  it('are named in a list when a run needs a version that is not offered', async () => {
    const store = memoryStore();
    const before = createRuntime({ store });
    for (const version of ['1', '2']) await before.start(publish(version), {}).result;
    await before.start(logWorkflow({ id: 'other', states: { ask: waiting({ STOP: 'done' }), done: final } }), {}).result;
    const over = before.start(logWorkflow({ id: 'over', states: { done: final } }), {});
    await over.result;
    const runtime = createRuntime({ store, workflows: [changed('1'), publish('3')] });
    const listed = await runtime.list();
    expect(listed.map(({ workflow, version, missing }) => [workflow, version, missing])).toEqual([
      ['over', '1', undefined],
      ['other', '1', 'workflow'],
      ['publish', '2', 'version'],
      ['publish', '1', 'structure'],
    ]);
    expect((await before.list()).some((run) => 'missing' in run)).toBe(false);
    const [, , second] = listed;
    await expect(runtime.resume(second?.id ?? '')).rejects.toMatchObject({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      message: `The run ${second?.id} has version "2" of "publish", but this runtime offers "1", "3".`,
      hint: 'Offer version "2" as well, or move the run with migrateRuns.',
      data: { version: '2', currentVersion: '3' },
    });
    const old = createRuntime({ store, workflows: [publish('1')] });
    await expect(old.resume(second?.id ?? '')).rejects.toMatchObject({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      hint: 'Use a process that offers version "2". An older version cannot continue the run.',
    });
  });
});
