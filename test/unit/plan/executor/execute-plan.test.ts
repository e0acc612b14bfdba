import { type Json, type JsonObject, noTaint, type Tool, toErrorInfo, WorkflowError } from 'agent-machines';
import {
  type ExecuteOptions,
  executePlan,
  type PastStep,
  type PlanResult,
  type PlanStep,
  parsePlan,
  type SucceededCall,
  type ValidatedPlan,
} from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { callEnd } from '../../../fixtures/call-end.ts';
import { drain, echo, harmless, held, textTool } from '../../../fixtures/text-tools.ts';

const broken = (message = 'no'): Tool => textTool('broken', () => Promise.reject(new Error(message)));

const planOf = (tools: readonly Tool[], steps: readonly PlanStep[], history: readonly PastStep[] = []): ValidatedPlan =>
  parsePlan(JSON.stringify({ steps }), {
    tools,
    completed: history.map(({ step, status }) => ({ step_id: step.step_id, status })),
  });

const execute = (
  tools: readonly Tool[],
  steps: readonly PlanStep[],
  { history = [], ...more }: Partial<ExecuteOptions> = {},
): Promise<PlanResult> => executePlan(planOf(tools, steps, history), { tools, history, ...more });

const past = (step: PlanStep, more: Partial<SucceededCall> = {}): PastStep => ({
  step,
  status: 'success',
  output: `output ${step.step_id}`,
  startedAt: 0,
  durationMs: 1,
  attempts: 1,
  signature: `${step.tool}:${JSON.stringify({ text: step.input })}`,
  deduplicated: false,
  ...more,
});

const failed = (step: PlanStep): PastStep => ({
  ...{ step, status: 'failure', error: toErrorInfo(new Error('no')), startedAt: 0 },
  ...{ durationMs: 1, attempts: 0, signature: `${step.tool}:${JSON.stringify({ text: step.input })}`, deduplicated: false },
});

const outline = ({ results, held }: PlanResult): readonly string[] => [
  ...results.map((past) => `${past.step.step_id} ${past.status} ${callEnd(past)}`),
  ...held.map(({ step, status, reasons }) => `${step.step_id} ${status} ${reasons.join()}`),
];

const holdsPrivate = { private: true, untrusted: false, user: false };

describe('executePlan', () => {
  it('runs each step, and records its outcome', async () => {
    const tool = echo();
    const { results, remaining, held, taint } = await execute(
      [tool],
      [
        { step_id: 4, tool: 'echo', input: 'a' },
        { step_id: 2, tool: 'echo', input_from: 'step_4' },
      ],
    );
    expect(results).toEqual([
      {
        step: { step_id: 4, tool: 'echo', input: 'a' },
        status: 'success',
        output: 'echo a',
        startedAt: expect.any(Number),
        durationMs: expect.any(Number),
        attempts: 1,
        signature: 'echo:{"text":"a"}',
        deduplicated: false,
      },
      expect.objectContaining({ step: { step_id: 2, tool: 'echo', input_from: 'step_4' }, output: 'echo echo a' }),
    ]);
    expect({ remaining, held, taint }).toEqual({ remaining: [], held: [], taint: noTaint });
  });

  it('returns no results for a plan without steps', async () => {
    expect(await execute([], [])).toEqual({ results: [], remaining: [], held: [], taint: noTaint });
  });

  it('records results that can be stored and read back', async () => {
    const { results } = await execute(
      [echo(), broken()],
      [
        { step_id: 1, tool: 'echo', input: 'a' },
        { step_id: 2, tool: 'broken', input: 'b' },
      ],
    );
    expect(JSON.parse(JSON.stringify(results))).toEqual(results);
  });

  it('executes only plans from parsePlan', async () => {
    const tool = echo();
    const plan = planOf([tool], [{ step_id: 1, tool: 'echo', input: 'a' }]);
    const forged: readonly ValidatedPlan[] = [
      { ...plan },
      structuredClone(plan),
      JSON.parse(JSON.stringify(plan)) as ValidatedPlan,
      Object.create(plan) as ValidatedPlan,
      { steps: plan.steps } as ValidatedPlan,
      null as unknown as ValidatedPlan,
    ];
    for (const each of forged) {
      await expect(executePlan(each, { tools: [tool] })).rejects.toMatchObject({
        code: 'PLAN_NOT_VALIDATED',
        hint: expect.stringContaining('parsePlan'),
      });
    }
    expect(tool.asked).toEqual([]);
    await executePlan(plan, { tools: [tool] });
    expect(tool.asked).toEqual(['a']);
  });
});

