import { createRuntime, type RunResult, type RunStore } from 'agent-machines';
import { final, logWorkflow, node, says, waiting } from '../../fixtures/log-workflow.ts';

// One run that is killed at any point and goes on, for every platform: it does nothing but `fetch`.

/** Where it is told what has become, and where its process is killed: see ledger.ts. */
export interface PayingRunOptions {
  readonly store: RunStore;
  readonly url: string;
  /** @default that of a runtime */
  readonly leaseMs?: number;
}

const runId = 'r_1';

/** Pays three times, asks a human in between, and takes a note. */
const paying = (url: string) =>
  logWorkflow({
    id: 'paying',
    states: {
      draft: node('draft', 'pay'),
      pay: node('pay', 'ask'),
      ask: waiting({ GO: 'send' }),
      send: node('send', 'done'),
      done: final,
      failed: final,
    },
    nodes: {
      draft: says('drafted'),
      pay: async (_state, io) => {
        for (const key of ['rent', 'tax']) await io.step(key, () => pay(url, key), { effect: 'once' });
        return { log: ['paid'] };
      },
      send: async (_state, io) => ({ log: [await io.step('post', () => pay(url, 'post'), { effect: 'once' })] }),
    },
  });

/** Starts the run, or goes on with it, until it has ended. Answers its question, and settles doubts by what was really paid. */
export async function payingRun({ store, url, ...options }: PayingRunOptions): Promise<RunResult<unknown>> {
  const workflow = paying(url);
  const runtime = createRuntime({ store: told(store, url), workflows: [workflow], ...options });
  const known = await runtime.get(runId).catch(() => undefined);
  let run = known ? await runtime.resume(runId) : runtime.start(workflow, {}, { runId });
  for (;;) {
    const result = await run.result;
    if (result.status === 'waiting' && result.interrupt) {
      run = await runtime.send(runId, { type: 'GO' }, { interruptId: result.interrupt.id });
    } else if (result.status === 'in_doubt') {
      const [call] = result.calls;
      if (!call) return result;
      const key = call.callId.split('/').at(-1) ?? '';
      const isPaid = (await ask(url, 'paid', key)) === 'yes';
      run = await runtime.resolve(runId, call.callId, isPaid ? { as: 'done', output: key } : { as: 'retry' });
    } else {
      return result;
    }
  }
}

const pay = (url: string, key: string): Promise<string> => ask(url, 'pay', key);

/** A store that tells of each write as soon as it is durable. */
function told(store: RunStore, url: string): RunStore {
  const tell = async <T>(what: string, written: T): Promise<Awaited<T>> => {
    const result = await written;
    await ask(url, 'wrote', what);
    return result;
  };
  return {
    ...store,
    create: (...args) => tell('create', store.create(...args)),
    acquire: (...args) => tell('acquire', store.acquire(...args)),
    append: (...args) => tell(`append ${args[1].key}`, store.append(...args)),
    settle: (...args) => tell('settle', store.settle(...args)),
  };
}

async function ask(url: string, what: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/${what}/${encodeURIComponent(key)}`, { method: 'POST' });
  return answer.text();
}
