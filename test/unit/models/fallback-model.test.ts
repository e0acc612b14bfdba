import { type ChatRequest, WorkflowError } from 'agent-machines';
import { type Fallback, fallbackModel, scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const ask: ChatRequest = { task: 'a', messages: [] };
const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'Down.', retryable: true, data: { status: 503 } });
const filtered = new WorkflowError({ code: 'MODEL_REFUSED', message: 'Filtered.', hint: 'Ask nicely.', data: { of: 'b' } });

describe('fallbackModel', () => {
  it('calls only the first model if it answers', async () => {
    const b = scriptedModel([], { name: 'b' });
    const model = fallbackModel([scriptedModel([{ reply: 'x' }], { name: 'a' }), b]);
    expect(model.name).toBe('a → b');
    expect(await model.generate(ask)).toMatchObject({ text: 'x', model: 'a' });
    expect(b.requests).toEqual([]);
  });

  it('calls the next model after a retryable error, and reports the failure and the answering model', async () => {
    const heard: (string | Fallback)[] = [];
    const model = fallbackModel(
      [
        scriptedModel([{ reply: down, tokens: ['half'] }], { name: 'a' }),
        scriptedModel([{ reply: Object.assign(new Error('Odd.'), { retryable: true }) }], { name: 'b' }),
        scriptedModel([{ reply: 'whole' }], { name: 'c' }),
      ],
      { onFallback: (fallback) => heard.push(fallback) },
    );
    const reply = await model.generate({ ...ask, onToken: (text) => heard.push(text) });
    expect(reply).toMatchObject({ text: 'whole', model: 'c' });
    expect(heard).toEqual([
      'half',
      { from: 'a', to: 'b', error: down.toJSON() },
      { from: 'b', to: 'c', error: expect.objectContaining({ code: 'UNKNOWN', message: 'Odd.' }) },
      'whole',
    ]);
  });

  it('calls the next model when the first account has no credit', async () => {
    const empty = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'No credit.' });
    const model = fallbackModel([scriptedModel([{ reply: empty }]), scriptedModel([{ reply: 'x' }], { name: 'b' })]);
    expect(await model.generate(ask)).toMatchObject({ text: 'x', model: 'b' });
  });

  it.each([filtered, new Error('A bug.')])('rethrows an error that is not retryable: $message', async (error) => {
    const b = scriptedModel([], { name: 'b' });
    await expect(fallbackModel([scriptedModel([{ reply: error }]), b]).generate(ask)).rejects.toBe(error);
    expect(b.requests).toEqual([]);
  });

  it('rethrows the error of its only model', async () => {
    await expect(fallbackModel([scriptedModel([{ reply: down }])]).generate(ask)).rejects.toBe(down);
  });

  it('throws the last error with the earlier ones as data', async () => {
    const model = fallbackModel([
      scriptedModel([{ reply: down }], { name: 'a' }),
      scriptedModel([{ reply: down }], { name: 'b' }),
      scriptedModel([{ reply: filtered }], { name: 'c' }),
    ]);
    const { name, code, message, retryable, data } = down;
    await expect(model.generate(ask)).rejects.toMatchObject({
      code: 'MODEL_REFUSED',
      message: 'Filtered.',
      hint: 'Ask nicely.',
      retryable: false,
      cause: filtered,
      data: {
        of: 'b',
        earlier: [
          { model: 'a', name, code, message, retryable, data },
          { model: 'b', name, code, message, retryable, data },
        ],
      },
    });
  });

  it('keeps a last error of another library as the cause', async () => {
    const odd = new TypeError('Odd.');
    const model = fallbackModel([scriptedModel([{ reply: down }]), scriptedModel([{ reply: odd }])]);
    await expect(model.generate(ask)).rejects.toMatchObject({ code: 'UNKNOWN', message: 'Odd.', cause: odd });
  });

  it('rethrows the reason of an abort and calls no other model', async () => {
    const reason = Object.assign(new Error('Left.'), { retryable: true });
    const controller = new AbortController();
    const b = scriptedModel([], { name: 'b' });
    const model = fallbackModel([scriptedModel([{ reply: down, check: () => controller.abort(reason) }]), b]);
    await expect(model.generate({ ...ask, signal: controller.signal })).rejects.toBe(reason);
    expect(b.requests).toEqual([]);
  });

  it('rejects an empty list of models', () => {
    expect(() => fallbackModel([])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