describe('executePlan: order', () => {
  it('starts independent steps at the same time', async () => {
    const tool = held();
    const done = execute(
      [tool],
      [
        { step_id: 1, tool: 'held', input: 'a' },
        { step_id: 2, tool: 'held', input: 'b' },
        { step_id: 3, tool: 'held', input: { n: 1 }, input_from: 'step_1' },
      ],
    );
    await drain();
    expect(tool.texts()).toEqual(['a', 'b']);
    tool.calls[0]?.resolve('from a');
    await drain();
    expect(tool.texts()).toEqual(['a', 'b', 'from a']);
    tool.calls[2]?.resolve('c');
    tool.calls[1]?.resolve('from b');
    expect(outline(await done)).toEqual(['1 success from a', '2 success from b', '3 success c']);
  });

  it('returns the results in plan order, whatever the order of their ends', async () => {
    const tool = held();
    const steps = [3, 1, 2].map((step_id) => ({ step_id, tool: 'held', input: `${step_id}` }));
    const done = execute([tool], steps);
    await drain();
    for (const call of [...tool.calls].reverse()) {
      call.resolve(call.text);
      await drain();
    }
    expect(outline(await done)).toEqual(['3 success 3', '1 success 1', '2 success 2']);
  });

  it('respects its concurrency', async () => {
    const tool = held();
    const steps = [1, 2, 3, 4].map((step_id) => ({ step_id, tool: 'held', input: `${step_id}` }));
    const done = execute([tool], steps, { concurrency: 2 });
    await drain();
    expect(tool.texts()).toEqual(['1', '2']);
    tool.calls[1]?.resolve(null);
    await drain();
    expect(tool.texts()).toEqual(['1', '2', '3']);
    tool.calls[2]?.resolve(null);
    await drain();
    tool.calls[0]?.resolve(null);
    tool.calls[3]?.resolve(null);
    expect((await done).results).toHaveLength(4);
  });

  it('runs eight steps at once by default', async () => {
    const tool = held();
    const done = execute(
      [tool],
      Array.from({ length: 10 }, (_, i) => ({ step_id: i + 1, tool: 'held', input: `${i}` })),
    );
    await drain();
    expect(tool.calls).toHaveLength(8);
    for (let i = 0; i < 10; i++) {
      tool.calls[i]?.resolve(null);
      await drain();
    }
    expect((await done).results).toHaveLength(10);
  });

  it('runs steps one after the other in plan order if it is sequential', async () => {
    const tool = held();
    const steps = [1, 2, 3].map((step_id) => ({ step_id, tool: 'held', input: `${step_id}` }));
    const done = execute([tool], steps, { execution: 'sequential' });
    for (let i = 0; i < 3; i++) {
      await drain();
      expect(tool.texts()).toEqual(['1', '2', '3'].slice(0, i + 1));
      tool.calls[i]?.resolve(null);
    }
    expect((await done).results).toHaveLength(3);
  });

  it.each(['once', undefined] as const)(
    'runs once steps one after the other, and all other steps beside them (effect %s)',
    async (effect) => {
      const tool = held();
      const send = held('send', { effect });
      const done = execute(
        [tool, send],
        [
          { step_id: 1, tool: 'held', input: 'a' },
          { step_id: 2, tool: 'send', input: 'b' },
          { step_id: 3, tool: 'held', input: 'c' },
          { step_id: 4, tool: 'send', input: 'd' },
          { step_id: 5, tool: 'held', input: { n: 1 }, input_from: 'step_2' },
        ],
      );
      await drain();
      expect([tool.texts(), send.texts()]).toEqual([['a', 'c'], ['b']]);
      tool.calls[0]?.resolve(null);
      await drain();
      expect(send.texts()).toEqual(['b']);
      send.calls[0]?.resolve('B');
      await drain();
      expect([tool.texts(), send.texts()]).toEqual([
        ['a', 'c', 'B'],
        ['b', 'd'],
      ]);
      for (const call of [...tool.calls, ...send.calls]) call.resolve(null);
      expect((await done).results).toHaveLength(5);
    },
  );

  it('runs once steps in plan order, even if the arguments of a later one are ready first', async () => {
    const tool = held();
    const send = held('send', { effect: 'once' });
    const done = execute(
      [tool, send],
      [
        { step_id: 1, tool: 'held', input: 'a' },
        { step_id: 2, tool: 'send', input_from: 'step_1' },
        { step_id: 3, tool: 'send', input: 'b' },
      ],
    );
    await drain();
    expect(send.texts()).toEqual([]);
    tool.calls[0]?.resolve('A');
    await drain();
    expect(send.texts()).toEqual(['A']);
    send.calls[0]?.resolve(null);
    await drain();
    expect(send.texts()).toEqual(['A', 'b']);
    send.calls[1]?.resolve(null);
    expect((await done).results).toHaveLength(3);
  });

  it.each([
    ['auto', ['look', 'count']],
    ['sequential', ['look']],
  ] as const)('runs no later once step before a held one or its dependents (%s)', async (execution, made) => {
    const asks = (name: string, effect: 'once' | 'pure') => echo(name, { effect, needsApproval: true });
    const [backup, confirm, wipe, look, count] = [
      asks('backup', 'once'),
      asks('confirm', 'pure'),
      echo('wipe', { effect: 'once' }),
      echo('look'),
      echo('count'),
    ];
    const tools = [backup, confirm, wipe, look, count, echo('store', { effect: 'once' })];
    const direct: readonly PlanStep[] = [
      { step_id: 1, tool: 'look', input: 'a' },
      { step_id: 2, tool: 'backup', input: 'b' },
      { step_id: 3, tool: 'wipe', input: 'c' },
      { step_id: 4, tool: 'count', input: 'd' },
    ];
    const first = await execute(tools, direct, { execution });
    expect(outline(first)).toEqual([
      ...made.map((name, i) => `${i === 0 ? 1 : 4} success ${name} ${i === 0 ? 'a' : 'd'}`),
      '2 held declared',
    ]);
    expect(wipe.asked).toEqual([]);
    const indirect: readonly PlanStep[] = [
      { step_id: 1, tool: 'confirm', input: 'a' },
      { step_id: 2, tool: 'store', input_from: 'step_1' },
      { step_id: 3, tool: 'wipe', input: 'c' },
    ];
    const second = await execute(tools, indirect, { execution });
    expect(outline(second)).toEqual(['1 held declared']);
    expect(second.remaining.map(({ step_id }) => step_id)).toEqual([1, 2, 3]);
    const approved = second.held.map(({ signature }) => signature);
    expect(outline(await execute(tools, indirect, { execution, approved }))).toEqual([
      '1 success confirm a',
      '2 success store confirm a',
      '3 success wipe c',
    ]);
  });

  it('does not wait for an unreachable once step', async () => {
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'broken', input: 'a' },
      { step_id: 2, tool: 'send', input_from: 'step_1' },
      { step_id: 3, tool: 'send', input: 'b' },
    ];
    const result = await execute([broken(), echo('send', { effect: 'once' })], steps);
    expect(outline(result)).toEqual(['1 failure TOOL_FAILED', '3 success send b']);
  });

  it('starts each step of a wave as soon as its arguments are available, until no step can start', async () => {
    const tool = echo();
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'echo', input: 'a' },
      { step_id: 2, tool: 'echo', input_from: 'step_1' },
      { step_id: 3, tool: 'echo', input: 'b' },
    ];
    const wave = await execute([tool], steps, { until: 'wave' });
    expect(outline(wave)).toEqual(['1 success echo a', '2 success echo echo a', '3 success echo b']);
    expect(wave.remaining).toEqual([]);
  });

  it('starts no step in a wave after the first failure, and waits for the running ones', async () => {
    const [quick, slow] = [held('quick'), held('slow')];
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'slow', input: 'a' },
      { step_id: 2, tool: 'quick', input: 'b' },
      { step_id: 3, tool: 'quick', input: 'c' },
      { step_id: 4, tool: 'quick', input_from: 'step_1' },
      { step_id: 5, tool: 'quick', input_from: 'step_3' },
    ];
    const done = execute([quick, slow], steps, { until: 'wave' });
    await drain();
    quick.calls[0]?.reject(new Error('no'));
    await drain();
    quick.calls[1]?.resolve('C');
    slow.calls[0]?.resolve('A');
    const wave = await done;
    expect(outline(wave)).toEqual(['1 success A', '2 failure TOOL_FAILED', '3 success C']);
    expect(wave.remaining).toEqual([steps[3], steps[4]]);
    expect(quick.texts()).toEqual(['b', 'c']);
  });

  it('runs the first step of a sequential wave', async () => {
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'echo', input: 'a' },
      { step_id: 2, tool: 'send', input: 'b' },
    ];
    const wave = await execute([echo(), echo('send')], steps, { until: 'wave', execution: 'sequential' });
    expect(outline(wave)).toEqual(['1 success echo a']);
    expect(wave.remaining).toEqual([steps[1]]);
  });

  it('gives a duplicate step no slot while the first one runs', async () => {
    const tool = held();
    const steps = ['a', 'a', 'a', 'b', 'c'].map((input, i) => ({ step_id: i + 1, tool: 'held', input }));
    const done = execute([tool], steps, { concurrency: 2 });
    await drain();
    expect(tool.texts()).toEqual(['a', 'b']);
    tool.calls[1]?.resolve(null);
    await drain();
    expect(tool.texts()).toEqual(['a', 'b', 'c']);
    tool.calls[0]?.resolve(null);
    tool.calls[2]?.resolve(null);
    expect((await done).results).toHaveLength(5);
  });
});

