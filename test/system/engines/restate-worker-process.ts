// A worker of Restate: node restate-worker-process.mjs SDK PORT EFFECTS
import { restateServices } from 'agent-machines/stores';
import { engineWorkflows } from '../../fixtures/engine-workflows.ts';

const [sdkAddress = '', port = '', effects = ''] = process.argv.slice(2);
const sdk = (await import(sdkAddress)) as never;
const { serve } = sdk as { serve(options: { services: unknown[]; port: number }): Promise<unknown> };
await serve({ services: restateServices({ sdk, workflows: engineWorkflows(effects) }), port: Number(port) });
console.log('ready');
