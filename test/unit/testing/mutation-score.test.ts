import { defineMachine, defineState, defineWorkflow, final, node, toGraph } from 'agent-machines';
import { mutationScore } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';

const machine = defineMachine(defineState<{ readonly n: number }, null, null>(), {
  id: 'm',
  initial: 'a',
  context: () => ({ n: 0 }),
  states: { a: node('a', { done: 'b', error: 'c' }), b: final(), c: final('failure') },
});
const workflow = defineWorkflow({ machine, nodes: { a: async () => ({}) } });

describe('mutationScore', () => {
  it('separates detected mutants from undetected ones', async () => {
    const leadsToB = (each: typeof workflow): string[] =>
      toGraph(each.machine).states[0]?.edges.some(({ target }) => target === 'b') ? [] : ['it leads nowhere'];
    const { mutants, killed, survived, percent } = await mutationScore(workflow, async (each) => leadsToB(each));
    expect(survived.map(({ description }) => description)).toEqual([
      'a --error--> c: edge dropped',
      'a --error--> c: edge retargeted, a',
      'a --error--> c: edge retargeted, b',
    ]);
    expect(killed.map(({ mutant, problems }) => [mutant.description, problems])).toEqual([
      ['a --done--> b: edge dropped', ['it leads nowhere']],
      ['a --done--> b: edge retargeted, a', ['it leads nowhere']],
      ['a --done--> b: edge retargeted, c', ['it leads nowhere']],
    ]);
    expect([mutants, percent]).toEqual([6, 50]);
  });

  it('counts a check that throws as a detection', async () => {
    const { killed } = await mutationScore(workflow, (each) => {
      if (each !== workflow) throw new Error('broken');
      return [];
    });
    expect(killed.map(({ problems }) => problems)).toEqual(Array(6).fill(['broken']));
  });

  it('refuses a check that rejects the original workflow', async () => {
    await expect(mutationScore(workflow, () => ['always wrong'])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: 'The check finds a problem in the original workflow "m": always wrong.',
    });
  });
});