describe('executePlan: failures', () => {
  it('keep the results of the other steps', async () => {
    const tool = held();
    const done = execute(
      [tool, broken()],
      [
        { step_id: 1, tool: 'held', input: 'a' },
        { step_id: 2, tool: 'broken', input: 'b' },
        { step_id: 3, tool: 'held', input: 'c' },
      ],
    );
    await drain();
    tool.calls[0]?.resolve('A');
    tool.calls[1]?.resolve('C');
    expect(outline(await done)).toEqual(['1 success A', '2 failure TOOL_FAILED', '3 success C']);
  });

  it('skip the steps that directly or indirectly need their output', async () => {
    const tool = echo();
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'broken', input: 'a' },
      { step_id: 2, tool: 'echo', input_from: 'step_1' },
      { step_id: 3, tool: 'echo', input_from: 'step_2' },
      { step_id: 4, tool: 'echo', input: 'b' },
    ];
    const result = await execute([tool, broken()], steps);
    expect(outline(result)).toEqual(['1 failure TOOL_FAILED', '4 success echo b']);
    expect(result.remaining).toEqual([steps[1], steps[2]]);
    expect(tool.asked).toEqual(['b']);
  });

  it('let the later steps of a sequential plan run', async () => {
    const result = await execute(
      [echo(), broken()],
      [
        { step_id: 1, tool: 'broken', input: 'a' },
        { step_id: 2, tool: 'echo', input: 'b' },
      ],
      {
        execution: 'sequential',
      },
    );
    expect(outline(result)).toEqual(['1 failure TOOL_FAILED', '2 success echo b']);
  });

  it.each<[string, unknown]>([
    ['a text', 'no'],
    ['undefined', undefined],
    ['null', null],
    ['a symbol', Symbol('no')],
    ['an object without a prototype', Object.create(null)],
  ])('are contained when %s is thrown', async (_, thrown) => {
    const tools = [textTool('broken', () => Promise.reject(thrown)), echo()];
    const result = await execute(tools, [
      { step_id: 1, tool: 'broken', input: 'a' },
      { step_id: 2, tool: 'echo', input: 'b' },
    ]);
    expect(outline(result)).toEqual(['1 failure TOOL_FAILED', '2 success echo b']);
  });

  it('come from outputs that are not JSON, with the path', async () => {
    const tools = [textTool('dates', async () => ({ rows: [{ at: new Date(0) }] }) as unknown as Json), echo()];
    const result = await execute(tools, [
      { step_id: 1, tool: 'dates', input: 'a' },
      { step_id: 2, tool: 'echo', input: 'b' },
    ]);
    expect(outline(result)).toEqual(['1 failure VALUE_NOT_JSON', '2 success echo b']);
    expect(result.results[0]).toMatchObject({ error: { data: { path: 'dates output.rows[0].at' } } });
  });

  it('come from missing or unavailable tools', async () => {
    const planned = [echo('gone'), echo('closed'), echo()];
    const steps = ['gone', 'closed', 'echo'].map((tool, i) => ({ step_id: i + 1, tool, input: 'a' }));
    const result = await executePlan(planOf(planned, steps), { tools: [echo('closed', { unavailable: 'No key.' }), echo()] });
    expect(outline(result)).toEqual(['1 failure TOOL_UNKNOWN', '2 failure TOOL_UNAVAILABLE', '3 success echo a']);
    expect(result.results[1]).toMatchObject({ error: { message: 'No key.' } });
  });
});

