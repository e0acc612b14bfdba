// A run belongs to the agent that began it: its id, and the models, tools and limits that it was offered.
import {
  type AnyWorkflow,
  createRuntime,
  createWorker,
  defineWorkflow,
  memoryStore,
  type RunResult,
  type RunStore,
  type Runtime,
  subWorkflow,
  type Tool,
} from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type ToolAgentOptions, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { asTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { final, logMachine, node } from '../../../fixtures/log-workflow.ts';
import { echo } from '../../../fixtures/text-tools.ts';
import { knowledge } from '../../../machines/guide-agent/helpers.ts';

/** Calls `pay` once, then says what it has answered. */
const model = (name = 'payer') => ({
  ...offlineModel({
    'tool_agent.agent': ({ messages }: { readonly messages: readonly { readonly role: string; readonly content: string }[] }) => {
      const answer = messages.findLast(({ role }) => role === 'tool');
      return answer ? answer.content : { toolCalls: [{ name: 'pay', arguments: { text: '10' } }] };
    },
  } as never),
  name,
});
const pay = (more: Partial<Tool> = {}) => echo('pay', { description: 'Pays.', effect: 'once', needsApproval: true, ...more });
const payer = (tools: readonly Tool[], more: ToolAgentOptions = {}): AnyWorkflow =>
  toolAgent({ tools, model: model(), ...more }) as AnyWorkflow;

const interruptOf = (result: RunResult<unknown>): string => (result.status === 'waiting' ? (result.interrupt?.id ?? '') : result.status);

/** A run that waits for its approval. */
async function waiting(store: RunStore, workflow: AnyWorkflow) {
  const runtime = createRuntime({ store });
  const run = runtime.start(workflow, { input: 'pay 10' });
  const interruptId = interruptOf(await run.result);
  await runtime.close();
  return { runId: run.id, interruptId };
}

const approve = async (runtime: Runtime, { runId, interruptId }: Awaited<ReturnType<typeof waiting>>, acceptChanges?: boolean) =>
  (await runtime.send(runId, { type: 'APPROVE' }, { interruptId, ...(acceptChanges === undefined ? {} : { acceptChanges }) })).result;

describe('two agents of one machine', () => {
  it('are rejected under one id, and drive their own runs under two', async () => {
    const [guestPay, adminPay] = [pay(), pay()];
    expect(() => createRuntime({ workflows: [payer([guestPay]), payer([adminPay])] })).toThrow(
      expect.objectContaining({ code: 'WORKFLOW_DUPLICATE', message: expect.stringContaining('"tool_agent"') }),
    );
    const [guest, admin] = [payer([guestPay], { id: 'guest' }), payer([adminPay], { id: 'admin' })];
    const runtime = createRuntime({ workflows: [guest, admin] });
    const run = runtime.start(guest, { input: 'pay 10' });
    const interruptId = interruptOf(await run.result);
    runtime.start(admin, { input: 'pay 10' });
    expect(await approve(runtime, { runId: run.id, interruptId })).toMatchObject({ output: { answer: 'pay 10' } });
    expect([guestPay.asked, adminPay.asked]).toEqual([['10'], []]);
  });

  it('accept an id in every factory, and reject an invalid one', () => {
    const id = 'mine';
    const contracts = [{ contract: { name: 'c', text: '', articles: [] } as never }];
    const machine = logMachine({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: ['a'] });
    const nodes = { a: async () => ({}) };
    const made = [
      toolAgent({ id }),
      planExecute({ id }),
      chatAgent({ id }),
      guideAgent({ id, knowledge }),
      contractAgent({ id, contracts }),
      defineWorkflow({ id, machine, nodes }),
    ];
    expect(made.map((workflow) => workflow.id)).toEqual(made.map(() => id));
    expect(defineWorkflow({ machine, nodes }).id).toBe('log');
    expect(() => planExecute({ id: 'a b' })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message: 'id is "a b".' }));
  });
});

