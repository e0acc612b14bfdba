// The API of a LangGraph server, without its client.
import { createRuntime, type JsonObject, memoryStore } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { encodeRest, langGraphEncoder, langGraphRoutes } from 'agent-machines/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordRuns } from '../../../fixtures/recorded-runs.ts';
import { framesOf, request, serve } from '../../../fixtures/served.ts';
import { echo, held, textTool } from '../../../fixtures/text-tools.ts';
import { knowledge } from '../../../machines/guide-agent/helpers.ts';
import { calls, says } from '../../../machines/tool-agent/helpers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const any = { perMinute: 1e6, burst: 1e6 };
const at = (path: string): string => `/api/langgraph${path}`;
const say = (content: string): JsonObject => ({ input: { messages: [{ type: 'human', content }] } });

function open(workflow: { readonly id: string }) {
  const store = memoryStore();
  const workflows = [workflow as never];
  const runtime = createRuntime({ store, workflows });
  const mounts = [(space: Parameters<typeof langGraphRoutes>[0]) => langGraphRoutes(space)];
  const served = serve({ store, runtime, workflows, mounts, limits: { reads: any, writes: any, starts: any } });
  closing.push(() => runtime.close());
  const run = (thread: string, body: object, how = 'wait') =>
    served.ask('POST', at(`/threads/${thread}/runs${how === '' ? '' : `/${how}`}`), { assistant_id: workflow.id, ...body });
  const streamed = async (thread: string, body: object) =>
    partsOf(await served.server.fetch(request('POST', at(`/threads/${thread}/runs/stream`), { assistant_id: workflow.id, ...body })));
  const count = async (): Promise<number> => (await store.tally()).runs.reduce((sum, one) => sum + one.count, 0);
  return { ...served, store, runtime, run, streamed, count };
}

interface Part {
  readonly id?: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect to be there
  readonly data: any;
}

const partsOf = async (response: Response): Promise<readonly Part[]> =>
  (await framesOf(response)).map(({ data, ...frame }) => ({ ...frame, data: JSON.parse(data) }));

const pay = (): ReturnType<typeof echo> => echo('pay', { effect: 'once', needsApproval: true } as never);
const paying = (tool = pay()) => toolAgent({ model: scriptedModel([calls(['pay', { text: '10' }]), says('Paid.')]), tools: [tool] });
const textsIn = ({ messages }: { readonly messages: readonly { readonly content: string }[] }): readonly string[] =>
  messages.map(({ content }) => content);

describe('the encoder', () => {
  it('ends every run with the messages that its chunks make', async () => {
    for (const { name, events } of await recordRuns()) {
      const parts = encodeRest(langGraphEncoder(), events);
      const made = new Map<string, string>();
      for (const { event, data } of parts as readonly Part[]) {
        if (event !== 'messages') continue;
        const [{ type, id, content }] = data;
        if (type === 'remove') made.delete(id);
        else made.set(id, type === 'AIMessageChunk' ? `${made.get(id) ?? ''}${content}` : content);
      }
      const last = parts.findLast(({ event }) => event === 'values' || event === 'error') as Part;
      if (last.event === 'values')
        expect(
          last.data.messages.map((one: { id: string; content: string }) => [one.id, one.content]),
          name,
        ).toEqual([...made]);
      expect(parts[0], name).toMatchObject({ event: 'metadata' });
    }
  });

  it('answers every call that has ended', async () => {
    for (const { name, events } of await recordRuns()) {
      const encoder = langGraphEncoder({ modes: [] });
      expect(
        encodeRest(encoder, events).filter(({ event }) => event !== 'metadata' && event !== 'error'),
        name,
      ).toEqual([]);
      const asked = encoder.values.messages.flatMap((one) => (one.type === 'ai' ? one.tool_calls.map(({ id }) => id) : []));
      const answered = encoder.values.messages.flatMap((one) => (one.type === 'tool' ? [one.tool_call_id] : []));
      expect(
        answered.filter((id) => !asked.includes(id)),
        name,
      ).toEqual([]);
      if (encoder.interrupts.length === 0 && !encoder.error) expect([...answered].sort(), name).toEqual([...asked].sort());
    }
  });
});