describe('executePlan: references', () => {
  const rows = textTool('rows', async () => ({ rows: [{ url: 'http://a', n: 3 }], none: null }));

  it('read the output of earlier steps, whole or in part', async () => {
    const asked: JsonObject[] = [];
    const tool = textTool('note', async (args) => {
      asked.push(args);
      return null;
    });
    await execute(
      [rows, tool],
      [
        { step_id: 1, tool: 'rows', input: 'a' },
        { step_id: 2, tool: 'note', input_from: { text: 'step_1#/rows/0/url', n: 'step_1#/rows/0/n' } },
        { step_id: 3, tool: 'note', input: { n: 1 }, input_from: 'step_1#/rows/0/url' },
      ],
    );
    expect(asked).toEqual([
      { text: 'http://a', n: 3 },
      { text: 'http://a', n: 1 },
    ]);
  });

  it('read the output of completed steps', async () => {
    const tool = echo();
    const history = [past({ step_id: 1, tool: 'echo', input: 'x' }, { output: { title: 'earlier' } })];
    await execute([tool], [{ step_id: 2, tool: 'echo', input_from: 'step_1#/title' }], { history });
    expect(tool.asked).toEqual(['earlier']);
  });

  it.each<[string, string]>([
    ['a part that is not there', 'step_1#/rows/1/url'],
    ['a value of another type', 'step_1#/rows'],
    ['null', 'step_1#/none'],
  ])('fail their step without a call of the tool when they give %s', async (_, input_from) => {
    const tool = echo();
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'rows', input: 'a' },
      { step_id: 2, tool: 'echo', input_from },
      { step_id: 3, tool: 'echo', input_from: 'step_2' },
      { step_id: 4, tool: 'echo', input: 'b' },
    ];
    const result = await execute([rows, tool], steps);
    expect(outline(result)).toEqual([`1 success ${result.results.map(callEnd)[0]}`, '2 failure TOOL_INPUT_INVALID', '4 success echo b']);
    expect(result.results[1]).toMatchObject({ attempts: 0, durationMs: 0, signature: '', deduplicated: false });
    expect(result.remaining).toEqual([steps[2]]);
    expect(tool.asked).toEqual(['b']);
  });
});

