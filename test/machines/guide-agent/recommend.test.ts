// Finding a service for each sub-task: the loop with the tools, its budget, and what may be recommended.
import { memoryStore, WorkflowError } from 'agent-machines';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import { calculator, defineTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  answersIn,
  approved,
  begin,
  calls,
  fakeTool,
  guide,
  knowledge,
  lookUp,
  newMemory,
  pick,
  plan,
  recommendation,
  remember,
  work,
} from './helpers.ts';

const end = [guide('가이드입니다.'), remember()];
const one = async (script: Parameters<typeof begin>[0], options: Parameters<typeof begin>[1] = {}) => {
  const session = await begin([work, plan('a', 'b'), ...script, ...end], options);
  await session.send({ type: 'EDIT', sub_tasks: ['자막 넣기'] });
  await session.send({ type: 'APPROVE' });
  const [first] = session.end().output.toolRecommendations;
  const requests = session.model.requests.filter(({ task }) => task === 'guide_agent.recommend_tool_node');
  return { session, first, requests, output: session.end().output };
};

describe('a batch of calls', () => {
  const boom = () => {
    throw new WorkflowError({ code: 'TOOL_FAILED', message: 'It broke.' });
  };

  it('has the files of the last calls only, because the state stores the list whole', async () => {
    const data = 'AAAA'.repeat(1_100_000);
    const page = fakeTool('page', () => ({ content: [{ type: 'file', mediaType: 'image/png', data }] }));
    const { requests } = await one([calls(['page', {}]), calls(['page', {}]), lookUp, pick('자막부엉', 'caption-owl')], { tools: [page] });
    const files = requests.map(({ messages }) => messages.map((message) => (message.role === 'tool' ? (message.files?.length ?? 0) : 0)));
    expect(files.map((counts) => counts.reduce((sum, count) => sum + count, 0))).toEqual([0, 1, 1, 0]);
    expect(requests[2]?.messages.some(({ content }) => content === '[attached: image/png, 3300000 bytes, not shown]')).toBe(true);
  });

  it('gets an answer to each call in order: success, error, unknown tool, beyond the budget', async () => {
    const broken = fakeTool('broken', boom);
    const late = fakeTool('late', () => 'never');
    const { requests, session } = await one(
      [
        calls(['retrieve_docs', { query: '자막' }], ['broken', {}], ['send_money', { to: 'x' }], ['late', {}]),
        pick('자막부엉', 'caption-owl'),
      ],
      { tools: [broken, late] },
    );
    const answers = answersIn(requests[1] ?? { messages: [] });
    expect(answers).toEqual([
      expect.objectContaining({ services: expect.any(Array) }),
      { error: 'TOOL_FAILED: It broke.', hint: expect.any(String) },
      { error: expect.stringMatching(/^TOOL_UNKNOWN/), hint: expect.any(String) },
      { error: expect.stringMatching(/^LIMIT_EXCEEDED: All 3 tool calls of the sub-task are used/), hint: expect.any(String) },
    ]);
    const ids = requests[1]?.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect(ids).toEqual(['c1', 'c2', 'c3', 'c4']);
    expect([broken.made.length, late.made]).toEqual([1, []]);
    expect((await session.toolsCalled()).sort()).toEqual(['broken', 'retrieve_docs']);
  });

  it('counts every call, wrong ones too, and asks without tools once the budget is used', async () => {
    const { requests } = await one([
      calls(['retrieve_docs', { query: '자막' }], ['no_tool', {}]),
      calls(['retrieve_docs', { wrong: 1 }]),
      pick('자막부엉', 'caption-owl'),
    ]);
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none']);
  });

  it('is answered in order when a later call ends first', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = fakeTool('slow', () => gate.promise.then(() => 'slow'));
    const quick = fakeTool('quick', () => {
      gate.resolve();
      return 'quick';
    });
    const session = await begin(
      [work, plan('a', 'b'), calls(['slow', {}], ['quick', {}]), ...Array.from({ length: 4 }, () => recommendation('none')), ...end],
      { tools: [slow, quick] },
    );
    await session.send({ type: 'APPROVE' });
    const contents = session.model.requests[3]?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    expect(contents).toEqual(['slow', 'quick']);
  });

  it('accepts another budget, which must be a whole number', async () => {
    const many = Array.from({ length: 5 }, () => ['retrieve_docs', { query: '자막' }] as const);
    const { requests } = await one([calls(...many), pick('자막부엉')], { maxToolCallsPerTask: 5 });
    expect(answersIn(requests[1] ?? { messages: [] }).filter(({ error }) => error !== undefined)).toEqual([]);
    expect(() => guideAgent({ knowledge, maxToolCallsPerTask: 0 })).toThrow(/maxToolCallsPerTask/);
  });
});

