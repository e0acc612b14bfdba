import type { ChatModel } from 'agent-machines';
import { modelsByTask } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { offlineModel } from '../../../src/models/offline/offline-model.ts';

const model = (name: string): ChatModel => ({ name, generate: () => Promise.reject(new Error(name)) });
const [otherwise, large, small] = [model('rules'), model('large'), model('small')];
interface RuleInputs {
  readonly talk: { readonly name: string } | undefined;
  readonly route: undefined;
}

describe('modelsByTask', () => {
  it('selects the model of the task, then the general model, then the fallback', () => {
    const chosen = modelsByTask<RuleInputs>({ model: large, models: { route: small } }, { otherwise });
    expect([chosen.modelFor('route', undefined), chosen.modelFor('talk', undefined), chosen.modelNames]).toEqual([
      small,
      large,
      'large, small',
    ]);
    const none = modelsByTask<RuleInputs>({}, { otherwise });
    expect([none.modelFor('route', undefined), none.modelNames]).toEqual([otherwise, 'rules']);
    const some = modelsByTask<RuleInputs>({ models: { route: small } }, { otherwise });
    expect([some.modelFor('route', undefined), some.modelFor('talk', undefined), some.modelNames]).toEqual([
      small,
      otherwise,
      'rules, small',
    ]);
  });

  it('names each model once', () => {
    expect(modelsByTask<RuleInputs>({ model: large, models: { route: large, talk: small } }, { otherwise }).modelNames).toBe(
      'large, small',
    );
  });

  it('wraps each given model once, but not the fallback', () => {
    const made: string[] = [];
    const wrap = (given: ChatModel): ChatModel => {
      made.push(given.name);
      return model(`wrapped ${given.name}`);
    };
    const { modelFor, modelNames } = modelsByTask<RuleInputs>({ model: large, models: { route: large } }, { otherwise, wrap });
    expect(modelFor('route', undefined)).toBe(modelFor('talk', undefined));
    expect([modelFor('talk', undefined).name, made, modelNames]).toEqual(['wrapped large', ['large'], 'large']);
    expect(modelsByTask<RuleInputs>({}, { otherwise, wrap }).modelFor('talk', undefined)).toBe(otherwise);
  });

  it('passes rules their input and leaves a model without rules unchanged', async () => {
    const rules = offlineModel<RuleInputs>({ talk: ({ ruleInput }) => `Hello ${ruleInput?.name}!` });
    const { modelFor } = modelsByTask<RuleInputs>({ models: { route: small } }, { otherwise: rules });
    expect(await modelFor('talk', { name: 'Ada' }).generate({ task: 'talk', messages: [] })).toMatchObject({ text: 'Hello Ada!' });
    expect(modelFor('route', undefined)).toBe(small);
  });
});

interface Tasks {
  readonly 'trip.plan': undefined;
  readonly 'trip.final_answer': undefined;
}
const tasks = ['trip.plan', 'trip.final_answer'];

describe('modelsByTask: names of nodes', () => {
  it.each([
    ['a node', { plan: small }],
    ['a task', { 'trip.plan': small }],
  ])('accepts %s', (_, models) => {
    for (const known of [tasks, undefined]) {
      const { modelFor, modelNames } = modelsByTask<Tasks>(
        { models: { ...models, default: large } },
        { otherwise, ...(known ? { tasks: known } : {}) },
      );
      expect([modelFor('trip.plan', undefined), modelFor('trip.final_answer', undefined), modelNames]).toEqual([
        small,
        large,
        'large, small',
      ]);
    }
  });

  it.each([
    ['finalAnswer', 'Did you mean "final_answer"? There is: plan, final_answer, default.'],
    ['trip.paln', 'Did you mean "plan"? There is: plan, final_answer, default.'],
    ['Default', 'Did you mean "default"? There is: plan, final_answer, default.'],
    ['', 'There is: plan, final_answer, default.'],
    ['executor', 'There is: plan, final_answer, default.'],
  ])('rejects the name %j', (name, hint) => {
    expect(() => modelsByTask<Tasks>({ models: { [name]: small } }, { otherwise, tasks })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: `No node "${name}" calls a model.`, hint }),
    );
  });

  it('rejects two models for one node or for the default', () => {
    const make = (options: Parameters<typeof modelsByTask<Tasks>>[0]) => () => modelsByTask<Tasks>(options, { otherwise, tasks });
    expect(make({ models: { plan: small, 'trip.plan': large } })).toThrow('"plan" has two models.');
    expect(make({ model: large, models: { default: large } })).toThrow('Both model and models.default are given.');
  });
});
