import type { Tool } from 'agent-machines';
import type { GraphStep } from './graphs.ts';

/** When a step was at work, in milliseconds of the process. */
interface Span {
  readonly begins: number;
  readonly ends: number;
}

/** The tools of a graph, which note when they were at work. */
export interface GraphTools {
  /** Takes its time, and says its own id. */
  readonly call: (step: GraphStep) => Promise<string>;
  readonly tools: readonly Tool[];
  /** @throws {Error} when a step was not called exactly once, not after its inputs, or a `once` step beside another. */
  prove(graph: readonly GraphStep[]): void;
}

export function graphTools(graph: readonly GraphStep[]): GraphTools {
  const spans = new Map<number, Span[]>();
  const call = async ({ id, ms }: GraphStep): Promise<string> => {
    const begins = performance.now();
    await new Promise((resolve) => setTimeout(resolve, ms));
    spans.set(id, [...(spans.get(id) ?? []), { begins, ends: performance.now() }]);
    return `${id}`;
  };
  return {
    call,
    tools: graph.map((step) => toTool(step, call)),
    prove(steps) {
      const only = (id: number): Span => {
        const [span, second] = spans.get(id) ?? [];
        if (!span || second) throw new Error(`Step ${id} was called ${span ? 'more than once' : 'not at all'}.`);
        return span;
      };
      for (const { id, needs } of steps) {
        for (const need of needs) if (only(id).begins < only(need).ends) throw new Error(`Step ${id} started before step ${need} ended.`);
      }
      const once = steps.filter((step) => step.once).map(({ id }) => only(id));
      once.forEach((span, index) => {
        if (span.begins < (once[index - 1]?.ends ?? 0)) throw new Error('Two once steps ran at the same time.');
      });
      spans.clear();
    },
  };
}

const toTool = (step: GraphStep, call: GraphTools['call']): Tool => ({
  name: `tool_${step.id}`,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(step.needs.map((need) => [`from_${need}`, { type: 'string' }])),
    additionalProperties: false,
  },
  effect: step.once ? 'once' : 'pure',
  capabilities: { private: false, untrusted: false, external: false },
  execute: () => call(step),
});