describe('executePlan: equal calls', () => {
  const same = (count: number, tool = 'held'): readonly PlanStep[] =>
    Array.from({ length: count }, (_, i) => ({ step_id: i + 1, tool, input: i % 2 === 0 ? 'a' : { text: 'a' } }));

  it('are made once, even while the first one runs', async () => {
    const tool = held();
    const done = execute([tool], same(3));
    await drain();
    expect(tool.calls).toHaveLength(1);
    tool.calls[0]?.resolve('A');
    const result = await done;
    expect(outline(result)).toEqual(['1 success A', '2 success A', '3 success A']);
    expect(result.results.map(({ deduplicated, attempts }) => [deduplicated, attempts])).toEqual([
      [false, 1],
      [true, 0],
      [true, 0],
    ]);
    expect(new Set(result.results.map(({ signature }) => signature))).toEqual(new Set(['held:{"text":"a"}']));
  });

  it('are made once in a sequential plan', async () => {
    const tool = echo();
    const result = await execute([tool], same(3, 'echo'), { execution: 'sequential' });
    expect(result.results.map(({ deduplicated }) => deduplicated)).toEqual([false, true, true]);
    expect(tool.asked).toEqual(['a']);
  });

  it('are recognized after their references are resolved', async () => {
    const tool = echo();
    const source = textTool('source', async () => 'a');
    await execute(
      [tool, source],
      [
        { step_id: 1, tool: 'source', input: 'x' },
        { step_id: 2, tool: 'echo', input_from: 'step_1' },
        { step_id: 3, tool: 'echo', input: 'a' },
      ],
    );
    expect(tool.asked).toEqual(['a']);
  });

  it('are reused after an earlier success', async () => {
    const tool = echo();
    const history = [past({ step_id: 1, tool: 'echo', input: 'a' }, { output: 'earlier' })];
    const result = await execute(
      [tool],
      [
        { step_id: 2, tool: 'echo', input: 'a' },
        { step_id: 3, tool: 'echo', input: 'b' },
      ],
      { history },
    );
    expect(outline(result)).toEqual(['2 success earlier', '3 success echo b']);
    expect(result.results.map(({ deduplicated }) => deduplicated)).toEqual([true, false]);
    expect(tool.asked).toEqual(['b']);
  });

  it('are repeated after an earlier failure', async () => {
    const tool = echo();
    const history = [failed({ step_id: 1, tool: 'echo', input: 'a' })];
    const result = await execute([tool], [{ step_id: 2, tool: 'echo', input: 'a' }], { history });
    expect(result.results).toMatchObject([{ status: 'success', deduplicated: false }]);
    expect(tool.asked).toEqual(['a']);
  });

  it('are repeated after the first one fails', async () => {
    const tool = held();
    const done = execute([tool], same(2));
    await drain();
    expect(tool.calls).toHaveLength(1);
    tool.calls[0]?.reject(new Error('no'));
    await drain();
    expect(tool.calls).toHaveLength(2);
    tool.calls[1]?.resolve('A');
    expect(outline(await done)).toEqual(['1 failure TOOL_FAILED', '2 success A']);
  });

  it('are made once for a once tool, too', async () => {
    const send = echo('send', { effect: 'once' });
    await execute([send], same(3, 'send'));
    expect(send.asked).toEqual(['a']);
  });
});

