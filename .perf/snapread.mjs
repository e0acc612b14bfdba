import { readFileSync } from 'node:fs';
const s = JSON.parse(readFileSync('.perf/a.heapsnapshot','utf8'));
const f = s.snapshot.meta.node_fields, nt = s.snapshot.meta.node_types[0]; const L=f.length;
const agg = new Map();
for (let i=0;i<s.nodes.length;i+=L){ const type=nt[s.nodes[i]], name=s.strings[s.nodes[i+1]], size=s.nodes[i+3]; const k=`${type}:${(type==='string'||type.includes('string'))?'':name}`.slice(0,70); const a=agg.get(k)||[0,0]; a[0]++; a[1]+=size; agg.set(k,a);}
for (const [k,[c,b]] of [...agg].sort((a,b)=>b[1][1]-a[1][1]).slice(0,30)) console.log(String(b/1000).padStart(9),'B/run',String(c/1000).padStart(8),k);
