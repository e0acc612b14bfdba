// The process that measures: one task from the command line, its sample as JSON on stdout.
import { graphTools } from './graph-tools.ts';
import { type GraphName, graphs } from './graphs.ts';
import { type VariantName, variants } from './variants.ts';

export interface PlanTask {
  readonly graph: GraphName;
  readonly variant: VariantName;
  readonly runs: number;
}

export interface PlanSample {
  /** Of each run, after one that does not count. */
  readonly ms: readonly number[];
}

async function measurePlan({ graph: name, variant, runs }: PlanTask): Promise<PlanSample> {
  const graph = graphs[name];
  const tools = graphTools(graph);
  const { run, close } = await variants[variant](graph, tools);
  // LangGraph.js knows no `once`: it is not asked to keep to it
  const proven = variant === 'LangGraph.js' ? graph.map((step) => ({ ...step, once: false })) : graph;
  const ms: number[] = [];
  for (let count = 0; count <= runs; count++) {
    const begins = performance.now();
    await run();
    if (count > 0) ms.push(performance.now() - begins);
    tools.prove(proven);
  }
  await close();
  return { ms };
}

// written by run-executor-question.ts
const task = JSON.parse(process.argv[2] ?? '') as PlanTask;
process.stdout.write(JSON.stringify(await measurePlan(task)));
