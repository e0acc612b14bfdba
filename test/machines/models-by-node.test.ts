import type { ChatModel } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { describe, expect, it } from 'vitest';

const model = (name: string): ChatModel => ({ name, generate: () => Promise.reject(new Error(name)) });
const large = model('large');
const contracts = [{ contract: parseContract({ name: 'none', text: '' }) }];
const knowledge = createKnowledgeBase([], []);

describe('models of the four workflows', () => {
  it.each<[string, (models: Record<string, ChatModel>) => unknown, string]>([
    ['plan-execute', (models) => planExecute({ models }), 'planner'],
    ['chat-agent', (models) => chatAgent({ models }), 'router'],
    ['contract-agent', (models) => contractAgent({ contracts, models }), 'plan_next_action'],
    ['guide-agent', (models) => guideAgent({ knowledge, models }), 'planning_node'],
  ])('of %s are named by node, and no others', (_, make, node) => {
    expect(make({ [node]: large, default: model('small') })).toBeDefined();
    expect(() => make({ [`${node}x`]: large })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', hint: expect.stringContaining(`Did you mean "${node}"?`) }),
    );
  });

  it('are names that the compiler knows', () => {
    expect(planExecute({ models: { planner: large, default: large } })).toBeDefined();
    // @ts-expect-error no node of plan-execute has this name
    expect(() => planExecute({ models: { router: large } })).toThrow('No node "router" calls a model.');
  });
});
