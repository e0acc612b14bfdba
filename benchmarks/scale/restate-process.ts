// A worker of Restate that serves the counted runs, and beside them bare steps: `restate-process.ts PORT`.
import { restateServices } from 'agent-machines/stores';
import { restateSdkAddress } from '../../test/system/restate/restate-server.ts';
import { counting } from './counting-workflow.ts';

interface BareContext {
  run<T>(name: string, action: () => T): Promise<T>;
}

interface BareCommits {
  readonly count: number;
  readonly text: string;
}

interface Sdk {
  service(definition: object): unknown;
  serve(options: { readonly services: readonly unknown[]; readonly port: number }): Promise<unknown>;
}

const [port = ''] = process.argv.slice(2);
const sdk = (await import(restateSdkAddress)) as never;
const { service, serve } = sdk as Sdk;
const raw = service({
  name: 'Raw',
  handlers: {
    async commit(context: BareContext, { count, text }: BareCommits) {
      for (let step = 0; step < count; step++) await context.run('raw', () => text);
    },
  },
});
await serve({ services: [...restateServices({ sdk, workflows: [counting] }), raw], port: Number(port) });
console.log('ready');
