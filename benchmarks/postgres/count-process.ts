// A process that counts for a while: `count-process.ts ADDRESS SECONDS`. Begins when it is told to, and says how many runs it has done.
import { once } from 'node:events';
import { createRuntime } from 'agent-machines';
import { postgresStore } from 'agent-machines/stores/postgres';
import { importPg } from '../../test/system/postgres-server.ts';
import { counter } from '../engine/durable-step.ts';

const [connectionString = '', seconds = ''] = process.argv.slice(2);
const atOnce = 4;
const store = postgresStore({ connectionString, poolSize: atOnce + 1, pg: importPg });
const runtime = createRuntime({ store });
await runtime.start(counter, null).result;
console.log('ready');
await once(process.stdin, 'data');

const end = performance.now() + 1000 * Number(seconds);
let runs = 0;
const work = async (): Promise<void> => {
  while (performance.now() < end) {
    await runtime.start(counter, null).result;
    runs++;
  }
};
await Promise.all(Array.from({ length: atOnce }, work));
console.log(runs);
await runtime.close();
await store.close();
process.exit();
