import { type AnyWorkflow, defineMachine, defineWorkflow, schemaState, toGraph } from 'agent-machines';
import {
  atMost,
  calls,
  contains,
  createTape,
  defineEval,
  type EvalCase,
  equals,
  evalJson,
  evalJunit,
  grader,
  latency,
  never,
  runEval,
  trajectory,
} from 'agent-machines/evals';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { asTool, calculator, getCurrentDatetime } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { multiplyingModel, sums } from './sums.ts';

const state = schemaState(z.object({ text: z.string().default(''), asked: z.number().default(0) }), {
  events: { APPROVE: null, CHANGE: z.object({ text: z.string() }) },
});
const review = defineWorkflow({
  machine: defineMachine(state, {
    id: 'review',
    initial: 'write',
    output: ({ text }) => text,
    states: {
      write: { node: 'write', done: 'review', error: 'failed' },
      review: { waiting: { APPROVE: 'sent', CHANGE: { target: 'review', reenter: true } }, after: { 86400000: 'expired' } },
      sent: { final: true },
      expired: { final: 'failure' },
      failed: { final: 'failure' },
    },
  }),
  toMachineInput: ({ text }: { readonly text: string }, { startedAt }) => ({
    text: `${text} of ${new Date(startedAt).toISOString().slice(0, 10)}`,
  }),
  nodes: {
    write: async ({ text }) => {
      if (text.startsWith('broken')) throw new Error('The pen is empty.');
      return { text };
    },
  },
});
const one = { name: 'one', input: { text: 'draft' } };
const ends = grader('ends', () => true);
const reviewing = (...cases: readonly EvalCase<{ text: string }>[]) =>
  defineEval({ name: 'reviews', workflow: () => review, cases, graders: [ends] });

