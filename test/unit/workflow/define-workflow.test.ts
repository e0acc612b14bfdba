import { defineWorkflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow } from '../../fixtures/log-workflow.ts';

describe('defineWorkflow', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'no machine'],
    ['a config in place of a machine', { machine: { id: 'm', states: {} }, nodes: {} }, 'no machine'],
    ['no nodes', { machine: logWorkflow({ states: { done: final } }).machine }, 'no nodes'],
  ])('refuses %s by name', (_what, definition, missing) => {
    const refused = { code: 'WORKFLOW_INVALID', message: expect.stringContaining(missing) };
    expect(() => Reflect.apply(defineWorkflow, undefined, [definition])).toThrow(expect.objectContaining(refused));
  });
});
