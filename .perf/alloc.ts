import { Session } from 'node:inspector/promises';
import { createRuntime, defineWorkflow, memoryStore } from 'agent-machines';
import { createActor, toPromise } from 'xstate';
import { machine } from '../machines/plan-execute/machine.ts';
import { nodes, input } from '../benchmarks/engine/script.ts';
const mode = process.argv[2];
const w = defineWorkflow({ machine, nodes, ...(mode === 'xstate' ? { engine: 'xstate' } : {}) } as any);
let runtime = createRuntime();
const once = mode === 'live' ? async () => { await toPromise(createActor(w.machine, { input } as any).start()); } : async () => { const r = await runtime.start(w as any, input as any).result; if (r.status !== 'done') throw new Error(JSON.stringify(r)); };
for (let i = 0; i < 3000; i++) { if (i % 500 === 0) runtime = createRuntime(); await once(); }
const s = new Session(); s.connect();
await s.post('HeapProfiler.startSampling', { samplingInterval: 512, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true } as any);
const N = 1000;
for (let i = 0; i < N; i++) { if (i % 500 === 0) runtime = createRuntime(); await once(); }
const { profile } = await s.post('HeapProfiler.stopSampling') as any;
const self = new Map<string, number>(); let total = 0;
const walk = (n: any): void => { const k = `${n.callFrame.functionName || '(anon)'} ${n.callFrame.url.split('/').slice(-2).join('/')}:${n.callFrame.lineNumber + 1}`; self.set(k, (self.get(k) || 0) + n.selfSize); total += n.selfSize; n.children.forEach(walk); };
walk(profile.head);
console.log('bytes/run', (total / N).toFixed(0));
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 40)) console.log((v / N).toFixed(0).padStart(7), k);
