import { createRuntime, defineMachine, defineWorkflow, outputOf, schemaState } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const letters = (id: string) => {
  const state = schemaState(z.object({ topic: z.string(), text: z.string().default('') }), {
    events: { APPROVE: null, REVISE: z.object({ text: z.string() }) },
  });
  return defineWorkflow({
    machine: defineMachine(state, {
      id,
      initial: 'write',
      output: ({ text }) => text,
      states: {
        write: { node: 'write', done: 'review', error: 'failed' },
        review: { waiting: { APPROVE: 'sent', REVISE: { target: 'review', reenter: true } } },
        sent: { final: true },
        failed: { final: 'failure' },
      },
    }),
    nodes: {
      write: async ({ topic }) => {
        if (topic === '') throw new Error('no topic');
        return { text: `About ${topic}` };
      },
    },
  });
};
const letter = letters('letter');
const other = letters('other');
const asked = async (runtime: ReturnType<typeof createRuntime>, workflow: typeof letter) => {
  const run = runtime.start(workflow, { topic: 'otters' });
  const result = await run.result;
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(result.status);
  return { run, options: { interruptId: result.interrupt.id } };
};

describe('runtime.of', () => {
  it('starts, answers, reads and lists the runs of its workflow', async () => {
    const runtime = createRuntime();
    const runs = runtime.of(letter);
    const run = runs.start({ topic: 'otters' });
    const result = await run.result;
    const interruptId = result.status === 'waiting' ? (result.interrupt?.id ?? '') : '';
    await asked(runtime, other);
    const answered = await runs.send(run.id, { type: 'REVISE', text: 'Otters.' }, { interruptId });
    const revised = await answered.result;
    expect(revised.status).toBe('waiting');
    expect(await runs.get(run.id)).toMatchObject({ id: run.id, workflow: 'letter', result: { status: 'waiting' } });
    expect((await runs.list()).map(({ id }) => id)).toEqual([run.id]);
    expect((await runs.resume(run.id)).id).toBe(run.id);
  });

  it('rejects the run of another workflow, and writes nothing', async () => {
    const runtime = createRuntime();
    const { run, options } = await asked(runtime, other);
    const before = await runtime.history(run.id);
    const runs = runtime.of(letter);
    const rejection = { code: 'RUN_UNKNOWN', message: expect.stringContaining('"other"') };
    await expect(runs.send(run.id, { type: 'APPROVE' }, options)).rejects.toMatchObject(rejection);
    await expect(runs.resume(run.id)).rejects.toMatchObject(rejection);
    await expect(runs.get(run.id)).rejects.toMatchObject(rejection);
    await expect(runs.get('r_missing')).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    expect(await runtime.history(run.id)).toEqual(before);
  });
});

describe('runtime.send', () => {
  it('accepts the run that start returned', async () => {
    const { run, options } = await asked(createRuntime(), letter);
    await expect(createRuntime().send(run, { type: 'APPROVE' }, options)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    await expect(createRuntime().send(undefined as never, { type: 'APPROVE' }, options)).rejects.toMatchObject({ code: 'ID_INVALID' });
  });
});

describe('outputOf', () => {
  it.each<[string, () => unknown]>([
    ['a promise of a run', async () => createRuntime().start(letter, { topic: 'otters' })],
    ['nothing', () => undefined],
  ])('rejects %s', async (_, make) => {
    await expect(Reflect.apply(outputOf, undefined, [make()])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('not a run'),
    });
  });

  it('returns the output of a run that has succeeded', async () => {
    const runtime = createRuntime();
    const { run, options } = await asked(runtime, letter);
    const text: string = await outputOf(await runtime.send(run, { type: 'APPROVE' }, options));
    expect(text).toBe('About otters');
  });

  it('throws the question of a run that waits', async () => {
    const { run } = await asked(createRuntime(), letter);
    await expect(outputOf(run)).rejects.toMatchObject({
      code: 'RUN_UNFINISHED',
      message: expect.stringContaining('"waiting" for an answer to "review#1"'),
      data: { runId: run.id, result: { interrupt: { accepts: ['APPROVE', 'REVISE'] } } },
    });
  });

  it('throws the error of a failed run', async () => {
    await expect(outputOf(createRuntime().start(letter, { topic: '' }))).rejects.toThrow('no topic');
  });
});
