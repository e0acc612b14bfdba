// A team of agents: handoffs, held calls, threads, and its machine.
import { createRuntime, type Json, lintWorkflow, memoryStore, type RunEvent, type TextGuard, toGraph } from 'agent-machines';
import { type AgentTeamOptions, type AgentTeamState, agentTeam } from 'agent-machines/machines/agent-team';
import { teamExploration, teamInvariants } from 'agent-machines/machines/agent-team/testing';
import { offlineModel, scriptedModel } from 'agent-machines/models';
import { crashResume, exploreMachine, never } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textTool } from '../fixtures/text-tools.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { calls, says } from './tool-agent/helpers.ts';

const hand = (to: string, id?: string): readonly [name: string, args: unknown, id?: string] =>
  id === undefined ? [`transfer_to_${to}`, { reason: 'it is theirs' }] : [`transfer_to_${to}`, { reason: 'it is theirs' }, id];

const shop = (script: Parameters<typeof scriptedModel>[0], more: Partial<AgentTeamOptions> = {}) => {
  const paid: string[] = [];
  const refund = textTool('refund', async ({ text }) => `refund ${paid.push(String(text))}`, { effect: 'once', needsApproval: true });
  const look = textTool('look', async ({ text }) => `found ${text}`);
  const model = scriptedModel(script);
  const team = agentTeam({
    id: 'shop',
    model,
    start: 'triage',
    agents: {
      triage: { instructions: 'You sort.', tools: [look], handoffs: ['billing', 'tech'] },
      billing: { instructions: 'You refund.', description: 'For money.', tools: [refund], handoffs: ['triage'] },
      tech: { instructions: 'You repair.', history: 'request' },
    },
    ...more,
  });
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [team] });
  return { team, runtime, model, paid };
};
const edgesOf = (events: readonly RunEvent[]) => events.flatMap((one) => (one.type === 'edge' ? [`${one.from} -> ${one.to}`] : []));

