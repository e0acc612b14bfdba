// A grant comes from the server or the runtime's caller, never from the input of a client.
import { createRuntime, memoryStore, type RunStore, type Runtime, type Workflow } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import type { ServerOptions } from 'agent-machines/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asking, serve } from '../../fixtures/served.ts';
import { echo, textTool } from '../../fixtures/text-tools.ts';

const limits = { writes: { perMinute: 1e6, burst: 1e6 }, starts: { perMinute: 1e6, burst: 1e6 } };
type AnyOf = Workflow<never, never, unknown>;

/** An agent that reads private data, then wants to send it out. */
function leaking() {
  const leak = echo('leak', { capabilities: { private: false, untrusted: false, external: true } });
  const read = echo('read', { capabilities: { private: true, untrusted: false, external: false } });
  const model = offlineModel({
    'tool_agent.agent': ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length;
      return results === 2 ? 'sent' : { toolCalls: [{ name: results === 0 ? 'read' : 'leak', arguments: { text: 'x' } }] };
    },
  });
  return { leak, agent: toolAgent({ model, tools: [read, leak] }) };
}

const allOfUs = (): readonly AnyOf[] =>
  [
    toolAgent(),
    planExecute(),
    chatAgent(),
    guideAgent({ knowledge: { name: 'none', passages: [], services: [], search: async () => [] } as never }),
    contractAgent({ contracts: [{ contract: parseContract({ name: 'c.txt', text: '제1조(목적) 이 계약은 목적을 정한다.' } as never) }] }),
  ] as unknown as readonly AnyOf[];

function served(workflows: readonly AnyOf[], options: Partial<ServerOptions> = {}) {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows });
  onTestFinished(() => runtime.close());
  return serve({ store, runtime, workflows, limits, ...options });
}

describe('the input of a start', () => {
  it.each(['tool_agent', 'plan_execute', 'chat_agent', 'guide_agent', 'contract_agent'])(
    'is rejected with the path of a field that %s does not accept',
    async (workflow) => {
      const { ask, runtime } = served(allOfUs());
      for (const [field, path] of [
        ['grantEgress', '/grantEgress'],
        ['a/b', '/a~1b'],
      ] as const) {
        const { status, body } = await ask('POST', '/api/runs', { workflow, input: { input: '안녕', [field]: true } });
        expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID', data: { path } } });
        expect(body.message).toContain(path);
      }
      expect(await runtime.list()).toEqual([]);
    },
  );

  it('is rejected with the path of an unknown field of a file or message', async () => {
    const { ask } = served(allOfUs());
    const file = { mediaType: 'image/png', data: 'AAAA', grant: true };
    const turn = [{ role: 'user', content: 'a', grant: true }];
    const inFile = await ask('POST', '/api/runs', { workflow: 'chat_agent', input: { input: 'q', files: [file] } });
    const inTurn = await ask('POST', '/api/runs', { workflow: 'contract_agent', input: { input: 'q', previousTurn: turn } });
    expect([inFile.body.data, inTurn.body.data]).toEqual([{ path: '/files/0/grant' }, { path: '/previousTurn/0/grant' }]);
  });

  it('is rejected by the published schema when the workflow accepts anything', async () => {
    const inputSchema = { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] };
    const { ask } = served([], {
      workflows: [{ id: 'party', title: 'Party', description: '', examples: [], workflow: asking as never, inputSchema }],
    });
    for (const [input, path] of [
      [{ guests: 2, grantEgress: true }, '/grantEgress'],
      [{ guests: 'two' }, '/guests'],
    ] as const) {
      const { status, body } = await ask('POST', '/api/runs', { workflow: 'party', input });
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INPUT_INVALID', data: { path } } });
    }
  });
});

describe('grantEgress of a server', () => {
  const statusOf = async (options: Partial<ServerOptions>) => {
    const { agent, leak } = leaking();
    const { ask, runtime } = served([agent] as unknown as readonly AnyOf[], options);
    const { body } = await ask('POST', '/api/runs', { workflow: 'tool_agent', input: { input: 'q' }, threadId: 't1' });
    const { status } = await (await runtime.resume(body.id)).result;
    return { status, sent: leak.asked.length };
  };

  it('allows calls for the given starts only', async () => {
    const seen: unknown[] = [];
    const grantEgress: ServerOptions['grantEgress'] = (start) => {
      seen.push(start);
      return true;
    };
    expect(await statusOf({ grantEgress })).toEqual({ status: 'done', sent: 1 });
    expect(seen).toEqual([{ tenant: 'local', workflow: 'tool_agent', threadId: 't1' }]);
    expect(await statusOf({ grantEgress: () => false })).toEqual({ status: 'waiting', sent: 0 });
    expect(await statusOf({})).toEqual({ status: 'waiting', sent: 0 });
  });
});

describe('grantEgress of a start', () => {
  /** Stops the run in its first call, and lets another runtime finish it. */
  async function resumedElsewhere(store: RunStore, start: (runtime: Runtime, workflow: AnyOf) => string) {
    const { agent, leak } = leaking();
    const stalled = Promise.withResolvers<void>();
    const read = textTool(
      'read',
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          stalled.resolve();
        }),
      { capabilities: { private: true, untrusted: false, external: false } },
    );
    const model = offlineModel({ 'tool_agent.agent': () => ({ toolCalls: [{ name: 'read', arguments: { text: 'x' } }] }) });
    const first = createRuntime({ store });
    const runId = start(first, toolAgent({ model, tools: [read, leak] }) as unknown as AnyOf);
    await stalled.promise;
    await first.close();
    const second = createRuntime({ store, workflows: [agent] as unknown as readonly AnyOf[] });
    onTestFinished(() => second.close());
    const { status } = await (await second.resume(runId)).result;
    return { runId, status, sent: leak.asked.length, second };
  }

  it('is stored with the run and kept by other processes and forks', async () => {
    const { runId, status, sent, second } = await resumedElsewhere(memoryStore(), (runtime, workflow) => {
      return runtime.start(workflow, { input: 'q' } as never, { grantEgress: true }).id;
    });
    expect({ status, sent }).toEqual({ status: 'done', sent: 1 });
    const fork = await second.fork(runId, { at: 'agent#2' });
    expect((await fork.result).status).toBe('done');
  });

  it('is read from the input of a run of an earlier version', async () => {
    const store = memoryStore();
    const earlier: RunStore = {
      ...store,
      create: (run, [first, ...more], lease) => {
        if (!first) throw new TypeError('A run begins with its start.');
        const { input } = first.outcome as { readonly input: object };
        return store.create(run, [{ ...first, outcome: { input: { ...input, grantEgress: true } } }, ...more], lease);
      },
    };
    const ended = await resumedElsewhere(earlier, (runtime, workflow) => runtime.start(workflow, { input: 'q' } as never).id);
    expect(ended).toMatchObject({ status: 'done', sent: 1 });
  });
});
