import type { ChatModel } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { modelsByTask } from '../../../src/models/models-by-task.ts';

const model = (name: string): ChatModel => ({ name, generate: () => Promise.reject(new Error(name)) });
const [otherwise, large, small] = [model('rules'), model('large'), model('small')];
type Task = 'talk' | 'route';

describe('modelsByTask', () => {
  it('chooses the model of the task, else the one for all, else the other', () => {
    const chosen = modelsByTask<Task>({ model: large, models: { route: small } }, { otherwise });
    expect([chosen.modelFor('route'), chosen.modelFor('talk'), chosen.modelNames]).toEqual([small, large, 'large, small']);
    const none = modelsByTask<Task>({}, { otherwise });
    expect([none.modelFor('route'), none.modelNames]).toEqual([otherwise, 'rules']);
    const some = modelsByTask<Task>({ models: { route: small } }, { otherwise });
    expect([some.modelFor('route'), some.modelFor('talk'), some.modelNames]).toEqual([small, otherwise, 'rules, small']);
  });

  it('names each model once', () => {
    expect(modelsByTask<Task>({ model: large, models: { route: large, talk: small } }, { otherwise }).modelNames).toBe('large, small');
  });

  it('wraps each given model once, and not the other one', () => {
    const made: string[] = [];
    const wrap = (given: ChatModel): ChatModel => {
      made.push(given.name);
      return model(`wrapped ${given.name}`);
    };
    const { modelFor, modelNames } = modelsByTask<Task>({ model: large, models: { route: large } }, { otherwise, wrap });
    expect(modelFor('route')).toBe(modelFor('talk'));
    expect([modelFor('talk').name, made, modelNames]).toEqual(['wrapped large', ['large'], 'large']);
    expect(modelsByTask<Task>({}, { otherwise, wrap }).modelFor('talk')).toBe(otherwise);
  });
});