describe('a handoff', () => {
  it('is an edge to the other agent, which sees the conversation and has its own tools and instructions', async () => {
    const { team, runtime, model } = shop([calls(['look', { text: 'x' }]), calls(hand('billing')), says('Refunded.')]);
    const run = runtime.start(team, { input: 'money back' });
    expect(await run.result).toMatchObject({
      status: 'done',
      output: { answer: 'Refunded.', agent: 'billing', outcome: 'answered', steps: 2, error: null },
    });
    const events = (await runtime.history(run.id)).flatMap((entry) => entry.events) as RunEvent[];
    expect(edgesOf(events)).toEqual([
      'route -> triage',
      'triage -> triage_tools',
      'triage_tools -> triage',
      'triage -> triage_tools',
      'triage_tools -> billing',
      'billing -> done',
    ]);
    const [, , last] = model.requests;
    expect(last?.messages[0]?.content).toMatch(/^You refund\./);
    expect(last?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(last?.tools?.map(({ name }) => name)).toEqual(['refund', 'transfer_to_triage']);
    const offered = model.requests[0]?.tools?.find(({ name }) => name === 'transfer_to_billing');
    expect(offered?.description).toContain('For money.');
  });

  it('lets an agent see the request alone if it wants to', async () => {
    const { team, runtime, model } = shop([calls(['look', { text: 'x' }]), calls(hand('tech')), says('Fixed.')]);
    await runtime.start(team, { input: 'broken' }).result;
    expect(model.requests[2]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', expect.stringMatching(/^You repair\./)],
      ['user', 'broken'],
    ]);
  });

  it('comes after the calls beside it, and only the first one counts', async () => {
    const { team, runtime, model } = shop([calls(['look', { text: 'x' }, 'a'], hand('tech', 'b'), hand('billing', 'c')), says('Fixed.')]);
    expect(await runtime.start(team, { input: 'q' }).result).toMatchObject({ output: { agent: 'tech' } });
    const stored = model.requests.length;
    expect(stored).toBe(2);
    const [run] = await runtime.list({});
    const patches = (await runtime.history(run?.id ?? '')).flatMap(({ kind, outcome }) => (kind === 'node' ? [outcome] : []));
    expect(JSON.stringify(patches)).toContain('found x');
    expect(JSON.stringify(patches)).toContain('already hands the conversation over');
  });

  it('waits until the calls beside it are decided', async () => {
    const { team, runtime, paid } = shop([calls(hand('billing')), calls(['refund', { text: '9' }], hand('triage')), says('All done.')]);
    const run = runtime.start(team, { input: 'q' });
    const waiting = await run.result;
    if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error(JSON.stringify(waiting));
    expect(waiting.interrupt).toMatchObject({ key: expect.stringMatching(/^billing_review#/), question: { tool: 'refund' } });
    const end = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: waiting.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { answer: 'All done.', agent: 'triage' } });
    expect(paid).toEqual(['9']);
  });

  it('does not happen when a human rejects it', async () => {
    const guard: TextGuard = {
      name: 'handoffs',
      at: ['tool-call'],
      check: (_, { tool }) => (tool === 'transfer_to_billing' ? { as: 'hold', reason: 'a handoff' } : { as: 'pass' }),
    };
    const { team, runtime } = shop([calls(hand('billing')), says('I stay.')], { guards: [guard] });
    const run = runtime.start(team, { input: 'q' });
    const waiting = await run.result;
    if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error(JSON.stringify(waiting));
    const no = { type: 'REJECT', reason: 'stay' };
    const end = await (await runtime.send(run.id, no, { interruptId: waiting.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { answer: 'I stay.', agent: 'triage' } });
  });

  it('happens beside an invalid handoff', async () => {
    const { team, runtime } = shop([calls(hand('nobody'), hand('billing')), says('Refunded.')]);
    expect(await runtime.start(team, { input: 'q' }).result).toMatchObject({ output: { agent: 'billing' } });
  });

  it('happens beside a tool of another purpose with such a name', async () => {
    const model = scriptedModel([calls(['transfer_to_human', { text: 'x' }, '1'], hand('two', '2')), says('Hello.')]);
    const human = textTool('transfer_to_human', async () => 'A ticket was made.');
    const agents = { one: { instructions: 'a', tools: [human], handoffs: ['two'] }, two: { instructions: 'b' } };
    const team = agentTeam({ id: 'names', model, start: 'one', agents });
    expect(await createRuntime().start(team, { input: 'q' }).result).toMatchObject({ output: { agent: 'two' } });
  });

  it('to an agent that the model was not offered is an error for the model', async () => {
    const { team, runtime } = shop([calls(hand('billing')), calls(hand('tech'), ['refund', { text: 'x' }]), says('No.')], {
      maxRepairs: 0,
    });
    const run = runtime.start(team, { input: 'q' });
    const waiting = await run.result;
    expect(waiting).toMatchObject({ status: 'waiting', interrupt: { question: { tool: 'refund' } } });
  });
});

describe('a team', () => {
  it('goes on in its thread with the agent that had it last', async () => {
    const { team, runtime, model } = shop([calls(hand('tech')), says('Off and on again.'), says('You are welcome.')]);
    await runtime.start(team, { input: 'broken' }, { threadId: 't' }).result;
    const second = await runtime.start(team, { input: 'thanks' }, { threadId: 't' }).result;
    expect(second).toMatchObject({ output: { answer: 'You are welcome.', agent: 'tech' } });
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('counts steps and usage over all agents, and must answer when they are used up', async () => {
    const usage = { inputTokens: 5, outputTokens: 1 };
    const circle = [hand('billing'), hand('triage'), hand('billing')].map((to) => ({ ...calls(to), usage }));
    const { team, runtime, model } = shop([...circle, { ...says('Enough.'), usage }], { maxSteps: 3 });
    expect(await runtime.start(team, { input: 'q' }).result).toMatchObject({
      output: { answer: 'Enough.', outcome: 'step-limit', steps: 3, usage: { inputTokens: 20, outputTokens: 4 } },
    });
    expect(model.requests[3]?.toolChoice).toBe('none');
  });

  it.each([
    [{ instruction: 'a' }, 'has no option "instruction"'],
    [{ instructions: 'a', guards: [] }, 'has no option "guards"'],
    [{ instructions: 5 }, 'instructions'],
    [{ instructions: 'a', handoffs: 'two' }, 'handoffs'],
    [{ instructions: 'a', history: 'some' }, 'history'],
    [{ instructions: 'a', tools: [{}] }, 'tools'],
    [null, 'not an object'],
  ])('refuses an agent with wrong options: %j', (one, why) => {
    const agents = { one, two: { instructions: 'b' } } as unknown as AgentTeamOptions['agents'];
    const make = () => agentTeam({ id: 'wrong', model: scriptedModel([]), start: 'one', agents });
    expect(make).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(why) }));
  });

  it('has agents with names of members of every object', async () => {
    const model = scriptedModel([calls(hand('toString')), says('Hello.')]);
    const agents = { constructor: { instructions: 'a', handoffs: ['toString'] }, toString: { instructions: 'b' } };
    const team = agentTeam({ id: 'odd', model, start: 'constructor', agents });
    expect(await createRuntime().start(team, { input: 'q' }).result).toMatchObject({ output: { answer: 'Hello.', agent: 'toString' } });
  });

  it('takes a schema that is a function, as some libraries make them', async () => {
    const model = scriptedModel([says('Hello.')]);
    const schema = z.object({ name: z.string() });
    const context = Object.assign((value: unknown) => schema.parse(value), { '~standard': schema['~standard'] });
    const team = agentTeam({ id: 'typed', model, start: 'one', context, agents: { one: { instructions: ({ name }) => `For ${name}.` } } });
    await createRuntime().start(team, { input: 'hi', context: { name: 'Ada' } }).result;
    expect(model.requests[0]?.messages[0]?.content).toMatch(/^For Ada\./);
  });

  it('gives the context to instructions and tools', async () => {
    const model = scriptedModel([says('Hello.')]);
    const team = agentTeam({
      id: 'named',
      model,
      start: 'one',
      context: z.object({ name: z.string() }),
      agents: { one: { instructions: ({ name }) => `You talk to ${name}.` } },
    });
    await createRuntime().start(team, { input: 'hi', context: { name: 'Ada' } }).result;
    expect(model.requests[0]?.messages[0]?.content).toMatch(/^You talk to Ada\./);
    expect(() => createRuntime().start(team, { input: 'hi' })).toThrowError(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it('stops with the error of a model, and leaves the thread as it was', async () => {
    const { team, runtime } = shop([{ error: { code: 'MODEL_UNAVAILABLE' } }] as never);
    expect(await runtime.start(team, { input: 'q' }, { threadId: 't' }).result).toMatchObject({ status: 'failed', finalState: 'stopped' });
    expect(await runtime.thread('t')).toMatchObject({ state: null });
  });

  it.each<[string, Partial<AgentTeamOptions>]>([
    ['an unknown start', { start: 'nobody' }],
    ['a handoff to nobody', { agents: { triage: { instructions: 'x', handoffs: ['nobody'] } } }],
    ['a handoff to itself', { agents: { triage: { instructions: 'x', handoffs: ['triage'] } } }],
    ['a reserved name', { agents: { triage: { instructions: 'x' }, route: { instructions: 'x' } } }],
    ['a name of another state', { agents: { triage: { instructions: 'x' }, triage_tools: { instructions: 'x' } } }],
    ['an unknown option', { agent: {} } as never],
  ])('is refused with %s', (_, wrong) => {
    expect(() => shop([], wrong)).toThrowError(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('ends the same after a crash at any write, over three agents, two held calls and a once tool', async () => {
    const paid: string[] = [];
    const refund = () =>
      textTool('refund', async ({ text }) => `refund ${paid.push(String(text))}`, { effect: 'once', needsApproval: true });
    const asks = (...made: readonly (readonly [name: string, args: unknown, id?: string])[]): Json => calls(...made).reply as Json;
    const model = () =>
      offlineModel<Record<string, never>>({
        'shop.triage': (): Json => asks(hand('tech', 'h')),
        'shop.tech': (): Json => asks(hand('billing', 'i')),
        'shop.billing': ({ messages }): Json =>
          messages.some(({ role, content }) => role === 'tool' && content.startsWith('refund'))
            ? 'Done.'
            : asks(['refund', { text: '1' }, '1'], ['refund', { text: '2' }, '2']),
      });
    const team = () =>
      agentTeam({
        id: 'shop',
        model: model(),
        start: 'triage',
        agents: {
          triage: { instructions: 'You sort.', handoffs: ['tech'] },
          tech: { instructions: 'You repair.', handoffs: ['billing'] },
          billing: { instructions: 'You refund.', tools: [refund()] },
        },
      });
    const { crashes, result } = await crashResume(
      team,
      { input: 'q' },
      {
        compare: (end: unknown) => withoutTimes(end),
        answer: () => ({ type: 'DECIDE', decisions: { call_0: 'approve', call_1: { reject: 'no' } } }),
        resolve: () => ({ as: 'done', output: 'refund 1' }) as const,
      },
    );
    expect(crashes).toBeGreaterThan(8);
    expect(result).toMatchObject({ output: { answer: 'Done.', agent: 'billing' } });
    expect(new Set(paid)).toEqual(new Set(['1']));
  });

  it('is changed by no half of a decision over two held calls', async () => {
    const { team, runtime, paid } = shop([
      calls(hand('billing')),
      calls(['refund', { text: '1' }], ['refund', { text: '2' }]),
      says('Done.'),
    ]);
    const run = runtime.start(team, { input: 'q' });
    const asked = await run.result;
    if (asked.status !== 'waiting' || !asked.interrupt) throw new Error(asked.status);
    const before = await runtime.history(run.id);
    const send = async (decisions: Json) =>
      (await runtime.send(run, { type: 'DECIDE', decisions }, { interruptId: asked.interrupt?.id ?? '' })).result;
    await expect(send({ call_0: 'approve' })).rejects.toMatchObject({ code: 'EVENT_NOT_ACCEPTED' });
    expect([await runtime.history(run.id), paid]).toEqual([before, []]);
    expect(await send({ call_0: { reject: 'no' }, call_1: 'approve' })).toMatchObject({ status: 'done', output: { agent: 'billing' } });
    expect(paid).toEqual(['2']);
  });
});

describe('the machine of a team', () => {
  it('has a state for each agent and an edge for each handoff, and no other way between them', () => {
    const { team } = shop([]);
    expect(lintWorkflow(team.machine)).toEqual([]);
    const { states } = toGraph(team.machine);
    expect(states).toHaveLength(12);
    const between = states.flatMap(({ path, edges }) =>
      edges.flatMap(({ target, guard }) => (guard?.startsWith('to_') && path !== 'route' ? [`${path} -> ${target}`] : [])),
    );
    expect(between).toEqual(['triage_tools -> billing', 'triage_tools -> tech', 'billing_tools -> triage']);
  });

  it('is proven over every place: each edge is taken, and every promise holds', () => {
    const agents = { triage: { handoffs: ['billing', 'tech'] }, billing: { handoffs: ['triage'] }, tech: {} };
    const { team } = shop([], { maxSteps: 2 });
    const explored = exploreMachine(team, teamExploration(agents));
    const { complete, failures, stuck, edgesNeverTaken } = explored;
    // only a thread that another agent had before leads there
    const fromThread = edgesNeverTaken.filter(({ from }) => from === 'route').length;
    expect([complete, failures, stuck, edgesNeverTaken.length - fromThread, fromThread]).toEqual([true, [], [], 0, 2]);
    const verdicts = teamInvariants(agents).map((one) => [one.name, one.check(explored).verdict]);
    expect(verdicts.filter(([, verdict]) => verdict !== 'holds')).toEqual([]);
    const promise = (name: string, to: string) =>
      never<AgentTeamState>(name, ({ by, isIn }) => by === 'tech_tools' && isIn(to)).check(explored).verdict;
    expect(promise('tech never hands over', 'billing')).toBe('holds');
    const wrong = never<AgentTeamState>('triage keeps everything', ({ isIn }) => isIn('billing')).check(explored);
    expect(wrong.verdict).toBe('broken');
  });

  it.each(['triage', 'billing', 'tech'])('breaks a promise when its tools lead to an agent that %s may not hand over to', (from) => {
    const { team } = shop([], { maxSteps: 2 });
    const declared = { triage: { handoffs: ['billing', 'tech'] }, billing: { handoffs: ['triage'] }, tech: {} };
    // the promises of a team that declares less
    const less = { ...declared, [from]: { handoffs: [] } };
    const explored = exploreMachine(team, teamExploration(declared));
    const broken = teamInvariants(less).filter((one) => one.check(explored).verdict === 'broken');
    expect(broken).toHaveLength(from === 'tech' ? 0 : 1);
  });
});
