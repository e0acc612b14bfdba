import { type ChatModel, WorkflowError } from 'agent-machines';
import { cassetteModel, createTape, defineEval, evalJson, grader, judge, printTape, readTape, runEval } from 'agent-machines/evals';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { calculator, defineTool } from 'agent-machines/tools';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { multiplyingModel, sums } from './sums.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
const saying = (answer: (n: number) => string | Error): ChatModel => {
  let n = 0;
  return {
    name: 'says',
    async generate() {
      const text = answer(n++);
      if (text instanceof Error) throw text;
      return { text, toolCalls: [], usage, model: 'says', cached: false, metadata: { id: n } };
    },
  };
};
const ask = (content: string) => ({ task: 'a.b', messages: [{ role: 'user' as const, content }] });

afterEach(() => vi.unstubAllEnvs());

describe('a cassette', () => {
  it('replays an eval with equal JSON, without asking the model', async () => {
    const model = multiplyingModel();
    const tape = createTape();
    const recorded = await runEval(sums(12), { tape, mode: 'record', model });
    expect(recorded.ok).toBe(true);
    expect(model.calls).toBe(24);
    const text = printTape(tape);
    const replayed = await runEval(sums(12), { tape: readTape(text), model });
    expect(model.calls).toBe(24);
    expect(JSON.stringify(evalJson(replayed))).toBe(JSON.stringify(evalJson(recorded)));
    expect(printTape(readTape(text))).toBe(text);
  });

  it('keeps the replies of equal requests apart by case and repeat, however many run at a time', async () => {
    let n = 0;
    const model: ChatModel = {
      name: 'counts',
      async generate() {
        const text = `reply ${n++}`;
        await new Promise((done) => setImmediate(done));
        return { text, toolCalls: [], usage, model: 'counts', cached: false };
      },
    };
    const equal = defineEval({
      name: 'equal',
      workflow: (given) => toolAgent({ model: given }),
      cases: Array.from({ length: 8 }, (_, i) => ({ name: `case/${i}`, input: { input: 'the same' } })),
      graders: [grader('any', () => true)],
      repeats: 3,
    });
    const tape = createTape();
    const recorded = await runEval(equal, { tape, mode: 'record', model });
    expect(new Set(recorded.rows.map(({ output }) => JSON.stringify(output))).size).toBe(24);
    for (const concurrency of [1, 4, 24]) {
      const replayed = await runEval(equal, { tape: readTape(printTape(tape)), concurrency });
      expect(evalJson(replayed)).toEqual(evalJson(recorded));
    }
  });

  it('gives equal requests of one run their replies in order, and no more of them', async () => {
    const tape = createTape();
    const recording = cassetteModel(tape, { mode: 'record', model: saying((n) => `reply ${n}`) });
    await recording.generate(ask('x'));
    await recording.generate(ask('x'));
    const replaying = cassetteModel(tape);
    expect((await replaying.generate(ask('x'))).text).toBe('reply 0');
    expect((await replaying.generate(ask('x'))).text).toBe('reply 1');
    await expect(replaying.generate(ask('x'))).rejects.toMatchObject({ code: 'CASSETTE_MISS', message: expect.stringContaining('only 2') });
  });

  it('names the first message that differs, or the setting', async () => {
    const tape = createTape();
    await cassetteModel(tape, { mode: 'record', model: saying(() => 'ok') }).generate(ask('the weather in Rome'));
    const missOf = (request: Parameters<ChatModel['generate']>[0]) =>
      cassetteModel(tape)
        .generate(request)
        .catch((error: unknown) => (WorkflowError.isInstance(error) ? [error.message, error.data?.message] : error));
    expect(await missOf(ask('the weather in Oslo'))).toEqual([
      'The cassette has no reply for "a.b" in the case "": message 1 differs: recorded "user: the weather in Rome", now "user: the weather in Oslo".',
      1,
    ]);
    const longer = {
      ...ask('the weather in Rome'),
      messages: [...ask('the weather in Rome').messages, { role: 'user' as const, content: 'now' }],
    };
    expect(await missOf(longer)).toEqual(['The cassette has no reply for "a.b" in the case "": message 2 is new: user: now.', 2]);
    expect(await missOf({ ...ask('the weather in Rome'), temperature: 0 })).toEqual([
      'The cassette has no reply for "a.b" in the case "": temperature of the request differ.',
      undefined,
    ]);
  });

  it('fails a case for a miss that the workflow hides', async () => {
    const hiding = defineEval({
      name: 'hiding',
      workflow: (model) =>
        toolAgent({
          model: { name: 'hides', generate: (request) => model.generate(request).catch(() => saying(() => 'fine').generate(request)) },
        }),
      cases: [{ name: 'one', input: { input: 'hello' } }],
      graders: [grader('answers', ({ output }) => output !== undefined)],
    });
    const report = await runEval(hiding, { tape: createTape() });
    expect(report.rows[0]).toMatchObject({ status: 'done', error: { code: 'CASSETTE_MISS' }, scores: { answers: { score: 0 } } });
    expect(report.ok).toBe(false);
  });

  it('holds no secret, and the recorded run sees what a replay will see', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwx123456';
    const tape = createTape();
    const model = cassetteModel(tape, { mode: 'record', model: saying(() => `Use ${key}, password: hunter2-7`) });
    const first = await model.generate(ask(`my key is ${key}`));
    expect(first.text).not.toContain(key);
    expect(printTape(tape)).not.toContain(key);
    expect(printTape(tape)).not.toContain('hunter2-7');
    expect(printTape(tape)).not.toContain('metadata');
    expect(await cassetteModel(tape).generate(ask(`my key is ${key}`))).toEqual(first);
  });

  it('keeps tool arguments JSON, with any secret in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const args = JSON.stringify({ value, password: 'hunter2-7', url: 'https://me:pa55word@host/' });
        const tape = createTape();
        const model: ChatModel = {
          name: 'calls',
          generate: async () => ({ text: '', toolCalls: [{ id: '1', name: 't', arguments: args }], usage, model: 'calls', cached: false }),
        };
        const { toolCalls } = await cassetteModel(tape, { mode: 'record', model }).generate(ask('x'));
        expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toHaveProperty('value');
        expect(printTape(tape)).not.toMatch(/hunter2-7|pa55word/);
      }),
      { numRuns: 50 },
    );
  });

  it('streams a text in the recorded pieces, whole without them', async () => {
    const tape = createTape();
    const model: ChatModel = {
      name: 'streams',
      async generate({ onToken }) {
        for (const piece of ['Hel', 'lo ', '👋']) onToken?.(piece);
        return { text: 'Hello 👋', toolCalls: [], usage, model: 'streams', cached: false, reasoning: 'wave' };
      },
    };
    const listen = async (streaming: ChatModel): Promise<readonly string[]> => {
      const heard: string[] = [];
      const hear = (text: string): number => heard.push(text);
      await streaming.generate({ ...ask('x'), onToken: hear, onReasoning: hear });
      return heard;
    };
    expect(await listen(cassetteModel(tape, { mode: 'record', model }))).toEqual(['wave', 'Hel', 'lo ', '👋']);
    expect(await listen(cassetteModel(readTape(printTape(tape))))).toEqual(['wave', 'Hel', 'lo ', '👋']);
  });

  it('records a refusal, and neither a busy server nor a wrong key', async () => {
    const refused = new WorkflowError({ code: 'MODEL_REFUSED', message: 'It refused.' });
    const tape = createTape();
    await expect(cassetteModel(tape, { mode: 'record', model: saying(() => refused) }).generate(ask('x'))).rejects.toThrow('It refused.');
    await expect(cassetteModel(readTape(printTape(tape))).generate(ask('x'))).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
    for (const code of ['MODEL_UNAVAILABLE', 'MODEL_REQUEST_REFUSED'] as const) {
      const other = createTape();
      const error = new WorkflowError({ code, message: 'No.' });
      await expect(cassetteModel(other, { mode: 'record', model: saying(() => error) }).generate(ask('x'))).rejects.toThrow('No.');
      expect([...other.cases.values()].flat()).toEqual([]);
    }
  });

  it('keeps the earlier recording of a case when the model cannot be reached', async () => {
    const tape = createTape();
    await runEval(sums(3), { tape, mode: 'record', model: multiplyingModel() });
    const before = printTape(tape);
    const down = saying(() => new WorkflowError({ code: 'MODEL_REQUEST_REFUSED', message: 'Wrong key.' }));
    const report = await runEval(sums(3), { tape, mode: 'record', model: { ...down, name: 'sums-1' } });
    expect(report.rows.map(({ error }) => error?.code)).toEqual(Array.from({ length: 3 }, () => 'MODEL_REQUEST_REFUSED'));
    expect(printTape(tape)).toBe(before);
  });

  it('in mode auto, asks only for what is not recorded', async () => {
    const model = multiplyingModel();
    const tape = createTape();
    vi.stubEnv('CI', '');
    await runEval(sums(2), { tape, mode: 'record', model });
    await runEval(sums(5), { tape, mode: 'auto', model });
    expect(model.calls).toBe(10);
    expect((await runEval(sums(5), { tape })).ok).toBe(true);
  });

  it('refuses auto in CI, and recording without a model', () => {
    vi.stubEnv('CI', 'true');
    expect(() => cassetteModel(createTape(), { mode: 'auto', model: saying(() => 'x') })).toThrow('CI is set');
    expect(() => cassetteModel(createTape(), { mode: 'record' })).toThrow('needs a model');
  });

  it.each(['', '{', '[]', '{"version":2}', '{"version":1,"cases":{"a":[{}]}}', '{"version":1,"cases":{"a":1}}'])('rejects %j', (text) => {
    expect(() => readTape(text, 'a.json')).toThrow(
      expect.objectContaining({ code: 'CASSETTE_INVALID', message: expect.stringMatching(/^a\.json/) }),
    );
  });

  it('replays the result of a tool, and does not call it', async () => {
    let paid = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      access: 'write',
      input: z.strictObject({ euros: z.number() }),
      execute: async ({ euros }) => {
        if (euros > 5) throw new Error('Too much.');
        return `paid ${euros} as ${++paid}`;
      },
    });
    const model: ChatModel = {
      name: 'pays',
      async generate({ messages }) {
        const last = messages.at(-1);
        const call = { id: '1', name: 'pay', arguments: `{"euros":${last?.content}}` };
        return last?.role === 'tool'
          ? { text: last.content, toolCalls: [], usage, model: 'pays', cached: false }
          : { text: '', toolCalls: [call], usage, model: 'pays', cached: false };
      },
    };
    const paying = defineEval({
      name: 'paying',
      workflow: (given, { tool }) => toolAgent({ model: given, tools: [tool(pay)] }),
      cases: [
        { name: 'three', input: { input: '3' } },
        { name: 'nine', input: { input: '9' } },
      ],
      graders: [grader('answers', ({ output }) => output !== undefined)],
    });
    const tape = createTape();
    const recorded = await runEval(paying, { tape, mode: 'record', model });
    expect(recorded.rows.map(({ output }) => (output as { answer: string }).answer)).toEqual([
      expect.stringContaining('paid 3 as 1'),
      expect.stringContaining('Too much.'),
    ]);
    const replayed = await runEval(paying, { tape: readTape(printTape(tape)) });
    expect(paid).toBe(1);
    expect(evalJson(replayed)).toEqual(evalJson(recorded));
  });

  it('keeps a case whose name is a member of every object', async () => {
    const odd = defineEval({
      name: 'odd',
      workflow: (model) => toolAgent({ model, tools: [calculator()] }),
      cases: ['__proto__', 'constructor', 'a/b\\c "d"', '이름'].map((name) => ({ name, input: { input: 'What is 2 * 3?' } })),
      graders: [grader('answers', ({ output }) => output !== undefined)],
    });
    const tape = createTape();
    await runEval(odd, { tape, mode: 'record', model: multiplyingModel() });
    const report = await runEval(odd, { tape: readTape(printTape(tape)) });
    expect(report.rows.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('a workflow with several models', () => {
  it('replays each by its own name, and creates none of them', async () => {
    const named = (name: string): ChatModel => ({
      name,
      maxOutputTokens: name.length * 100,
      generate: async ({ task }) => ({ text: `${name} for ${task}`, toolCalls: [], usage, model: name, cached: false }),
    });
    const seen: string[] = [];
    const two = (create: (name: string) => ChatModel) =>
      defineEval({
        name: 'two',
        workflow: (model, kit) => {
          const large = kit.model('large', () => create('large'));
          seen.push(`${model.name} ${large.name} ${large.maxOutputTokens}`);
          return toolAgent({ models: { agent: large, default: model } });
        },
        cases: [{ name: 'one', input: { input: 'hello' } }],
        graders: [
          grader('answers', ({ output }) => JSON.stringify(output).includes('large for tool_agent.agent')),
          judge({ rubric: 'x', model: () => create('judge') }),
        ],
      });
    const tape = createTape();
    const recorded = await runEval(two(named), { tape, mode: 'record', model: named('small') });
    const unavailable = (): never => {
      throw new Error('No key.');
    };
    const replayed = await runEval(two(unavailable), { tape: readTape(printTape(tape)) });
    expect(evalJson(replayed)).toEqual(evalJson(recorded));
    expect([seen[1], seen[3]]).toEqual(['small large 500', 'small large 500']);
    expect(recorded.rows[0]?.scores).toMatchObject({ answers: { score: 1 }, judge: { why: expect.stringContaining('grader failed') } });
  });
});
