// LangGraph.js' in-memory server, as `langgraphjs dev` starts it, without its watcher and its browser. Says its address.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';

const [port = '0', workers = '10', modelUrl = ''] = process.argv.slice(2);
process.env.MODEL_URL = modelUrl; // for the graph
process.chdir(mkdtempSync(join(tmpdir(), 'agent-machines-langgraph-'))); // it writes what it knows beside itself
const { host } = await startServer({
  port: Number(port),
  nWorkers: Number(workers),
  host: '127.0.0.1',
  cwd: process.cwd(),
  graphs: { talk: `${fileURLToPath(new URL('graph.js', import.meta.url))}:graph` },
});
console.log(`\nlistening http://${host}`);
