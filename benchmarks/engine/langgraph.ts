import { append } from 'agent-machines';
import type { PlanExecuteState } from 'agent-machines/machines/plan-execute';
import { canReplanFailedWave, hasMoreSteps, hasPlan, needsTool, waveFailed } from '../../machines/plan-execute/guards.ts';
import { initialState } from '../../machines/plan-execute/state.ts';
import { type CompiledGraph, type LangGraphPeer, loadLangGraph, type MemorySaver } from './langgraph-peer.ts';
import { input, nodes } from './script.ts';
import type { Variant } from './variant.ts';

/** LangGraph.js without a checkpointer: nothing is stored. */
export const langGraph: Variant = {
  runsPerStore: 500,
  open: async () => {
    const graph = compile(await loadLangGraph());
    return {
      run: async () => assertDone(await graph.invoke(initialState(input))),
      finalState: () => graph.invoke(initialState(input)),
      close: async () => {},
    };
  },
};

/** LangGraph.js with its checkpointer in memory; each run on a thread of its own. */
export const langGraphOnMemory: Variant = {
  runsPerStore: 500,
  open: async () => {
    const peer = await loadLangGraph();
    const graph = compile(peer, new peer.MemorySaver());
    let runs = 0;
    const invoke = (): Promise<unknown> => graph.invoke(initialState(input), { configurable: { thread_id: `t${++runs}` } });
    return { run: async () => assertDone(await invoke()), finalState: invoke, close: async () => {} };
  },
};

function compile({ Annotation, END, START, StateGraph }: LangGraphPeer, checkpointer?: MemorySaver): CompiledGraph {
  const replaced = Object.keys(initialState(input)).filter((key) => key !== 'acceptedSteps' && key !== 'pastSteps');
  const appended = { reducer: append, default: () => [] };
  const channels = {
    ...Object.fromEntries(replaced.map((key) => [key, Annotation()])),
    acceptedSteps: Annotation(appended),
    pastSteps: Annotation(appended),
  };
  return new StateGraph(Annotation.Root(channels))
    .addNode('intent_classifier', nodes.intent_classifier)
    .addNode('planner', nodes.planner)
    .addNode('executor', nodes.executor)
    .addNode('replanner', nodes.replanner)
    .addNode('final_answer', nodes.final_answer)
    .addNode('error_handler', nodes.error_handler)
    .addEdge(START, 'intent_classifier')
    .addConditionalEdges<PlanExecuteState>('intent_classifier', (state) => (needsTool(state) ? 'planner' : 'final_answer'), [
      'planner',
      'final_answer',
    ])
    .addConditionalEdges<PlanExecuteState>('planner', (state) => (hasPlan(state) ? 'executor' : 'final_answer'), [
      'executor',
      'final_answer',
    ])
    .addConditionalEdges<PlanExecuteState>('executor', afterExecutor, ['replanner', 'error_handler', 'executor', 'final_answer'])
    .addConditionalEdges<PlanExecuteState>('replanner', (state) => (hasPlan(state) ? 'executor' : 'error_handler'), [
      'executor',
      'error_handler',
    ])
    .addEdge('final_answer', END)
    .addEdge('error_handler', END)
    .compile(checkpointer ? { checkpointer } : {});
}

function afterExecutor(state: PlanExecuteState): string {
  if (canReplanFailedWave(state)) return 'replanner';
  if (waveFailed(state)) return 'error_handler';
  return hasMoreSteps(state) ? 'executor' : 'final_answer';
}

function assertDone(state: unknown): void {
  if (typeof (state as PlanExecuteState).result !== 'string') throw new Error('The graph returned no result.');
}
