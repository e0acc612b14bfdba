/** One step of a measured plan. */
export interface GraphStep {
  readonly id: number;
  readonly ms: number;
  /** Ids of the steps whose output it takes. */
  readonly needs: readonly number[];
  readonly once: boolean;
}

export type GraphName = (typeof graphNames)[number];

export const graphNames = ['8 parallel', '2 parallel', 'diamond', 'uneven', '8 with one once', '8 with three once'] as const;

const step = (id: number, { ms = 100, needs = [], once = false }: Partial<Omit<GraphStep, 'id'>> = {}): GraphStep => ({
  id,
  ms,
  needs,
  once,
});

const eight = (once: readonly number[]): readonly GraphStep[] =>
  Array.from({ length: 8 }, (_, index) => step(index + 1, { once: once.includes(index + 1) }));

/** Shapes as in the paper on LLMCompiler, of tools that take 100 ms if nothing else is said. */
export const graphs: Readonly<Record<GraphName, readonly GraphStep[]>> = {
  '8 parallel': eight([]),
  '2 parallel': [step(1), step(2), step(3, { needs: [1, 2] })],
  diamond: [step(1), step(2, { needs: [1] }), step(3, { needs: [1] }), step(4, { needs: [2, 3] })],
  // a short branch that goes on while a long step is still at work
  uneven: [step(1), step(2, { ms: 300 }), step(3, { ms: 300, needs: [1] }), step(4, { needs: [1] }), step(5, { needs: [4] })],
  '8 with one once': eight([4]),
  '8 with three once': eight([2, 4, 6]),
};

/** Each tool after the other. */
export const serialMs = (graph: readonly GraphStep[]): number => graph.reduce((sum, { ms }) => sum + ms, 0);

/** When the last step ends if each starts as soon as its inputs are there, and each `once` step after the one before it in the plan. */
export function idealMs(graph: readonly GraphStep[]): number {
  const ends = new Map<number, number>();
  let lastOnce = 0;
  for (const { id, ms, needs, once } of graph) {
    const begins = Math.max(once ? lastOnce : 0, ...needs.map((need) => ends.get(need) ?? 0));
    ends.set(id, begins + ms);
    if (once) lastOnce = begins + ms;
  }
  return Math.max(...ends.values());
}
