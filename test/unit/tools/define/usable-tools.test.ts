import type { Tool } from 'agent-machines';
import { toModelTools, usableTools } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object' },
  execute: () => Promise.resolve(null),
  ...more,
});
const tools = [tool('add', { description: 'Adds.' }), tool('search', { unavailable: 'no key' }), tool('pay')];

describe('usableTools', () => {
  it('omits tools that are unavailable or not named', () => {
    expect(usableTools(tools).map(({ name }) => name)).toEqual(['add', 'pay']);
    expect(usableTools(tools, ['pay', 'search', 'other']).map(({ name }) => name)).toEqual(['pay']);
    expect(usableTools(tools, [])).toEqual([]);
  });
});

describe('toModelTools', () => {
  it('returns only name, description and arguments', () => {
    expect(toModelTools(usableTools(tools))).toEqual([
      { name: 'add', description: 'Adds.', inputSchema: { type: 'object' } },
      { name: 'pay', description: '', inputSchema: { type: 'object' } },
    ]);
  });
});
