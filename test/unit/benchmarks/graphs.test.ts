import { executePlan, parsePlan } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { type GraphStep, graphNames, graphs, idealMs, serialMs } from '../../../benchmarks/executor/graphs.ts';

/** Runs a plan in virtual time: a step ends when nothing else may start, the one that is due first. */
async function virtualMs(graph: readonly GraphStep[]): Promise<number> {
  const running: { readonly dueMs: number; readonly end: () => void }[] = [];
  let nowMs = 0;
  const tools = graph.map(({ id, ms, once, needs }) => ({
    name: `t${id}`,
    inputSchema: { type: 'object', properties: Object.fromEntries(needs.map((need) => [`n${need}`, { type: 'string' }])) },
    effect: once ? ('once' as const) : ('pure' as const),
    capabilities: { private: false, untrusted: false, external: false },
    execute: () => new Promise<string>((resolve) => running.push({ dueMs: nowMs + ms, end: () => resolve('x') })),
  }));
  const steps = graph.map(({ id, needs }) => ({
    step_id: id,
    tool: `t${id}`,
    input: {},
    ...(needs.length > 0 ? { input_from: Object.fromEntries(needs.map((need) => [`n${need}`, `step_${need}`])) } : {}),
  }));
  let over = false;
  const done = executePlan(parsePlan(JSON.stringify({ steps }), { tools }), { tools }).finally(() => {
    over = true;
  });
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (over) break;
    const [first] = running.sort((a, b) => a.dueMs - b.dueMs);
    if (!first) throw new Error('Nothing is at work, and the plan is not done.');
    running.shift();
    nowMs = first.dueMs;
    first.end();
  }
  await done;
  return nowMs;
}

describe('the measured plans', () => {
  it('take their documented time, sequentially and at best', () => {
    expect(graphNames.map((name) => [name, serialMs(graphs[name]), idealMs(graphs[name])])).toEqual([
      ['8 parallel', 800, 100],
      ['2 parallel', 300, 200],
      ['diamond', 400, 300],
      ['uneven', 900, 400],
      ['8 with one once', 800, 100],
      ['8 with three once', 800, 300],
    ]);
  });

  it.each(graphNames)('are executed in exactly the ideal time with overhead-free tools: %s', async (name) => {
    expect(await virtualMs(graphs[name])).toBe(idealMs(graphs[name]));
  });
});