describe('a question', () => {
  it('is an interrupt of the stream and the state, and command.resume answers it', async () => {
    const tool = pay();
    const { streamed, ask } = open(paying(tool));
    const first = await streamed('t1', { ...say('pay'), stream_mode: ['values', 'updates'] });
    const interrupt = first.at(-1)?.data.__interrupt__[0];
    expect(interrupt.value).toMatchObject({
      action_requests: [{ name: 'pay', args: { text: '10' } }],
      review_configs: [{ action_name: 'pay', allowed_decisions: ['approve', 'edit', 'reject'] }],
      state: 'tool_review',
    });
    const { body: state } = await ask('GET', at('/threads/t1/state'));
    expect(state).toMatchObject({ next: ['tool_review'], tasks: [{ name: 'tool_review', interrupts: [interrupt] }] });
    expect((await ask('GET', at('/threads/t1'))).body).toMatchObject({
      status: 'interrupted',
      interrupts: { [interrupt.id]: [interrupt] },
    });
    const rest = await streamed('t1', { command: { resume: { decisions: [{ type: 'approve' }] } }, checkpoint: state.checkpoint });
    expect(rest[0]).toMatchObject({ event: 'metadata', data: { run_id: first[0]?.data.run_id, thread_id: 't1' } });
    expect([textsIn(rest.at(-1)?.data), tool.asked]).toEqual([['pay', '', 'pay 10', 'Paid.'], ['10']]);
    expect((await ask('GET', at('/threads/t1'))).body).toMatchObject({ status: 'idle', interrupts: {} });
  });

  it.each<[name: string, resume: unknown, asked: readonly string[]]>([
    ['true', true, ['10']],
    ['a typed approval', 'approve', ['10']],
    ['a rejection with a reason', { decisions: [{ type: 'reject', message: 'Too much.' }] }, []],
    ['an edit', { decisions: [{ type: 'edit', edited_action: { name: 'pay', args: { text: '5' } } }] }, ['5']],
    ['the event', { type: 'REJECT', reason: 'No.' }, []],
  ])('is answered by %s', async (_, resume, asked) => {
    const tool = pay();
    const { run } = open(paying(tool));
    await run('t1', say('pay'));
    expect((await run('t1', { command: { resume } })).body).toMatchObject({ output: { answer: 'Paid.' } });
    expect(tool.asked).toEqual(asked);
  });

  it('is answered by its id, and several calls together', async () => {
    const paid: string[] = [];
    const tool = textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true });
    const script = scriptedModel([calls(...['a', 'b', 'c'].map((text) => ['pay', { text }] as const)), says('Done.')]);
    const { run } = open(toolAgent({ model: script, tools: [tool] }));
    const [{ id, value }] = (await run('t1', say('pay'))).body.__interrupt__;
    expect(value.action_requests).toHaveLength(3);
    const decisions = [{ type: 'approve' }, { type: 'reject' }, { type: 'edit', edited_action: { name: 'pay', args: { text: 'd' } } }];
    expect((await run('t1', { command: { resume: { decisions: decisions.slice(1) } } })).body.code).toBe('INPUT_INVALID');
    expect((await run('t1', { command: { resume: { [id]: { decisions } } } })).body).toMatchObject({ output: { answer: 'Done.' } });
    expect(paid).toEqual(['a', 'd']);
  });

  it('about a plan is approved and revised like a call', async () => {
    const { run } = open(guideAgent({ knowledge }));
    const first = (await run('t1', say('유튜브 영상을 만들고 자막을 넣고 싶어'))).body.__interrupt__[0];
    expect(first.value.review_configs).toEqual([{ action_name: first.value.state, allowed_decisions: ['approve', 'reject'] }]);
    const second = (await run('t1', { command: { resume: 'REVISE 자막 달기를 빼줘' } })).body.__interrupt__[0];
    expect(second.id).not.toBe(first.id);
    expect((await run('t1', { command: { resume: { decisions: [{ type: 'approve' }] } } })).body.output.answer).toContain('가이드');
  });

  it('that the client has not seen is not answered', async () => {
    const { run, ask, runtime } = open(guideAgent({ knowledge }));
    await run('t1', say('유튜브 영상을 만들고 자막을 넣고 싶어'));
    const { checkpoint } = (await ask('GET', at('/threads/t1/state'))).body;
    await run('t1', { command: { resume: 'REVISE 자막 달기를 빼줘' } });
    const late = await run('t1', { command: { resume: true }, checkpoint });
    expect([late.status, late.body.code]).toEqual([409, 'INTERRUPT_ANSWERED']);
    expect((await runtime.list({ threadId: 't1' }))[0]?.status).toBe('waiting');
  });

  it('is answered by one of two answers at once', async () => {
    const tool = pay();
    const { run } = open(paying(tool));
    await run('t1', say('pay'));
    const both = await Promise.all([run('t1', { command: { resume: true } }), run('t1', { command: { resume: false } })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([404, 409])]);
    expect(tool.asked.length).toBeLessThanOrEqual(1);
    expect(both.find(({ status }) => status === 200)?.body.output.answer).toBe('Paid.');
  });

  it('is not lost for a new message, which is refused and changes nothing', async () => {
    const { run, ask } = open(paying());
    const [{ id }] = (await run('t1', say('pay'))).body.__interrupt__;
    const other = await run('t1', say('What is the weather?'));
    expect([other.status, other.body]).toMatchObject([400, { code: 'EVENT_NOT_ACCEPTED', message: expect.stringContaining(id) }]);
    expect((await run('t1', { ...say('And this?'), multitask_strategy: 'enqueue' }, 'stream')).status).toBe(400);
    expect((await ask('GET', at('/threads/t1'))).body.interrupts).toMatchObject({ [id]: [{ id }] });
  });

  it('ends with goto "__end__"', async () => {
    const { run, ask } = open(paying());
    await run('t1', say('pay'));
    expect((await run('t1', { input: {}, command: { goto: '__end__' } })).status).toBe(200);
    expect((await ask('GET', at('/threads/t1/runs'))).body).toMatchObject([{ status: 'interrupted' }]);
    expect((await ask('GET', at('/threads/t1'))).body.status).toBe('idle');
  });
});