describe('a sub-task without a usable recommendation', () => {
  it.each([
    ['only ever calls tools', [calls(['retrieve_docs', {}], ['x', {}], ['y', {}]), lookUp, lookUp]],
    ['says nothing', [recommendation(''), recommendation('')]],
    ['cannot be read', [recommendation('자막부엉이 좋습니다'), recommendation('{"service": "자막부엉"}')]],
    ['names a service that no tool returned', [lookUp, pick('캡션마스터'), pick('캡션마스터')]],
    ['names one without having looked', [pick('자막부엉'), pick('자막부엉')]],
    ['names a part of a name', [lookUp, pick('부엉'), pick('free')]],
    ['names a source that no tool returned', [lookUp, pick('자막부엉', 'other.md#1'), pick('자막부엉', 'https://x')]],
    ['names the text of its own call', [calls(['no_tool', { q: '캡션마스터' }]), pick('캡션마스터'), pick('캡션마스터')]],
  ])('is unresolved, named in the guide, and followed by the next one if its model %s', async (_what, replies) => {
    const session = await approved([work, plan('더빙하기', '자막 넣기'), ...replies, lookUp, pick('자막부엉', 'caption-owl'), ...end]);
    expect(session.finalState).toBe('done');
    expect(session.output.toolRecommendations.map(({ sub_task, status, service }) => [sub_task, status, service])).toEqual([
      ['더빙하기', 'unresolved', ''],
      ['자막 넣기', 'recommended', '자막부엉'],
    ]);
    expect(session.output.answer).toMatch(
      /^가이드입니다\.\n\n알맞은 서비스를 찾지 못한 작업:\n- 더빙하기\n더 찾아볼 웹 검색.*없었습니다\.$/,
    );
  });

  it('gets the reason and one retry', async () => {
    const { requests, first } = await one([lookUp, pick('캡션마스터'), pick('자막부엉', 'caption-owl')]);
    expect(requests[2]?.messages.at(-1)?.content).toContain('no tool returned a service "캡션마스터"');
    expect(first).toMatchObject({ status: 'recommended', service: '자막부엉' });
  });

  it('does not report a missing web search if there was one', async () => {
    const search = fakeTool('google_search', () => ({ results: [] }));
    const { output } = await one([recommendation('?'), recommendation('?')], { tools: [search], input: 'Make captions' });
    expect(output.answer).toBe('가이드입니다.\n\nNo service was found for:\n- 자막 넣기');
  });

  const weak = calls(['retrieve_docs', { query: '자막 그리고 회계 장부와 세금 신고와 부동산 등기와 법인 설립' }]);

  it('is named in the guide if nothing fits well, although a service was found', async () => {
    const { output } = await one([weak, pick('자막부엉')]);
    expect(output.toolRecommendations).toMatchObject([{ status: 'recommended', should_fallback: true }]);
    expect(output.answer).toMatch(
      /^가이드입니다\.\n\n카탈로그에 꼭 맞는 서비스가 없던 작업:\n- 자막 넣기\n더 찾아볼 웹 검색.*없었습니다\.$/,
    );
  });

  it('reports nothing after a web search, or after a better query', async () => {
    const search = fakeTool('google_search', () => ({ results: [] }));
    for (const better of [lookUp, calls(['google_search', {}])]) {
      const { output } = await one([weak, better, pick('자막부엉')], { tools: [search] });
      expect(output).toMatchObject({ answer: '가이드입니다.', toolRecommendations: [{ should_fallback: false }] });
    }
  });

  it("does not count a memory's text as a service", async () => {
    const memory = newMemory();
    await memory.write('kim', { kind: 'fact', text: '캡션마스터를 쓴다' });
    const { first, requests } = await one([calls(['read_memory', { query: '캡션마스터' }]), pick('캡션마스터'), pick('캡션마스터')], {
      memory,
    });
    expect(JSON.stringify(requests[1]?.messages)).toContain('캡션마스터');
    expect(first).toMatchObject({ status: 'unresolved', reason: expect.stringContaining('no tool returned a service') });
  });
});

