import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { executePlan, parsePlan } from 'agent-machines/tools';
import { loadLangGraph } from '../engine/langgraph-peer.ts';
import type { GraphTools } from './graph-tools.ts';
import type { GraphStep } from './graphs.ts';

export type VariantName = (typeof variantNames)[number];

export const variantNames = [
  'promises by hand',
  'executePlan',
  'plan-execute, memory store',
  'plan-execute, SQLite file',
  'LangGraph.js',
] as const;

/** Ready to run the plan of a graph; `run` is what is measured. */
interface OpenResources {
  readonly run: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type Variant = (graph: readonly GraphStep[], tools: GraphTools) => Promise<OpenResources>;

export const variants: Readonly<Record<VariantName, Variant>> = {
  'promises by hand': async (graph, { call }) => ({ run: () => byHand(graph, call), close: async () => {} }),
  executePlan: async (graph, { tools }) => {
    const plan = parsePlan(planOf(graph), { tools });
    const run = async (): Promise<void> => {
      const { results } = await executePlan(plan, { tools });
      if (!results.every(({ status }) => status === 'success')) throw new Error(JSON.stringify(results));
    };
    return { run, close: async () => {} };
  },
  'plan-execute, memory store': async (graph, tools) => inRuns(graph, tools, memoryStore()),
  'plan-execute, SQLite file': async (graph, tools) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-executor-'));
    const store = sqliteStore({ path: join(folder, 'runs.db') });
    const { run } = inRuns(graph, tools, store);
    return {
      run,
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  'LangGraph.js': langGraph,
};

/** What somebody would write for this one plan: a promise for each step, and one for the last `once` step. */
async function byHand(graph: readonly GraphStep[], call: GraphTools['call']): Promise<void> {
  const outputs = new Map<number, Promise<string>>();
  let once: Promise<unknown> = Promise.resolve();
  for (const step of graph) {
    const inputs = Promise.all([step.once ? once : undefined, ...step.needs.map((need) => outputs.get(need))]);
    const output = inputs.then(() => call(step));
    outputs.set(step.id, output);
    if (step.once) once = output;
  }
  await Promise.all(outputs.values());
}

const planOf = (graph: readonly GraphStep[]): string =>
  JSON.stringify({
    steps: graph.map(({ id, needs }) => ({
      step_id: id,
      tool: `tool_${id}`,
      input: {},
      ...(needs.length > 0 ? { input_from: Object.fromEntries(needs.map((need) => [`from_${need}`, `step_${need}`])) } : {}),
    })),
  });

/** The whole workflow: its models answer at once, and every node and every call is journaled. */
function inRuns(graph: readonly GraphStep[], { tools }: GraphTools, store: RunStore): OpenResources {
  const model = offlineModel({
    'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
    'plan_execute.planner': () => planOf(graph),
    'plan_execute.final_answer': () => 'done',
  });
  const workflow = planExecute({ model, tools });
  const runtime = createRuntime({ store });
  return {
    async run() {
      const result = await runtime.start(workflow, { input: 'q' }).result;
      if (result.status !== 'done' || result.finalState !== 'done') throw new Error(JSON.stringify(result));
    },
    close: () => runtime.close(),
  };
}

/** A node for each step. It has no `once`, so those steps run beside each other. */
async function langGraph(graph: readonly GraphStep[], { call }: GraphTools): Promise<OpenResources> {
  const { Annotation, END, START, StateGraph } = await loadLangGraph();
  const outputs = Annotation<Readonly<Record<string, string>>>({ reducer: (now, next) => ({ ...now, ...next }), default: () => ({}) });
  let builder = new StateGraph(Annotation.Root({ outputs }));
  const needed = new Set(graph.flatMap(({ needs }) => needs));
  for (const step of graph) {
    builder = builder.addNode(`step_${step.id}`, async () => ({ outputs: { [step.id]: await call(step) } }));
  }
  for (const { id, needs } of graph) {
    const [first, ...others] = needs.map((need) => `step_${need}`);
    builder = builder.addEdge(first === undefined ? START : others.length === 0 ? first : [first, ...others], `step_${id}`);
  }
  const ends = graph.filter(({ id }) => !needed.has(id)).map(({ id }) => `step_${id}`);
  for (const end of ends) builder = builder.addEdge(end, END);
  const compiled = builder.compile();
  return {
    async run() {
      await compiled.invoke({ outputs: {} });
    },
    close: async () => {},
  };
}