describe('a thread', () => {
  it('has the messages of its turns, and a state per turn', async () => {
    const { run, ask } = open(toolAgent({ model: scriptedModel([says('One.'), says('Two.')]) }));
    const { thread_id: id } = (await ask('POST', at('/threads'), { metadata: { graph_id: 'tool_agent' } })).body;
    expect((await ask('GET', at(`/threads/${id}/state`))).body).toMatchObject({ values: {}, checkpoint: null });
    expect((await ask('POST', at(`/threads/${id}/history`), {})).body).toEqual([]);
    await run(id, say('a'));
    expect(textsIn((await run(id, say('b'))).body)).toEqual(['a', 'One.', 'b', 'Two.']);
    const [newest, oldest, ...others] = (await ask('POST', at(`/threads/${id}/history`), {})).body;
    expect([textsIn(newest.values), textsIn(oldest.values), others]).toEqual([['a', 'One.', 'b', 'Two.'], ['a', 'One.'], []]);
    expect([newest.parent_checkpoint, oldest.parent_checkpoint]).toEqual([oldest.checkpoint, null]);
    expect((await ask('GET', at(`/threads/${id}/state/${oldest.checkpoint.checkpoint_id}`))).body).toEqual(oldest);
    expect((await ask('POST', at('/threads/search'), { metadata: { graph_id: 'tool_agent' } })).body).toMatchObject([{ thread_id: id }]);
    expect((await ask('POST', at('/threads/search'), { metadata: { graph_id: 'other' } })).body).toEqual([]);
    expect((await ask('DELETE', at(`/threads/${id}`), {})).status).toBe(204);
    expect((await ask('GET', at(`/threads/${id}`))).body.code).toBe('THREAD_UNKNOWN');
  });

  it('continues from its newest checkpoint, and from one before runs that were stopped', async () => {
    const slow = held('slow');
    const model = scriptedModel([says('One.'), calls(['slow', { text: 'x' }]), says('Three.')]);
    const { run, ask } = open(toolAgent({ model, tools: [slow] }));
    await run('t1', say('a'));
    const { checkpoint } = (await ask('GET', at('/threads/t1/state'))).body;
    const { run_id: id } = (await run('t1', { ...say('b'), checkpoint }, '')).body;
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    expect((await run('t1', { ...say('c'), checkpoint })).body.code).toBe('THREAD_MOVED_ON');
    expect((await ask('POST', at(`/threads/t1/runs/${id}/cancel?wait=1`), {})).status).toBe(204);
    expect(textsIn((await run('t1', { ...say('c'), checkpoint })).body).at(-1)).toBe('Three.');
    expect((await run('t1', { ...say('d'), checkpoint })).body.code).toBe('THREAD_MOVED_ON');
  });

  it('queues or replaces runs as multitask_strategy says', async () => {
    const slow = held('slow');
    const model = scriptedModel([
      calls(['slow', { text: 'x' }]),
      says('One.'),
      says('Two.'),
      calls(['slow', { text: 'y' }]),
      says('Four.'),
    ]);
    const { run, ask } = open(toolAgent({ model, tools: [slow] }));
    await run('t1', say('a'), '');
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    expect((await run('t1', say('b'))).body.code).toBe('THREAD_BUSY');
    const queued = run('t1', { ...say('b'), multitask_strategy: 'enqueue' });
    await vi.waitFor(async () =>
      expect((await ask('GET', at('/threads/t1/runs'))).body).toMatchObject([{ status: 'pending' }, { status: 'running' }]),
    );
    slow.calls[0]?.resolve('late');
    expect(textsIn((await queued).body)).toEqual(['a', '', 'late', 'One.', 'b', 'Two.']);
    await run('t1', say('c'), '');
    await vi.waitFor(() => expect(slow.calls).toHaveLength(2));
    expect(textsIn((await run('t1', { ...say('d'), multitask_strategy: 'interrupt' })).body).at(-1)).toBe('Four.');
  });
});