describe('a run whose workflow changed its offer', () => {
  const schema = { type: 'object', properties: { text: { type: 'string' }, to: { type: 'string' } }, required: ['text'] };
  const cases: readonly (readonly [change: string, now: () => AnyWorkflow])[] = [
    ['model was "payer", is "larger"', () => payer([pay()], { model: model('larger') })],
    ['tool "pay" is missing', () => payer([])],
    ['tool "pay": effect was "once", is "pure"', () => payer([pay({ effect: 'pure' })])],
    ['tool "pay": its arguments changed', () => payer([pay({ inputSchema: schema })])],
    ['tool "pay": its approval rule changed', () => payer([pay({ needsApproval: false })])],
    ['limit "maxSteps" was 10, is 50', () => payer([pay()], { maxSteps: 50 })],
    ['limit "allowEgress" was false, is true', () => payer([pay()], { allowEgress: true })],
  ];

  it.each(cases)('is rejected by name and stays unchanged: %s', async (change, now) => {
    const store = memoryStore();
    const run = await waiting(store, payer([pay()]));
    const before = [await store.read(run.runId), await store.journal(run.runId)];
    const runtime = createRuntime({ store, workflows: [now()] });
    const refused = { code: 'OFFER_CHANGED', data: { changes: [change] } };
    await expect(approve(runtime, run)).rejects.toMatchObject(refused);
    await expect(runtime.resume(run.runId)).rejects.toMatchObject(refused);
    expect([await store.read(run.runId), await store.journal(run.runId)]).toEqual(before);
  });

  it('resumes when the answer accepts the changes, once, and records them in its journal', async () => {
    const store = memoryStore();
    const run = await waiting(store, payer([pay()]));
    const tool = pay();
    const runtime = createRuntime({ store, workflows: [payer([tool], { maxSteps: 50 })] });
    expect(await approve(runtime, run, true)).toMatchObject({ status: 'done', output: { answer: 'pay 10' } });
    expect(tool.asked).toEqual(['10']);
    const changes = ['limit "maxSteps" was 10, is 50'];
    const entries = await runtime.history(run.runId);
    expect(entries.filter(({ kind }) => kind === 'offer')).toMatchObject([
      { outcome: { changes, offer: { limits: { maxSteps: 50 } } }, events: [{ type: 'offer-changed', changes }] },
    ]);
  });

  it('resumes with the last accepted offer, without another acceptance', async () => {
    const store = memoryStore();
    const run = await waiting(store, payer([pay()]));
    const now = () => payer([pay()], { maxSteps: 50 });
    await (await createRuntime({ store, workflows: [now()] }).resume(run.runId, { acceptChanges: true })).result;
    expect(await approve(createRuntime({ store, workflows: [now()] }), run)).toMatchObject({ status: 'done' });
    const { runId } = await waiting(store, payer([pay()]));
    const entries = await store.journal(runId);
    expect(entries.some(({ kind }) => kind === 'offer')).toBe(false);
  });

  it('is skipped by a worker, and resumed by a worker that accepts the changes', async () => {
    const store = memoryStore();
    const before = createRuntime({ store });
    const { id } = before.start(payer([pay()]), { input: 'pay 10' }, { drive: false });
    await expect.poll(async () => (await store.read(id))?.status).toBe('paused');
    const now = payer([pay()], { maxSteps: 50 });
    const { taken, left } = await createRuntime({ store, workflows: [now] }).recover();
    expect([taken, left]).toMatchObject([[], [{ runId: id, error: { code: 'OFFER_CHANGED' } }]]);
    const worker = createWorker({ store, workflows: [now], acceptChanges: true, pollMs: 1 });
    await expect.poll(async () => (await store.read(id))?.status).toBe('waiting');
    await worker.close();
    expect((await store.journal(id)).filter(({ kind }) => kind === 'offer')).toHaveLength(1);
  });

  it('is resumed by a recovery that accepts the changes', async () => {
    const store = memoryStore();
    const { id } = createRuntime({ store }).start(payer([pay()]), { input: 'pay 10' }, { drive: false });
    await expect.poll(async () => (await store.read(id))?.status).toBe('paused');
    const runtime = createRuntime({ store, workflows: [payer([pay()], { maxSteps: 50 })] });
    const { taken, left } = await runtime.recover({ acceptChanges: true });
    expect([taken.map(({ run }) => run.id), left]).toEqual([[id], []]);
    await taken[0]?.run.result;
  });
});