describe('runEval', () => {
  it('gives a run its answers in order, on one date', async () => {
    const answered: EvalCase<{ text: string }> = {
      ...one,
      answers: [{ type: 'CHANGE', text: 'second' }, { type: 'APPROVE' }],
      path: ['write -> review', 'review -> review', 'review -> sent'],
    };
    const definition = defineEval({
      ...reviewing(answered),
      graders: [trajectory(), grader('output', ({ output }) => output === 'second')],
    });
    const { rows } = await runEval(definition);
    expect(rows[0]).toMatchObject({ finalState: 'sent', scores: { 'trajectory exact': { score: 1 }, output: { score: 1 } } });
    const first = await runEval({ ...reviewing({ ...one, answers: [{ type: 'APPROVE' }] }), date: new Date('2020-02-02') });
    expect(first.rows[0]?.output).toBe('draft of 2020-02-02');
  });

  it('reports the moves of a run and its machine, so that the path can be drawn', async () => {
    const report = evalJson(await runEval(reviewing({ ...one, answers: [{ type: 'APPROVE' }] })));
    expect(report.rows[0]?.moves).toEqual([
      { from: 'write', to: 'review', on: 'done' },
      { from: 'review', to: 'sent', on: 'APPROVE' },
    ]);
    expect(report.graph).toEqual(toGraph(review.machine));
  });

  it('lets a question without an answer expire by its timer', async () => {
    const { rows } = await runEval(reviewing({ ...one, finalState: 'expired' }, { ...one, name: 'two' }));
    expect(rows[0]).toMatchObject({ finalState: 'expired', scores: { ends: { score: 1 } } });
    expect(rows[1]).toMatchObject({ finalState: 'expired', scores: { ends: { score: 0 } } });
  });

  it('scores a failed run 0, with its code', async () => {
    const { rows, ok } = await runEval(
      reviewing(
        { name: 'throws', input: { text: 'broken' } },
        { name: 'wrong answer', input: one.input, answers: [{ type: 'REJECT' }] },
        { name: 'wrong end', input: one.input, answers: [{ type: 'APPROVE' }], finalState: 'expired' },
        { name: 'right', input: one.input, answers: [{ type: 'APPROVE' }] },
      ),
    );
    expect(rows.map(({ error, scores }) => [error?.code, scores.ends])).toEqual([
      ['NODE_FAILED', { score: 0, why: 'NODE_FAILED' }],
      ['EVENT_NOT_ACCEPTED', { score: 0, why: 'EVENT_NOT_ACCEPTED' }],
      ['RUN_ENDED', { score: 0, why: 'RUN_ENDED' }],
      [undefined, { score: 1 }],
    ]);
    expect(ok).toBe(false);
  });

  it('scores an input that the workflow rejects 0', async () => {
    const { rows } = await runEval(defineEval({ ...sums(1), cases: [{ name: 'bad', input: { input: '' }, expected: 1 }] }), {
      model: multiplyingModel(),
    });
    expect(rows[0]).toMatchObject({ status: 'failed', error: { code: 'INPUT_INVALID' } });
  });

  it('refuses before any run what the workflow does not have', async () => {
    const model = multiplyingModel();
    const refused = async (...graders: Parameters<typeof sums>[1] & object[]) => {
      const error: unknown = await runEval(sums(2, graders), { model }).catch((thrown: unknown) => thrown);
      return error;
    };
    expect(await refused(trajectory(['agent -> tool']))).toMatchObject({
      code: 'OPTION_INVALID',
      message: 'The grader "trajectory exact" names an edge that the machine does not have: agent -> tool.',
      hint: expect.stringMatching(/^Did you mean "agent -> tools"\? It has: agent -> tools, agent -> answer_review, agent -> done/),
    });
    expect(await refused(never('done -> agent'))).toMatchObject({ code: 'OPTION_INVALID' });
    expect(await refused(calls('calculater'))).toMatchObject({ hint: 'Did you mean "calculator"? It has: calculator.' });
    expect(await refused(trajectory())).toMatchObject({
      message: expect.stringContaining('needs `path`, which is missing in "sum 0", "sum 1"'),
    });
    const noFinal = defineEval({ ...sums(1), cases: [{ name: 'a', input: { input: 'x' }, expected: 1, finalState: 'agent' }] });
    await expect(runEval(noFinal, { model })).rejects.toThrow('is no final state');
    const noExpected = defineEval({ ...sums(1), cases: [{ name: 'a', input: { input: 'x' } }] });
    await expect(runEval(noExpected, { model })).rejects.toThrow('needs `expected`');
    await expect(runEval(defineEval({ ...sums(1), cases: './cases.jsonl' }), { model })).rejects.toThrow(
      'which only the command line reads',
    );
    expect(model.calls).toBe(0);
  });

  it('leaves the edges of inner workflows out of the path, and counts their calls', async () => {
    const usage = { inputTokens: 5, outputTokens: 1 };
    const innerModel = scriptedModel([
      { reply: { toolCalls: [{ name: 'calculator', arguments: { expression: '6*7' } }] }, usage },
      { reply: '42', usage },
    ]);
    const outerModel = scriptedModel([
      { reply: { toolCalls: [{ name: 'counter', arguments: { input: '6*7' } }] }, usage },
      { reply: 'It is 42.', usage },
    ]);
    const inner = toolAgent({ model: innerModel, tools: [calculator()] });
    const outer = (): AnyWorkflow => toolAgent({ model: outerModel, tools: [asTool(inner, { name: 'counter', description: 'Counts.' })] });
    const path = ['agent -> tools', 'tools -> agent', 'agent -> done'];
    const nested = defineEval({
      name: 'nested',
      workflow: outer,
      cases: [{ name: 'one', input: { input: 'What is 6*7?' }, expected: 42 }],
      graders: [contains('answer'), trajectory(path), calls('calculator'), atMost('modelCalls', 4), atMost('inputTokens', 20)],
    });
    const report = await runEval(nested);
    expect(report.graders.map(({ mean }) => mean)).toEqual([1, 1, 1, 1, 1]);
    expect(report.rows[0]?.usage).toEqual({ inputTokens: 20, outputTokens: 4 });
  });

  it('reports a grader that throws or gives no score, which never passes', async () => {
    const { rows } = await runEval(
      sums(1, [
        grader('throws', () => {
          throw new Error('Broken.');
        }),
        grader('not a number', () => Number.NaN),
        grader('above', () => 2),
        equals('no such key'),
      ]),
      { model: multiplyingModel() },
    );
    expect(Object.values(rows[0]?.scores ?? {}).map(({ score, why }) => [score, why?.slice(0, 14)])).toEqual(
      Array.from({ length: 4 }, () => [0, 'grader failed:']),
    );
  });

  it('computes costs, and reports times without failing', async () => {
    const priced = defineEval({
      ...sums(1, [latency(0), atMost('costUsd', 0.001)]),
      prices: { 'sums-1': { inputPerMillion: 10, outputPerMillion: 20 } },
    });
    const report = await runEval(priced, { model: multiplyingModel() });
    expect(report.rows[0]?.costUsd).toBeCloseTo(0.00028, 10);
    expect(report.ok).toBe(true);
    expect(evalJson(report).graders.map(({ name }) => name)).toEqual(['costUsd ≤ 0.001']);
    expect((await runEval(priced, { model: multiplyingModel(), timings: true })).ok).toBe(false);
  });

  it('runs at most as many cases at a time as it is told, and stops at an abort', async () => {
    let running = 0;
    let most = 0;
    const counting = {
      ...multiplyingModel(),
      async generate() {
        most = Math.max(most, ++running);
        await new Promise((done) => setTimeout(done, 2));
        running--;
        return { text: 'It is 1.', toolCalls: [], usage: { inputTokens: 0, outputTokens: 0 }, model: 'm', cached: false };
      },
    };
    await runEval(sums(12), { model: counting });
    expect(most).toBe(4);
    const stop = new AbortController();
    const rows: string[] = [];
    const stopped = runEval(sums(50), {
      model: counting,
      signal: stop.signal,
      onRow: (row) => {
        rows.push(row.case);
        stop.abort(new Error('enough'));
      },
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(rows.length).toBeLessThan(6);
  });

  it('gives tools the date of the eval', async () => {
    const dated = defineEval({
      name: 'dated',
      workflow: (_, { clock }) => toolAgent({ tools: [getCurrentDatetime({ clock })], timeZone: 'Asia/Seoul' }),
      date: new Date('2020-02-02T12:00:00Z'),
      cases: [{ name: 'today', input: { input: '오늘 며칠이야?' }, expected: '2020-02-02' }],
      graders: [contains('answer')],
    });
    expect((await runEval(dated)).ok).toBe(true);
    expect(() => defineEval({ ...dated, date: new Date('never') })).toThrow('date of defineEval must be a valid Date');
  });

  it('averages repeats, and compares each grader with its threshold', async () => {
    let n = 0;
    const sometimes = defineEval({ ...sums(2), repeats: 4, threshold: { contains: 0.5 } });
    const report = await runEval(sometimes, { model: multiplyingModel(() => n++ % 2 === 0) });
    expect(report.graders[0]).toMatchObject({ mean: 0.5, passed: 4, runs: 8, threshold: 0.5, ok: true });
    expect(() => defineEval({ ...sums(2), threshold: { contain: 0.5 } })).toThrow('has no option "contain"');
    expect(() => defineEval({ ...sums(2), threshold: 2 })).toThrow('threshold');
  });

  it('writes JUnit that is XML, whatever the texts contain', async () => {
    const names = ['a/b <c> "d" & \'e\'', 'nul \u0000 bell \u0007 half \ud800', '이름 👋', 'line\nbreak'];
    const odd = defineEval({
      name: 'odd & <names>',
      workflow: (model) => toolAgent({ model, tools: [calculator()] }),
      cases: names.map((name) => ({ name, input: { input: 'What is 2 * 3?' }, expected: 7 })),
      graders: [contains('answer')],
    });
    const xml = evalJunit(await runEval(odd, { model: multiplyingModel() }));
    expect(xml).toContain('tests="4" failures="4" errors="0"');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(xml.replaceAll(/<[^<>]*>/g, '').replaceAll(/&#\d+;/g, '')).not.toMatch(/[<>&]/);
    expect(xml).toContain('name="이름 👋"');
    expect(evalJunit(await runEval(odd, { tape: createTape() }))).toContain('<error message="CASSETTE_MISS: ');
  });
});

describe('defineEval', () => {
  it.each([
    [{ cases: [] }, 'no cases'],
    [{ graders: [] }, 'no graders'],
    [{ name: ' ' }, 'no name'],
    [{ cases: [one, one] }, 'Two cases have the name "one"'],
    [{ graders: [ends, ends] }, 'Two graders have the name "ends"'],
    [{ repeats: 0 }, 'repeats'],
    [{ cases: [{ ...one, answer: [] }] }, 'no option "answer"'],
    [{ cases: [{ ...one, answers: ['APPROVE'] }] }, 'an array of events'],
    [{ grader: ends }, 'no option "grader"'],
  ])('rejects %j', (part, message) => {
    expect(() =>
      defineEval({ name: 'x', workflow: () => review, cases: [one], graders: [ends], ...part } as Parameters<typeof defineEval>[0]),
    ).toThrow(message);
  });
});