describe('a stream', () => {
  it('sends the rest to a reader that comes back, and all to one without an id', async () => {
    const { streamed, server } = open(paying());
    const whole = await streamed('t1', { ...say('pay'), stream_mode: ['values', 'updates', 'messages-tuple', 'custom'] });
    const id: string = whole[0]?.data.run_id;
    const again = async (last?: string): Promise<readonly Part[]> =>
      partsOf(
        await server.fetch(
          request('GET', at(`/threads/t1/runs/${id}/stream`), undefined, last === undefined ? {} : { 'last-event-id': last }),
        ),
      );
    expect(await again()).toEqual(whole);
    expect(await again('-1')).toEqual(whole);
    // the events of the rest are sent to every reader
    const isRest = (index: number): boolean => index >= whole.length - 2;
    for (const [index, { id: place }] of whole.entries())
      expect(await again(place)).toEqual(whole.filter((_, other) => other > index || isRest(other)));
  });

  it('takes stream modes as repeated parameters, with commas, and as JSON', async () => {
    const { streamed, server } = open(toolAgent({ model: scriptedModel([says('One.')]) }));
    const [first] = await streamed('t1', say('a'));
    const read = async (query: string): Promise<readonly string[]> => {
      const path = at(`/threads/t1/runs/${first?.data.run_id}/stream?${query}`);
      return [...new Set((await partsOf(await server.fetch(request('GET', path)))).map(({ event }) => event))].sort();
    };
    for (const query of [
      'stream_mode=messages-tuple&stream_mode=values',
      'stream_mode=messages-tuple,values',
      'stream_mode=%5B%22values%22,%22messages-tuple%22%5D',
    ])
      expect(await read(query), query).toEqual(['messages', 'metadata', 'values']);
    const { status } = await server.fetch(
      request('GET', at(`/threads/t1/runs/${first?.data.run_id}/stream?stream_mode=values&stream_mode=debug`)),
    );
    expect(status).toBe(400);
  });

  it('replaces the text that a reader has in part when the reader comes back after the end', async () => {
    const tokens = ['Fifty ', 'words ', 'of ', 'text.'];
    const slow = held('slow');
    const model = scriptedModel([calls(['slow', { text: 'x' }]), { reply: tokens.join(''), tokens }]);
    const { server } = open(toolAgent({ model, tools: [slow] }));
    const body = { assistant_id: 'tool_agent', ...say('a'), stream_mode: ['messages-tuple'] };
    const reading = partsOf(await server.fetch(request('POST', at('/threads/t1/runs/stream'), body)));
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    slow.calls[0]?.resolve('ok');
    const whole = await reading;
    const live = whole.filter(({ event, data }) => event === 'messages' && data[0].type === 'AIMessageChunk');
    expect(live).toHaveLength(tokens.length);
    for (const [index, { id: last = '' }] of live.entries()) {
      const path = at(`/threads/t1/runs/${whole[0]?.data.run_id}/stream?stream_mode=messages-tuple`);
      const rest = await partsOf(await server.fetch(request('GET', path, undefined, { 'last-event-id': last })));
      let text = '';
      for (const { data } of [...live.slice(0, index + 1), ...rest.filter(({ event }) => event === 'messages')])
        text = data[0].type === 'remove' ? '' : text + data[0].content; // as LangGraph's client joins them
      expect(text).toBe(tokens.join(''));
      const [removal, message] = rest.filter(({ event }) => event === 'messages');
      expect([removal?.id, removal?.data[0].type, message?.data[0].type]).toEqual([undefined, 'remove', 'ai']);
    }
  });

  it('names its run, and where it continues', async () => {
    const { server, run } = open(toolAgent({ model: scriptedModel([says('One.'), says('Two.')]) }));
    const body = { assistant_id: 'tool_agent', ...say('a'), stream_mode: ['values', 'custom'] };
    const { headers } = await server.fetch(request('POST', at('/threads/t1/runs/stream'), body));
    const path = headers.get('content-location');
    expect(path).toMatch(/^\/threads\/t1\/runs\/r_\w+$/);
    expect(headers.get('location')).toBe(`${path}/stream?stream_mode=values,custom`);
    expect((await run('t2', say('a'))).headers.get('content-location')).toMatch(/^\/threads\/t2\/runs\/r_/);
  });

  it.each([
    ['cancels', 'cancel', 'cancelled'],
    ['keeps', 'continue', 'done'],
  ])('%s the run of a reader that leaves with on_disconnect "%s"', async (_, onDisconnect, status) => {
    const slow = held('slow');
    const { server, runtime } = open(toolAgent({ model: scriptedModel([calls(['slow', { text: 'x' }]), says('One.')]), tools: [slow] }));
    const body = { assistant_id: 'tool_agent', ...say('a'), on_disconnect: onDisconnect };
    const response = await server.fetch(request('POST', at('/threads/t1/runs/stream'), body));
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    await response.body?.cancel();
    if (status === 'done') slow.calls[0]?.resolve('ok');
    await vi.waitFor(async () => expect((await runtime.list({ threadId: 't1' }))[0]?.status).toBe(status));
  });

  it('ends when its run is cancelled', async () => {
    const slow = held('slow');
    const { ask, streamed } = open(toolAgent({ model: scriptedModel([calls(['slow', { text: 'x' }])]), tools: [slow] }));
    const parts = streamed('t1', say('a'));
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    const [{ run_id: id }] = (await ask('GET', at('/threads/t1/runs'))).body;
    expect((await ask('POST', at(`/threads/t1/runs/${id}/cancel`), {})).status).toBe(202);
    expect((await parts).at(-1)).toMatchObject({ event: 'values' });
    expect((await ask('POST', at(`/threads/t1/runs/${id}/cancel`), {})).status).toBe(202);
  });

  it('reports a run that fails', async () => {
    const looping = () => toolAgent({ model: scriptedModel([calls(['echo', { text: 'x' }]), says('One.')]), tools: [echo()] });
    const limited = { ...say('a'), config: { recursion_limit: 1 } };
    const { streamed, ask } = open(looping());
    expect((await streamed('t1', limited)).at(-1)).toMatchObject({ event: 'error', data: { error: 'LIMIT_EXCEEDED' } });
    expect((await ask('GET', at('/threads/t1'))).body.status).toBe('error');
    expect(JSON.parse((await ask('GET', at('/threads/t1/state'))).body.tasks[0].error)).toMatchObject({ error: 'LIMIT_EXCEEDED' });
    expect((await ask('GET', at('/threads/t1/runs?status=error'))).body).toHaveLength(1);
    expect((await open(looping()).run('t1', limited)).body).toMatchObject({ __error__: { error: 'LIMIT_EXCEEDED' } });
  });
});

