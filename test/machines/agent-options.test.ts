// Plain JavaScript gives an agent's factory anything: what is not exactly an option is refused by name, before it is read.
import { WorkflowError } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { describe, expect, it } from 'vitest';

/** Calls a factory as JavaScript does. */
const made = (factory: (options: never) => unknown, options: unknown): string => {
  try {
    Reflect.apply(factory, undefined, [options]);
    return 'made';
  } catch (error) {
    return WorkflowError.isInstance(error) ? `${error.code} ${JSON.stringify(error.data?.option)}` : String(error);
  }
};

const contract = parseContract({ name: 'c.md', text: '제1조 (목적) 이 계약은 예시다.' });
const agents: readonly (readonly [name: string, factory: (options: never) => unknown, needs: object])[] = [
  ['toolAgent', toolAgent, {}],
  ['chatAgent', chatAgent, {}],
  ['planExecute', planExecute, {}],
  ['guideAgent', guideAgent, { knowledge: createKnowledgeBase([], []) }],
  ['contractAgent', contractAgent, { contracts: [{ contract }] }],
];

/** Of agents that call tools. */
const wrongCalling = [
  { allowEgress: 'no' }, // a true value
  { privateInput: 'false' },
  { allowTargets: 'example.com' },
  { tools: null },
  { tools: ['calculator'] },
  { tools: [{ name: 'x' }] },
  { expiresInMs: '5' },
];

describe.each(agents)('%s', (name, factory, needs) => {
  it.each([null, 5, 'x', [], true])('rejects %j as options', (options) => {
    expect(made(factory, options)).toMatch(/^OPTION_INVALID/);
  });

  it.each(Object.keys(needs))('rejects creation without %s', (option) => {
    expect(made(factory, {})).toBe(`OPTION_INVALID "${option}"`);
  });

  it('is created with the required options', () => {
    expect(made(factory, needs)).toBe('made');
  });

  it.each([
    { model: 'gpt-5' },
    { model: {} },
    { id: 5 },
    { models: 'x' },
    { advice: 'x' },
    { timeZone: 5 },
    { maxRepairs: '3' },
    { allowTarget: ['example.com'] }, // misspelt
    { contracts: [null] },
    { contracts: [{}] },
    { contracts: 'x' },
  ])('rejects %j', (wrong) => {
    expect(made(factory, { ...needs, ...wrong })).toBe(`OPTION_INVALID "${Object.keys(wrong)[0]}"`);
  });

  it.each(name === 'contractAgent' ? [] : wrongCalling)('rejects %j', (wrong) => {
    expect(made(factory, { ...needs, ...wrong })).toBe(`OPTION_INVALID "${Object.keys(wrong)[0]}"`);
  });
});