describe('a run whose workflow offers the same', () => {
  it.each<[what: string, now: () => AnyWorkflow]>([
    ['made again', () => payer([pay()])],
    ['with the keys and the tools in another order', () => payer([echo('look'), pay()].reverse())],
    ['with a tool that the run was not granted', () => payer([echo('look'), pay()])],
    ['with another function and other instructions', () => payer([pay()], { instructions: 'You pay.' })],
  ])('resumes: %s', async (_what, now) => {
    const store = memoryStore();
    const run = await waiting(store, payer([pay()]));
    expect(await approve(createRuntime({ store, workflows: [now()] }), run)).toMatchObject({ status: 'done' });
  });

  it('resumes when its version stored no offer', async () => {
    const store = memoryStore();
    const { offer: _, ...older } = payer([pay()]);
    const run = await waiting(store, older);
    expect((await store.journal(run.runId))[0]?.outcome).not.toHaveProperty('offer');
    expect(await approve(createRuntime({ store, workflows: [payer([pay()], { maxSteps: 50 })] }), run)).toMatchObject({ status: 'done' });
  });

  it('stores hashes of schemas, without their content', async () => {
    const store = memoryStore();
    const { runId } = await waiting(store, payer([pay({ inputSchema: { type: 'object', properties: { text: {}, sk_secret: {} } } })]));
    const [start] = await store.journal(runId);
    expect(start?.outcome).toMatchObject({
      offer: {
        model: 'payer',
        tools: { pay: ['once', expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)] },
        limits: { maxSteps: 10, maxRepairs: 1, allowEgress: false },
      },
    });
    expect(JSON.stringify(start)).not.toContain('sk_secret');
  });
});

describe('a nested workflow', () => {
  it('changes the offer of the outer workflow, as a tool and as a node', () => {
    const inner = (maxSteps: number) => toolAgent({ tools: [pay()], maxSteps });
    const asTools = [10, 10, 50].map((steps) => payer([asTool(inner(steps), { name: 'ask', description: 'Asks.' })]).offer?.(null));
    const machine = logMachine({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: ['a'] });
    const toPatch = () => ({});
    const asNodes = [10, 10, 50].map((steps) =>
      defineWorkflow({ machine, nodes: { a: subWorkflow(inner(steps), { toInput: () => ({ input: 'x' }), toPatch }) } }).offer?.(null),
    );
    for (const [one, same, other] of [asTools, asNodes]) {
      expect(one).toEqual(same);
      expect(one).not.toEqual(other);
    }
  });
});

describe('an approval', () => {
  it.each<[what: string, more: Partial<Tool>]>([
    ['its description', { description: 'Pays twice.' }],
    ['its effect', { effect: 'idempotent' }],
  ])('is requested again when the tool has changed since the question: %s', async (_what, more) => {
    const store = memoryStore();
    const run = await waiting(store, payer([pay()]));
    const tool = pay(more);
    const runtime = createRuntime({ store, workflows: [payer([tool])] });
    const again = await approve(runtime, run, true);
    expect([again.status, tool.asked]).toEqual(['waiting', []]);
    const asked = { runId: run.runId, interruptId: interruptOf(again) };
    expect(asked.interruptId).not.toBe(run.interruptId);
    expect(await approve(runtime, asked)).toMatchObject({ status: 'done', output: { answer: 'pay 10' } });
    expect(tool.asked).toEqual(['10']);
  });
});