describe('input that is not supported', () => {
  const image = { input: { messages: [{ type: 'human', content: [{ type: 'image_url', image_url: 'x' }] }] } };
  it.each<[name: string, status: number, code: string, body: object]>([
    ['another workflow', 404, 'WORKFLOW_UNKNOWN', { assistant_id: 'other', ...say('a') }],
    ['no input', 400, 'INPUT_INVALID', {}],
    ['an assistant message', 400, 'INPUT_INVALID', { input: { messages: [{ type: 'ai', content: 'a' }] } }],
    ['no messages', 400, 'INPUT_INVALID', { input: { messages: [] } }],
    ['an image', 400, 'OPTION_INVALID', image],
    ['state beside messages', 400, 'OPTION_INVALID', { input: { messages: 'a', files: { x: 1 } } }],
    ['an unknown stream mode', 400, 'OPTION_INVALID', { ...say('a'), stream_mode: ['values', 'events'] }],
    ['settings', 400, 'OPTION_INVALID', { ...say('a'), config: { configurable: { model: 'x' } } }],
    ['context', 400, 'OPTION_INVALID', { ...say('a'), context: { user: 'x' } }],
    ['metadata', 400, 'OPTION_INVALID', { ...say('a'), metadata: { user: 'x' } }],
    ['breakpoints', 400, 'OPTION_INVALID', { ...say('a'), interrupt_before: ['agent'] }],
    ['a webhook', 400, 'OPTION_INVALID', { ...say('a'), webhook: 'https://example.org' }],
    ['a delay', 400, 'OPTION_INVALID', { ...say('a'), after_seconds: 5 }],
    ['rollback', 400, 'OPTION_INVALID', { ...say('a'), multitask_strategy: 'rollback' }],
    ['deletion at the end', 400, 'OPTION_INVALID', { ...say('a'), on_completion: 'delete' }],
    ['a jump', 400, 'OPTION_INVALID', { command: { goto: 'tools' } }],
    ['an update', 400, 'OPTION_INVALID', { command: { update: { x: 1 } } }],
    ['an answer without a question', 404, 'INTERRUPT_UNKNOWN', { command: { resume: true } }],
    ['an end without a question', 404, 'INTERRUPT_UNKNOWN', { command: { goto: '__end__' } }],
    ['a foreign checkpoint', 404, 'FORK_POINT_UNKNOWN', { ...say('a'), checkpoint: { checkpoint_id: 'x' } }],
    ['an unknown thread that must exist', 404, 'THREAD_UNKNOWN', { ...say('a'), if_not_exists: 'reject' }],
    ['a limit of 0', 400, 'INPUT_INVALID', { ...say('a'), config: { recursion_limit: 0 } }],
  ])('is refused by name: %s', async (_, status, code, body) => {
    const { run, count } = open(toolAgent({ model: scriptedModel([]) }));
    for (const how of ['wait', 'stream', '']) {
      const answer = await run('t1', body, how);
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([status, code, expect.any(String)]);
    }
    expect(await count()).toBe(0);
  });

  it.each<[method: string, path: string, body?: object]>([
    ['POST', '/assistants', { graph_id: 'x' }],
    ['PATCH', '/threads/t1', { metadata: {} }],
    ['POST', '/threads/t1/state', { values: {} }],
    ['POST', '/threads/t1/copy', {}],
    ['GET', '/threads/t1/stream'],
    ['POST', '/runs/batch', {}],
    ['POST', '/runs/crons', {}],
    ['DELETE', '/threads/t1/runs/r', {}],
    ['PUT', '/store/items', {}],
    ['GET', '/store/items'],
    ['POST', '/threads', { metadata: { user: 'x' } }],
    ['POST', '/threads', { ttl: 5 }],
    ['POST', '/threads', { supersteps: [{}] }],
    ['POST', '/threads/search', { values: { x: 1 } }],
    ['POST', '/threads/search', { sort_order: 'asc' }],
  ])('is refused by name: %s %s', async (method, path, body) => {
    const { ask, count } = open(toolAgent({ model: scriptedModel([]) }));
    const { status, body: answer } = await ask(method, at(path), body);
    expect([status, answer.code, answer.message]).toEqual([400, 'OPTION_INVALID', expect.stringContaining('Not supported here: ')]);
    expect(await count()).toBe(0);
  });

  it.each<[path: string, status: number, code: string]>([
    ['/threads/none', 404, 'THREAD_UNKNOWN'],
    ['/threads/none/state', 404, 'THREAD_UNKNOWN'],
    ['/threads/none/runs', 404, 'THREAD_UNKNOWN'],
    ['/threads/a%20b', 400, 'ID_INVALID'],
    [`/threads/${'x'.repeat(65)}`, 400, 'ID_INVALID'],
    ['/threads/t1/runs/none', 404, 'RUN_UNKNOWN'],
    ['/threads/t1/runs/none/stream', 404, 'RUN_UNKNOWN'],
    ['/threads/t1/runs/none/join', 404, 'RUN_UNKNOWN'],
    ['/threads/other/runs/RUN', 404, 'RUN_UNKNOWN'],
    ['/threads/t1/runs/RUN/stream?stream_mode=debug', 400, 'OPTION_INVALID'],
    ['/threads/t1/runs?limit=x', 400, 'OPTION_INVALID'],
    ['/threads/t1/state/RUN.999', 404, 'FORK_POINT_UNKNOWN'],
    ['/assistants/none', 404, 'WORKFLOW_UNKNOWN'],
    ['/assistants/none/graph', 404, 'WORKFLOW_UNKNOWN'],
  ])('is refused by code: GET %s', async (path, status, code) => {
    const { run, ask } = open(toolAgent({ model: scriptedModel([says('One.')]) }));
    const { run_id: id } = (await run('t1', say('a'), '')).body;
    const answer = await ask('GET', at(path.replace('RUN', id)));
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});