describe('services that can be recommended', () => {
  const page = { title: '자막 도구 비교', url: 'https://example.com/a', content: 'CaptionPro와 캡션마스터는 빠르다.' };
  const search = () => fakeTool('google_search', () => ({ query: '', results: [page] }));

  it.each(['자막부엉', 'caption-owl', 'CAPTION-OWL'])('include a service of the catalogue: %s', async (name) => {
    expect((await one([lookUp, pick(name, 'caption-owl')])).first?.status).toBe('recommended');
  });

  it.each(['CaptionPro', 'captionpro', '캡션마스터'])('include one that a web page names: %s', async (name) => {
    const { first } = await one([calls(['google_search', {}]), pick(name, page.url)], { tools: [search()] });
    expect(first).toMatchObject({ status: 'recommended', source_ids: [page.url] });
  });

  it.each(['Caption', '마스터', 'Pro', '터'])('do not include a part of a name: %s', async (name) => {
    const { first } = await one([calls(['google_search', {}]), pick(name), pick(name)], { tools: [search()] });
    expect(first?.status).toBe('unresolved');
  });
});

describe('messages of a sub-task', () => {
  it('include only its own tool messages, so services of another sub-task do not count', async () => {
    const session = await approved([
      work,
      plan('대본 쓰기', '자막 넣기'),
      calls(['retrieve_docs', { query: '대본' }]),
      pick('대본여우', 'script-fox'),
      pick('대본여우'),
      calls(['retrieve_docs', { query: '자막' }]),
      pick('자막부엉'),
      ...end,
    ]);
    const requests = session.model.requests.filter(({ task }) => task === 'guide_agent.recommend_tool_node');
    expect(requests.map((request) => answersIn(request).length)).toEqual([0, 1, 0, 0, 1]);
    expect(JSON.stringify(requests[4]?.messages)).not.toContain('script-fox');
    expect(requests[2]?.messages.at(-1)?.content).toMatch(/The sub-task: 자막 넣기$/);
    expect(session.output.toolRecommendations.map(({ service }) => service)).toEqual(['대본여우', '자막부엉']);
  });
});