describe('executePlan: approval', () => {
  it('keeps the checked arguments if needsApproval changes them', async () => {
    for (const needs of [false, true]) {
      const tool = echo('post', {
        needsApproval: (args) => {
          Object.assign(args, { text: 'changed' });
          return needs;
        },
      });
      const { held } = await execute(
        [echo('echo'), tool],
        [
          { step_id: 1, tool: 'echo', input: 'a' },
          { step_id: 2, tool: 'post', input_from: 'step_1' },
        ],
      );
      expect([tool.asked, held.map(({ args }) => args)]).toEqual(needs ? [[], [{ text: 'echo a' }]] : [['echo a'], []]);
    }
  });
});

describe('executePlan: private data', () => {
  const secret = echo('secret', { capabilities: { ...harmless, private: true } });
  const post = (): ReturnType<typeof echo> => echo('post', { capabilities: { ...harmless, external: true } });
  const leak: readonly PlanStep[] = [
    { step_id: 1, tool: 'secret', input: 'a' },
    { step_id: 2, tool: 'post', input_from: 'step_1' },
  ];

  it('is not sent out, with the name of the held call', async () => {
    const tool = post();
    const result = await execute([secret, tool], leak);
    expect(outline(result)).toEqual(['1 success secret a', '2 held private']);
    expect(result.held).toMatchObject([{ step: leak[1], tool: 'post', args: { text: 'secret a' }, signature: 'post:{"text":"secret a"}' }]);
    expect(result.remaining).toEqual([leak[1]]);
    expect(result.taint.private).toBe(true);
    expect(tool.asked).toEqual([]);
  });

  it('is sent out if allowed, and still taints', async () => {
    const tool = post();
    const result = await execute([secret, tool], leak, { allowEgress: true });
    expect(outline(result)).toEqual(['1 success secret a', '2 success post secret a']);
    expect(result.taint.private).toBe(true);
  });

  it('counts from the start if the thread has it', async () => {
    const tool = post();
    const result = await execute([tool], [{ step_id: 1, tool: 'post', input: 'a' }], { taint: holdsPrivate });
    expect(outline(result)).toEqual(['1 held private']);
    expect(result.taint.private).toBe(true);
  });

  it('counts from an earlier step, even if its tool is gone', async () => {
    for (const tools of [[secret, post()], [post()]]) {
      const history = [past({ step_id: 1, tool: 'secret', input: 'a' })];
      const result = await execute(tools, [{ step_id: 2, tool: 'post', input: 'b' }], { history });
      expect(outline(result)).toEqual(['2 held private']);
    }
  });

  it('comes from a failed step, but not from a skipped one', async () => {
    const failing = textTool('secret', () => Promise.reject(new Error('no')), { capabilities: { ...harmless, private: true } });
    const history = [failed({ step_id: 9, tool: 'secret', input: 'a' })];
    const steps: readonly PlanStep[] = [
      { step_id: 1, tool: 'secret', input: 'a' },
      { step_id: 2, tool: 'post', input: 'b' },
    ];
    const result = await execute([failing, post()], steps, { execution: 'sequential', history });
    expect(outline(result)).toEqual(['1 failure TOOL_FAILED', '2 held private']);
    expect((await execute([secret, post()], steps.slice(1), { history })).taint).toEqual(noTaint);
  });

  it('is assumed for a tool without declared capabilities, as is sending', async () => {
    const untagged = echo('untagged', { capabilities: undefined });
    const result = await execute(
      [untagged],
      [
        { step_id: 1, tool: 'untagged', input: 'a' },
        { step_id: 2, tool: 'untagged', input_from: 'step_1' },
      ],
    );
    expect(outline(result)).toEqual(['1 success untagged a', '2 held private']);
    expect(result.taint.private).toBe(true);
  });

  it('taints even if the call is deduplicated', async () => {
    const history = [past({ step_id: 1, tool: 'open', input: 'a' }), past({ step_id: 2, tool: 'secret', input: 'a' })];
    const open = echo('open');
    expect((await execute([open], [{ step_id: 3, tool: 'open', input: 'b' }], { history: history.slice(0, 1) })).taint).toEqual(noTaint);
    expect((await execute([open, secret], [{ step_id: 3, tool: 'secret', input: 'a' }], { history })).taint).toEqual(holdsPrivate);
  });
});

