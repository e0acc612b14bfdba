import type { ChatRequest } from 'agent-machines';
import { withRuleInput } from 'agent-machines/models';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { offlineModel } from '../../../../src/models/offline/offline-model.ts';
import { combineRules } from '../../../../src/models/offline/offline-rules.ts';

const ask = (task: string, more: Partial<ChatRequest> = {}): ChatRequest => ({ task, messages: [], ...more });

describe('offlineModel', () => {
  const model = offlineModel<{ 'greeter.greet': { name: string }; 'planner.plan': undefined; 'react.reason': undefined }>({
    'greeter.greet': ({ ruleInput }) => `Hello ${ruleInput.name}!`,
    'planner.plan': async () => ({ steps: ['look'] }),
    'react.reason': () => ({ toolCalls: [{ name: 'look', arguments: {} }] }),
  });

  it('answers by the rule of the task, from its rule input', async () => {
    expect(await withRuleInput(model, { name: 'Ada' }).generate(ask('greeter.greet'))).toEqual({
      text: 'Hello Ada!',
      toolCalls: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      model: 'offline (rules)',
      cached: false,
    });
  });

  it('answers with JSON and with tool calls', async () => {
    expect((await model.generate(ask('planner.plan'))).text).toBe('{"steps":["look"]}');
    expect((await model.generate(ask('react.reason'))).toolCalls).toEqual([{ id: 'call_1', name: 'look', arguments: '{}' }]);
  });

  it.each(['planner.replan', 'toString'])('rejects the unknown task %s', async (task) => {
    await expect(model.generate(ask(task))).rejects.toMatchObject({
      code: 'MODEL_TASK_UNKNOWN',
      retryable: false,
      message: expect.stringContaining('"greeter.greet", "planner.plan", "react.reason"'),
      data: { task, known: ['greeter.greet', 'planner.plan', 'react.reason'] },
    });
  });

  it('streams a text word by word without loss', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'Zürich', '🚲', ' ', '\n'), { minLength: 1 }), async (parts) => {
        const tokens: string[] = [];
        const text = parts.join('');
        await offlineModel({ say: () => text }).generate(ask('say', { onToken: (token) => tokens.push(token) }));
        expect(tokens.join('')).toBe(text);
        expect(tokens.filter((token) => /\S\s/.test(token))).toEqual([]);
      }),
    );
  });

  it('rejects with what a rule throws', async () => {
    const error = new Error('No input.');
    const broken = offlineModel({
      say: () => {
        throw error;
      },
    });
    await expect(broken.generate(ask('say'))).rejects.toBe(error);
  });

  it('rejects with the reason of an abort, even if the rule never ends', async () => {
    const reason = new Error('Left.');
    const controller = new AbortController();
    const reply = offlineModel({ say: () => new Promise<string>(() => {}) }).generate(ask('say', { signal: controller.signal }));
    controller.abort(reason);
    await expect(reply).rejects.toBe(reason);
  });

  it('does not call a rule after an abort', async () => {
    const reason = new Error('Left.');
    const say = vi.fn<() => string>(() => 'x');
    await expect(offlineModel({ say }).generate(ask('say', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(say).not.toHaveBeenCalled();
  });
});

describe('combineRules', () => {
  it('joins rules', async () => {
    const rules = combineRules({ a: () => 'A' }, { b: () => 'B' }, {});
    expect(Object.keys(rules)).toEqual(['a', 'b']);
    expect((await offlineModel(rules).generate(ask('b'))).text).toBe('B');
  });

  it('refuses two rules for one task', () => {
    expect(() => combineRules({ a: () => 'A' }, { a: () => 'B' })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', data: { task: 'a' } }),
    );
  });
});
