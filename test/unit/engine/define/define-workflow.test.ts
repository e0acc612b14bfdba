import { type AnyWorkflow, createRuntime, defineWorkflow, subWorkflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node } from '../../../fixtures/log-workflow.ts';

describe('defineWorkflow', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'is not a machine'],
    ['a config in place of a machine', { machine: { id: 'm', states: {} }, nodes: {} }, 'is not a machine'],
    ['no nodes', { machine: logWorkflow({ states: { done: final } }).machine }, 'no nodes'],
    [
      'a handler that is no function',
      { machine: logWorkflow({ states: { done: final } }).machine, nodes: { work: 5 } },
      '"work" is not a function',
    ],
    [
      'an option of the machine',
      { machine: logWorkflow({ states: { done: final } }).machine, nodes: {}, version: '2' },
      'no option "version"',
    ],
  ])('rejects %s by name', (_what, definition, missing) => {
    const refused = { code: 'WORKFLOW_INVALID', message: expect.stringContaining(missing) };
    expect(() => Reflect.apply(defineWorkflow, undefined, [definition])).toThrow(expect.objectContaining(refused));
  });

  it('checks a machine again when its nodes, inner workflows or questions change', async () => {
    const go = { GO: 'done' };
    const sound = logWorkflow({
      states: { work: node('work', 'ask'), ask: { tags: ['waiting'], on: go }, done: final, failed: failure },
      nodes: { work: async () => ({ log: ['1'] }) },
    });
    const bare = sound.machine.provide({});
    const work = async () => ({ log: ['2'] });
    const first = defineWorkflow({ machine: bare, nodes: { work } });
    expect(defineWorkflow({ machine: bare, nodes: { work: async () => ({}) } }).structureHash).toBe(first.structureHash);

    const define = (more: object) => () => Reflect.apply(defineWorkflow, undefined, [{ machine: bare, nodes: { work }, ...more }]);
    const refused = expect.objectContaining({ code: 'WORKFLOW_INVALID' });
    expect(define({ nodes: { work: undefined } })).toThrow(refused);
    expect(define({ nodes: { work, more: work } })).toThrow(refused);
    expect(define({ questions: { work: () => null } })).toThrow(refused);
    expect(define({ questions: { ask: () => null } })).not.toThrow();
    const inner = defineWorkflow({ machine: bare, nodes: { work: subWorkflow(sound, { toInput: () => ({}), toPatch: () => ({}) }) } });
    expect(inner.structureHash).not.toBe(first.structureHash);
    expect(define({})().structureHash).toBe(first.structureHash);
  });

  it('gives two workflows of one machine their own nodes', async () => {
    const { machine } = logWorkflow({
      states: { work: node('work', 'done'), done: final, failed: failure },
      nodes: { work: async () => ({}) },
    });
    const [one, two] = ['1', '2'].map((text) =>
      defineWorkflow({ id: `log_${text}`, machine, nodes: { work: async () => ({ log: [text] }) } }),
    );
    const runtime = createRuntime();
    const results = [two, one].map((workflow) => runtime.start(workflow as AnyWorkflow, {}).result);
    expect(await Promise.all(results)).toMatchObject([{ output: '2' }, { output: '1' }]);
  });
});