describe('executePlan: abort', () => {
  it('stops every call, starts no other, and throws the reason', async () => {
    const tool = held();
    const stop = new AbortController();
    const reason = new Error('enough');
    const steps = [1, 2, 3].map((step_id) => ({ step_id, tool: 'held', input: `${step_id}` }));
    const done = execute([tool], steps, { signal: stop.signal, concurrency: 2 });
    await drain();
    stop.abort(reason);
    await expect(done).rejects.toBe(reason);
    await drain();
    expect(tool.texts()).toEqual(['1', '2']);
    expect(tool.calls.map(({ context }) => context.signal.reason)).toEqual([reason, reason]);
  });

  it('prevents every call if it comes before the start', async () => {
    const tool = echo();
    const reason = new Error('enough');
    await expect(execute([tool], [{ step_id: 1, tool: 'echo', input: 'a' }], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(tool.asked).toEqual([]);
  });

  it('puts a running once call in doubt', async () => {
    const send = held('send', { effect: 'once' });
    const stop = new AbortController();
    const done = execute([send], [{ step_id: 1, tool: 'send', input: 'a' }], { signal: stop.signal });
    await drain();
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'CALL_IN_DOUBT' });
  });

  it('leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const tool = held();
      const stop = new AbortController();
      const steps = [1, 2, 3].map((step_id) => ({ step_id, tool: 'held', input: `${step_id}` }));
      const done = execute([tool], steps, { signal: stop.signal });
      await drain();
      stop.abort(new Error('enough'));
      await expect(done).rejects.toThrow('enough');
      for (const call of tool.calls) call.reject(new Error('too late'));
      await drain();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });
});

