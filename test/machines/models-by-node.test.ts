import type { ChatModel } from 'agent-machines';
import { entries } from 'agent-machines/machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { describe, expect, it } from 'vitest';
import { emptyKit } from '../fixtures/empty-kit.ts';

const model = (name: string): ChatModel => ({ name, generate: () => Promise.reject(new Error(name)) });
const large = model('large');

describe('models by node', () => {
  it.each(entries.flatMap(({ name, modelNodes: [node], load }) => (node === undefined ? [] : [{ name, node, load }])))(
    'of $name accept only its nodes',
    async ({ node, load }) => {
      const { create } = await load();
      const make = (models: Record<string, ChatModel>) => create(emptyKit({ models }));
      expect(await make({ [node]: large, default: model('small') })).toBeDefined();
      await expect(make({ [`${node}x`]: large })).rejects.toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID', hint: expect.stringContaining(`Did you mean "${node}"?`) }),
      );
    },
  );

  it('have keys that the compiler checks', () => {
    expect(planExecute({ models: { planner: large, default: large } })).toBeDefined();
    // @ts-expect-error no node of plan-execute has this name
    expect(() => planExecute({ models: { router: large } })).toThrow('No node "router" calls a model.');
  });
});
