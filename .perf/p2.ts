import { createRuntime, defineWorkflow } from 'agent-machines';
import { createActor, toPromise } from 'xstate';
import { machine } from '../machines/plan-execute/machine.ts';
const step = (id: number) => ({ step_id: id, tool: 'a', input: 'x' });
const past = (id: number) => ({ step: step(id), status: 'success', output: 'x', startedAt: 1, durationMs: 1, attempts: 1, signature: 'a:x', deduplicated: false });
let n = 0;
const nodes: any = {
  intent_classifier: async () => ({ intent: 'new_question', rewrittenQuery: 'q', needsTool: true, constraints: null }),
  planner: async () => ({ plan: [step(1), step(2), step(3)], acceptedSteps: [step(1), step(2), step(3)] }),
  executor: async (s: any) => ({ pastSteps: [past(s.plan[0].step_id)], plan: s.plan.slice(1), wave: [s.plan[0].step_id] }),
  replanner: async () => ({}), final_answer: async () => ({ result: 'answer' }), error_handler: async () => ({ result: 'x' }) };
const mode = process.argv[2];
const w = defineWorkflow({ machine, nodes, ...(mode === 'xstate' ? { engine: 'xstate' } : {}) } as any);
const input: any = { input: 'q', messages: [], currentDatetime: '', availableTools: ['a'], maxReplans: 3, tainted: false };
const runtime = createRuntime();
const once = mode === 'live' ? async () => { await toPromise(createActor(w.machine, { input } as any).start()); } : async () => { const r = await runtime.start(w as any, input).result; if (r.status !== 'done') throw new Error(JSON.stringify(r)); };
for (let i = 0; i < 3000; i++) await once();
const N = 6000; const t = performance.now(); for (let i = 0; i < N; i++) await once();
console.log(mode, ((performance.now() - t) / N * 1000).toFixed(1), 'us');