describe('tools', () => {
  const offeredIn = async (options: Parameters<typeof begin>[1]) =>
    (await one([recommendation('?'), recommendation('?')], options)).requests[0]?.tools?.map(({ name }) => name);

  it('are offered when they are available: memory tools with a memory, google_search with its keys', async () => {
    expect(await offeredIn({})).toEqual(['retrieve_docs', 'calculator', 'get_time']);
    const missing = fakeTool('google_search', () => '', { unavailable: 'GOOGLE_API_KEY is not set.' });
    expect(await offeredIn({ memory: newMemory(), tools: [missing] })).toEqual(['retrieve_docs', 'read_memory', 'write_memory']);
    expect(await offeredIn({ tools: [fakeTool('google_search', () => '')] })).toEqual(['retrieve_docs', 'google_search']);
  });

  it('are unknown to a model that calls them although they are unavailable', async () => {
    const missing = fakeTool('google_search', () => '', { unavailable: 'GOOGLE_API_KEY is not set.' });
    const { requests } = await one([calls(['google_search', { query: 'x' }]), recommendation('?'), recommendation('?')], {
      tools: [missing],
    });
    expect(answersIn(requests[1] ?? { messages: [] })).toEqual([
      { error: expect.stringMatching(/^TOOL_UNKNOWN/), hint: expect.any(String) },
    ]);
    expect(missing.made).toEqual([]);
  });

  it('have their own names', () => {
    expect(() => guideAgent({ knowledge, tools: [calculator(), calculator()] })).toThrow(/"calculator"/);
    expect(() => guideAgent({ knowledge, tools: [fakeTool('write_memory', () => '')] })).toThrow(/"write_memory"/);
  });

  const google = () =>
    fakeTool('google_search', () => ({ results: [] }), { capabilities: { private: false, untrusted: true, external: true } });

  /** A run whose plan of one sub-task was approved, up to where it waits. */
  const upToCall = async (script: Parameters<typeof begin>[0], options: Parameters<typeof begin>[1]) => {
    const session = await begin([work, plan('자막 넣기', 'b'), ...script], options);
    const result = await session.send({ type: 'APPROVE' });
    session.model.assertConsumed();
    return result.status === 'waiting' && result.interrupt ? result.interrupt.question : result;
  };

  it('send nothing after a memory was read, unless a human or the options allow it', async () => {
    const memory = newMemory();
    await memory.write('kim', { kind: 'preference', text: '무료를 좋아한다' });
    const script = [calls(['read_memory', { query: '좋아하는 것' }]), calls(['google_search', { query: '무료를 좋아한다' }])];
    const held = google();
    expect(await upToCall(script, { memory, tools: [held] })).toEqual({
      tool: 'google_search',
      arguments: { query: '무료를 좋아한다' },
      reason: '"google_search" waits for approval: private data is in the thread, and the call sends data out.',
      notice: null,
      more: 0,
      calls: [{ key: 'call_0', tool: 'google_search', arguments: { query: '무료를 좋아한다' }, reason: expect.any(String), notice: null }],
    });
    expect(held.made).toEqual([]);
    const allowed = google();
    await one([...script, recommendation('?'), recommendation('?')], { memory, tools: [allowed], allowEgress: true });
    expect(allowed.made).toHaveLength(1);
  });

  it('send before that, and nothing later in the thread', async () => {
    const memory = newMemory();
    await memory.write('kim', { kind: 'preference', text: '무료' });
    const store = memoryStore();
    const before = google();
    const options = { memory, store, threadId: 't' };
    await one([calls(['google_search', {}], ['read_memory', { query: 'x' }]), recommendation('?'), recommendation('?')], {
      ...options,
      tools: [before],
    });
    expect(before.made).toHaveLength(1);
    const after = google();
    expect(await upToCall([calls(['google_search', {}])], { ...options, tools: [after] })).toMatchObject({ tool: 'google_search' });
    expect(after.made).toEqual([]);
  });

  it('send nothing from a private catalogue', async () => {
    const held = google();
    const own = createKnowledgeBase(knowledge.services, []);
    expect(await upToCall([calls(['google_search', { query: '자막부엉' }])], { knowledge: own, tools: [held] })).toMatchObject({
      arguments: { query: '자막부엉' },
    });
    expect(held.made).toEqual([]);
  });

  it('report when nothing fits well in retrieve_docs', async () => {
    const query = (text: string) => knowledge.search(text, { limit: 5 });
    expect(query('자막 넣기').shouldFallback).toBe(false);
    expect(query('세금 신고')).toEqual({ services: [], trends: [], shouldFallback: true });
  });

  it('include those of the caller', async () => {
    const tool = defineTool({
      name: 'exchange_rate',
      description: 'Tells a rate.',
      access: 'compute',
      input: z.strictObject({ from: z.string() }),
      execute: async () => ({ rate: 1_300 }),
    });
    const { requests } = await one([calls(['exchange_rate', { from: 'USD' }]), recommendation('?'), recommendation('?')], {
      tools: [tool],
    });
    expect(answersIn(requests[1] ?? { messages: [] })).toEqual([{ rate: 1_300 }]);
  });
});
