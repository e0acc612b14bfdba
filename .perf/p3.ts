import { createRuntime, defineWorkflow, memoryStore } from 'agent-machines';
import { createActor, toPromise } from 'xstate';
import { machine } from '../machines/plan-execute/machine.ts';
import { nodes, input } from '../benchmarks/engine/script.ts';
const mode = process.argv[2];
const w = defineWorkflow({ machine, nodes, ...(mode === 'xstate' ? { engine: 'xstate' } : {}) } as any);
const null_ = { ...memoryStore(), create: (r: any) => ({ lease: { runId: r.id, epoch: 1 }, record: { ...r, status: 'running', seq: 1, epoch: 1, crashes: 0, activeMs: 0, startedAt: 1, updatedAt: 1 } }), append() {}, settle() {}, saveStructure() {} } as any;
const mk = () => createRuntime({ store: mode === 'null' ? null_ : memoryStore(), ...(process.argv[3] ? { limits: { wallTimeMs: Infinity } } : {}) });
let runtime = mk();
const once = mode === 'live' ? async () => { const a = createActor(w.machine, { input } as any).start(); await toPromise(a); } : async () => { const r = await runtime.start(w as any, input as any).result; if (r.status !== 'done') throw new Error(JSON.stringify(r)); };
let k = 0; const one = () => { if (++k % 500 === 0) { void runtime.close(); runtime = mk(); } return once(); };
for (let i = 0; i < 6000; i++) await one();
const best: number[] = [];
for (let b = 0; b < +(process.env.B ?? 20); b++) { const N = 500; const t = performance.now(); for (let i = 0; i < N; i++) await one(); best.push((performance.now() - t) / N * 1000); }
best.sort((a, b) => a - b);
console.log(mode, 'median', best[best.length >> 1]!.toFixed(1), 'min', best[0]!.toFixed(1), 'max', best.at(-1)!.toFixed(1));
