import type { ChatModel, ChatReply } from 'agent-machines';
import { contains, defineEval, type EvalDefinition, type Grader } from 'agent-machines/evals';
import { type ToolAgentOutput, toolAgent } from 'agent-machines/machines/tool-agent';
import { calculator } from 'agent-machines/tools';

const reply = (text: string, ...calls: readonly [name: string, args: object][]): ChatReply => ({
  text,
  toolCalls: calls.map(([name, args], index) => ({ id: `c${index}`, name, arguments: JSON.stringify(args) })),
  usage: { inputTokens: 10, outputTokens: 2 },
  model: 'sums-1',
  cached: false,
});

/** A model that multiplies with the calculator, and answers wrongly with a probability. Counts its calls. */
export function multiplyingModel(isWrong: () => boolean = () => false): ChatModel & { calls: number } {
  const model = {
    name: 'sums-1',
    calls: 0,
    async generate({ messages, onToken }: Parameters<ChatModel['generate']>[0]): Promise<ChatReply> {
      model.calls++;
      const last = messages.at(-1);
      if (last?.role !== 'tool') {
        const [, a, b] = /(\d+) \* (\d+)/.exec(last?.content ?? '') ?? [];
        return reply('', ['calculator', { expression: `${a}*${b}` }]);
      }
      const { result } = JSON.parse(last.content) as { readonly result: number };
      const text = `It is ${isWrong() ? result + 1 : result}.`;
      for (const piece of text.split(/(?<= )/)) onToken?.(piece);
      return reply(text);
    },
  };
  return model;
}

export const sums = (
  count: number,
  graders: readonly Grader<ToolAgentOutput>[] = [contains('answer')],
): EvalDefinition<ReturnType<typeof toolAgent>> =>
  defineEval({
    name: 'sums',
    workflow: (model) => toolAgent({ model, tools: [calculator()] }),
    cases: Array.from({ length: count }, (_, i) => ({
      name: `sum ${i}`,
      input: { input: `What is ${i + 2} * ${i + 3}?` },
      expected: (i + 2) * (i + 3),
    })),
    graders,
  });