describe('executePlan: io', () => {
  it('makes each call a step under its own id, and reports it', async () => {
    const keys: string[] = [];
    const reported: string[] = [];
    const io: NonNullable<ExecuteOptions['io']> = {
      emit: (event) => void reported.push(`${event.type}${'callId' in event ? ` ${event.callId}` : ''}`),
      step(key, work) {
        keys.push(key);
        return work({ number: 1, idempotencyKey: key, signal: new AbortController().signal });
      },
    };
    const steps: readonly PlanStep[] = [
      { step_id: 7, tool: 'echo', input: 'a' },
      { step_id: 3, tool: 'echo', input: 'b' },
      { step_id: 5, tool: 'echo', input: 'b' },
    ];
    await execute([echo()], steps, { io, execution: 'sequential' });
    expect(keys).toEqual(['step_7', 'step_3', 'step_5']);
    expect(reported).toEqual([
      'tool-start step_7',
      'tool-end step_7',
      'tool-start step_3',
      'tool-end step_3',
      'tool-start step_5',
      'tool-end step_5',
    ]);
  });

  it('ends the execution if the journal fails', async () => {
    const fault = new WorkflowError({ code: 'STORE_UNAVAILABLE', message: 'Disk full.' });
    const io: NonNullable<ExecuteOptions['io']> = { emit: () => {}, step: () => Promise.reject(fault) };
    await expect(execute([echo()], [{ step_id: 1, tool: 'echo', input: 'a' }], { io })).rejects.toBe(fault);
  });
});

describe('executePlan: fail closed', () => {
  it('uses the output of its own step, not of an older one with the same id', async () => {
    const plan = planOf(
      [echo()],
      [
        { step_id: 1, tool: 'echo', input: 'new' },
        { step_id: 2, tool: 'echo', input_from: 'step_1' },
      ],
    );
    const history = [past({ step_id: 1, tool: 'echo', input: 'old' })];
    expect(outline(await executePlan(plan, { tools: [echo()], history }))).toEqual(['1 success echo new', '2 success echo echo new']);
  });

  it.each([0, -1, Number.NaN])('refuses a concurrency of %d', async (concurrency) => {
    const tool = echo();
    const one: readonly PlanStep[] = [{ step_id: 1, tool: 'echo', input: 'a' }];
    await expect(execute([tool], one, { concurrency })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(tool.asked).toEqual([]);
  });

  it('makes equal calls one at a time, and stops after the first success', async () => {
    const tool = held();
    const steps = [1, 2, 3].map((step_id) => ({ step_id, tool: 'held', input: 'a' }));
    const done = execute([tool], steps);
    await drain();
    expect(tool.calls).toHaveLength(1);
    tool.calls[0]?.reject(new Error('no'));
    await drain();
    expect(tool.calls).toHaveLength(2);
    tool.calls[1]?.resolve('yes');
    expect(outline(await done)).toEqual(['1 failure TOOL_FAILED', '2 success yes', '3 success yes']);
    expect(tool.calls).toHaveLength(2);
  });

  it('waits for a tool whose time-out is longer than the longest timer', async () => {
    const tool = held('held', { timeoutMs: 2 ** 31 });
    const done = execute([tool], [{ step_id: 1, tool: 'held', input: 'a' }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    tool.calls[0]?.resolve('late');
    expect(outline(await done)).toEqual(['1 success late']);
  });
});
