import type { ChatRequest, Json, WorkflowError } from 'agent-machines';
import { scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const ask = (task = 'a', more: Partial<ChatRequest> = {}): ChatRequest => ({ task, messages: [{ role: 'user', content: 'Hi' }], ...more });
const code = (code: WorkflowError['code']): unknown => expect.objectContaining({ code });

describe('scriptedModel', () => {
  it('answers in order and records the requests', async () => {
    const model = scriptedModel([{ reply: 'one' }, { task: 'b', reply: 'two' }]);
    const requests = [ask(), ask('b')];
    expect((await model.generate(ask())).text).toBe('one');
    expect((await model.generate(ask('b'))).text).toBe('two');
    expect(model.requests).toEqual(requests);
    model.assertConsumed();
  });

  it('fills in a whole reply', async () => {
    const model = scriptedModel([{ reply: 'one', usage: { inputTokens: 3, outputTokens: 1 } }, { reply: 'two' }], { name: 'fake' });
    expect(await model.generate(ask())).toEqual({
      text: 'one',
      toolCalls: [],
      usage: { inputTokens: 3, outputTokens: 1 },
      model: 'fake',
      cached: false,
    });
    expect(await model.generate(ask())).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 } });
  });

  it.each<Json>([{ steps: ['a'] }, ['a'], 1, false, null, { toolCalls: 'none' }, { toolCalls: [], more: 1 }])(
    'sends %j as JSON text',
    async (reply) => {
      const { text, toolCalls } = await scriptedModel([{ reply }]).generate(ask());
      expect(JSON.parse(text)).toEqual(reply);
      expect(toolCalls).toEqual([]);
    },
  );

  it('sends tool calls with ids by their position', async () => {
    const toolCalls = [
      { name: 'add', arguments: { a: 1 } },
      { name: 'add', arguments: '{"a":', id: 'x' },
    ];
    const model = scriptedModel([{ reply: { toolCalls, text: 'Let me see.' } }]);
    expect(await model.generate(ask())).toMatchObject({
      text: 'Let me see.',
      toolCalls: [
        { id: 'call_1', name: 'add', arguments: '{"a":1}' },
        { id: 'x', name: 'add', arguments: '{"a":' },
      ],
    });
  });

  it('answers parallel tasks in any order', async () => {
    const model = scriptedModel({ a: [{ reply: 'a1' }, { reply: 'a2' }], b: [{ reply: 'b1' }] });
    const replies = await Promise.all([model.generate(ask('a')), model.generate(ask('b')), model.generate(ask('a'))]);
    expect(replies.map(({ text }) => text)).toEqual(['a1', 'b1', 'a2']);
  });

  it('throws an error that is a reply', async () => {
    const error = new Error('Down.');
    await expect(scriptedModel([{ reply: error }]).generate(ask())).rejects.toBe(error);
  });

  it('throws the error of a check', async () => {
    const error = new Error('Wrong prompt.');
    const check = (request: ChatRequest): void => {
      if (request.messages.length === 1) throw error;
    };
    await expect(scriptedModel([{ reply: 'x', check }]).generate(ask())).rejects.toBe(error);
  });

  it('emits the text in one piece, or in the scripted tokens', async () => {
    const model = scriptedModel([{ reply: 'one two' }, { reply: 'one two', tokens: ['one', ' two'] }]);
    const tokens: string[] = [];
    const onToken = (text: string): void => void tokens.push(text);
    await model.generate(ask('a', { onToken }));
    await model.generate(ask('a', { onToken }));
    expect(tokens).toEqual(['one two', 'one', ' two']);
  });

  it('emits the tokens before an error', async () => {
    const tokens: string[] = [];
    const model = scriptedModel([{ reply: new Error('Cut.'), tokens: ['on'] }]);
    await expect(model.generate(ask('a', { onToken: (text) => tokens.push(text) }))).rejects.toThrow('Cut.');
    expect(tokens).toEqual(['on']);
  });

  it('rejects tokens that do not form the text', async () => {
    await expect(scriptedModel([{ reply: 'one', tokens: ['two'] }]).generate(ask())).rejects.toEqual(code('OPTION_INVALID'));
  });

  it('rejects a reply that is not JSON or is empty', async () => {
    await expect(scriptedModel([{ reply: { when: Number.NaN } }]).generate(ask())).rejects.toEqual(code('VALUE_NOT_JSON'));
    await expect(scriptedModel([{ reply: '' }]).generate(ask())).rejects.toEqual(code('MODEL_EMPTY'));
  });

  it('rejects an unexpected task and keeps the reply', async () => {
    const model = scriptedModel([{ task: 'a', reply: 'x' }]);
    await expect(model.generate(ask('b'))).rejects.toMatchObject({
      code: 'SCRIPT_UNEXPECTED_REQUEST',
      message: 'The script received a request for "b", but expects "a".',
      data: { asked: 'b', expected: ['"a"'] },
    });
    expect((await model.generate(ask('a'))).text).toBe('x');
  });

  it('names all expected parallel tasks', async () => {
    const model = scriptedModel({ a: [{ reply: 'x' }], b: [{ reply: 'y' }], c: [] });
    await expect(model.generate(ask('c'))).rejects.toThrow('The script received a request for "c", but expects "a" or "b".');
  });

  it('rejects a request when no reply is left', async () => {
    await expect(scriptedModel([]).generate(ask())).rejects.toThrow('The script received a request for "a", but has no reply left.');
  });

  it('names the unused replies', () => {
    const model = scriptedModel([{ task: 'a', reply: 'x' }, { reply: 'y' }]);
    expect(() => model.assertConsumed()).toThrow('The script has unused replies for: "a", any task.');
    expect(() => model.assertConsumed()).toThrow(expect.objectContaining({ code: 'SCRIPT_UNUSED_REPLIES' }));
  });

  it('rejects with the reason of an abort before a request and between two tokens', async () => {
    const reason = new Error('Left.');
    const controller = new AbortController();
    const model = scriptedModel([{ reply: 'one two', tokens: ['one', ' two'] }]);
    await expect(model.generate(ask('a', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(model.requests).toEqual([]);
    const tokens: string[] = [];
    const onToken = (text: string): void => {
      tokens.push(text);
      controller.abort(reason);
    };
    await expect(model.generate(ask('a', { signal: controller.signal, onToken }))).rejects.toBe(reason);
    expect(tokens).toEqual(['one']);
  });

  it('rejects with the reason of an abort at the last token', async () => {
    const reason = new Error('Left.');
    const controller = new AbortController();
    const onToken = (): void => controller.abort(reason);
    const reply = scriptedModel([{ reply: 'one' }]).generate(ask('a', { signal: controller.signal, onToken }));
    await expect(reply).rejects.toBe(reason);
  });
});
