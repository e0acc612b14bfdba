// Every edge of the machine by an example, the table of model calls, tools and their errors.
import { createRuntime, memoryStore, type RunEvent, type Tool, WorkflowError } from 'agent-machines';
import { chatAgent, chatAgentRules } from 'agent-machines/machines/chat-agent';
import { offlineModel, type Script, scriptedModel } from 'agent-machines/models';
import { crashingStore } from 'agent-machines/testing';
import { calculator, getCurrentDatetime } from 'agent-machines/tools';
import { webSearch } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { calls, play, policies, type Reply, says, summary, textTool, toAgent, toRag, windowOf } from './helpers.ts';

const toolMessages = ({ requests }: Awaited<ReturnType<typeof play>>) =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message] : []));
const failing: Tool = {
  ...textTool('broken', () => ''),
  execute: async () => {
    throw new WorkflowError({ code: 'TOOL_FAILED', message: 'It is broken.', hint: 'Repair it.' });
  },
};

/** A thread with ten stored messages. */
async function longThread() {
  const store = memoryStore();
  const lines = ['내 이름은 철수야', '프로젝트 마감일은 3월 15일이야', '예산은 1억원이야', '좋아', '고마워'];
  for (const [i, line] of lines.entries()) await play([toAgent, says(`답 ${i}`)], line, { store, threadId: 'abc-123' });
  return store;
}

describe('model calls of a turn', () => {
  it.each<readonly [what: string, question: string, script: readonly Reply[], path: readonly string[]]>([
    ['plain', '안녕하세요', [toAgent, says('안녕하세요!')], ['router', 'memory', 'agent']],
    [
      'one tool',
      '123 * 456 계산해줘',
      [toAgent, calls(['calculator', { expression: '123 * 456' }]), says('56088입니다.')],
      ['router', 'memory', 'agent', 'tools', 'agent'],
    ],
    ['RAG', '회사 휴가 정책이 뭐야?', [toRag, says('연차는 15일입니다 (leave-policy.md).')], ['router', 'rag', 'memory', 'agent']],
    [
      'RAG and a tool',
      '연차 15일은 몇 시간이야?',
      [toRag, calls(['calculator', { expression: '15*8' }]), says('120시간입니다.')],
      ['router', 'rag', 'memory', 'agent', 'tools', 'agent'],
    ],
  ])('%s', async (_what, question, script, path) => {
    const played = await play(script, question, { retriever: policies });
    expect([played.finalState, played.modelCalls, played.path]).toEqual(['done', script.length, path]);
    expect(played.output).toMatchObject({ answer: script.at(-1)?.reply, error: null });
  });

  it("samples the route at temperature 0, and the answer at the model's default", async () => {
    const { requests } = await play([toAgent, says('안녕하세요!')], '안녕하세요', { retriever: policies });
    expect(requests.map(({ temperature }) => temperature)).toEqual([0, undefined]);
  });

  it('adds one call for the summary of a long conversation', async () => {
    const store = await longThread();
    const played = await play(
      [toAgent, summary('이름: 철수. 마감: 3월 15일.'), says('프로젝트 마감일은 3월 15일이라고 말씀하셨습니다.')],
      '아까 말한 프로젝트 마감일이 언제라고 했지?',
      { store, threadId: 'abc-123' },
    );
    expect([played.modelCalls, played.path]).toEqual([3, ['router', 'memory', 'agent']]);
    const prompt = played.requests.at(-1)?.messages ?? [];
    expect(prompt[0]?.content).toContain('[이전 대화 요약]\n[대화 기록 1]\n이름: 철수. 마감: 3월 15일.');
    expect(prompt.slice(1).map(({ content }) => content)).toEqual([
      '답 2',
      '좋아',
      '답 3',
      '고마워',
      '답 4',
      '아까 말한 프로젝트 마감일이 언제라고 했지?',
    ]);
  });

  it('streams only the answer', async () => {
    const played = await play([toAgent, calls(['calculator', { expression: '1+1' }]), says('2입니다.')], '1+1?');
    const tokens = played.events.filter((event): event is Extract<RunEvent, { type: 'token' }> => event.type === 'token');
    expect(tokens.map(({ text, node }) => [text, node])).toEqual([['2입니다.', 'agent#2']]);
  });

  it('uses a separate model for a single task', async () => {
    const small = offlineModel({ 'chat_agent.router': chatAgentRules['chat_agent.router'] as never }, { name: 'small' });
    const played = await play([says('안녕!')], '안녕', { models: { 'chat_agent.router': small } });
    expect(played.events.flatMap((event) => (event.type === 'model-start' ? [`${event.task} ${event.model}`] : []))).toEqual([
      'chat_agent.router small',
      'chat_agent.agent scripted',
    ]);
  });
});

describe('router', () => {
  it('repeats an unreadable route once, then stops with a retryable error', async () => {
    const unreadable: Reply = { task: 'chat_agent.router', reply: 'rag, I think' };
    const twice = await play([unreadable, unreadable], '안녕');
    expect([twice.finalState, twice.path]).toEqual(['stopped', ['router']]);
    expect(twice.output.error).toMatchObject({ code: 'MODEL_OUTPUT_INVALID', retryable: true, hint: 'Send the request again.' });
    expect(twice.output.answer).toMatch(/^실행이 중단되었습니다: 언어 모델의 답.*\(MODEL_OUTPUT_INVALID\)$/);
    expect((await play([unreadable, toAgent, says('안녕!')], '안녕')).finalState).toBe('done');
  });

  it.each([{ route: 'web', reason: '' }, { route: 'rag' }, { route: 'agent', reason: '', tool: 'x' }, ['rag'], null])(
    'rejects %j as a route',
    async (reply) => {
      const unreadable: Reply = { task: 'chat_agent.router', reply };
      expect((await play([unreadable, unreadable], 'hi')).output.answer).toMatch(/^Execution stopped: .*\(MODEL_OUTPUT_INVALID\)$/);
    },
  );

  it('stops with the error code of an unreachable model', async () => {
    const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.', retryable: true });
    const played = await play([{ task: 'chat_agent.router', reply: down }], 'hi');
    expect([played.finalState, played.output.error?.code]).toEqual(['stopped', 'MODEL_UNAVAILABLE']);
  });
});

describe('rag', () => {
  it('adds the passages to this turn only, with their sources', async () => {
    const store = memoryStore();
    const first = await play([toRag, says('15일')], '연차 며칠?', { retriever: policies, store, threadId: 't' });
    expect(first.requests.at(-1)?.messages[0]?.content).toMatch(/\[참고 문서\]\n\(leave-policy\.md › /);
    expect(first.output.sources).toContain('leave-policy.md');
    expect(first.events.find(({ type }) => type === 'sources')).toMatchObject({ sources: first.output.sources });
    const second = await play([toAgent, says('네')], '고마워', { retriever: policies, store, threadId: 't' });
    expect(second.requests.at(-1)?.messages[0]?.content).not.toContain('[참고 문서]');
    expect(second.output.sources).toEqual([]);
    expect(JSON.stringify(await windowOf(store, 't'))).not.toContain('보기상사');
  });

  it('tells the model when nothing was found, or no document is open', async () => {
    for (const options of [{ retriever: { search: async () => [] } }, {}]) {
      const played = await play([toRag, says('모릅니다')], '주차 규정은?', options);
      expect(played.requests.at(-1)?.messages[0]?.content).toContain('[참고 문서]\nNothing was found in the documents.');
    }
  });

  it('requests the configured number of passages', async () => {
    const limits: number[] = [];
    const retriever = {
      search: async (_query: string, { limit }: { readonly limit: number }) => {
        limits.push(limit);
        return [];
      },
    };
    await play([toRag, says('…')], 'a?', { retriever });
    await play([toRag, says('…')], 'a?', { retriever, ragLimit: 2 });
    expect(limits).toEqual([4, 2]);
  });

  it('stops when the search fails', async () => {
    const retriever = {
      search: async () => {
        throw new WorkflowError({ code: 'RETRIEVER_UNAVAILABLE', message: 'It is gone.', hint: 'Start it.', retryable: true });
      },
    };
    const played = await play([toRag], '연차 며칠?', { retriever });
    expect([played.finalState, played.path]).toEqual(['stopped', ['router', 'rag']]);
    expect(played.output.error).toMatchObject({ code: 'RETRIEVER_UNAVAILABLE', retryable: true });
  });
});

describe('tools', () => {
  it("answers from a tool's error", async () => {
    const played = await play(
      [toAgent, calls(['calculator', { expression: 'abc' }]), says('죄송합니다. 계산식이 올바르지 않습니다.')],
      '잘못된 계산식',
    );
    expect([played.finalState, played.modelCalls]).toEqual(['done', 3]);
    expect(toolMessages(played)[0]?.content).toMatch(/^\{"error":"EXPRESSION_INVALID: /);
    expect(played.output.answer).toBe('죄송합니다. 계산식이 올바르지 않습니다.');
  });

  it("answers every call in order under the model's id: done, failed, unknown, wrong and unreadable ones", async () => {
    const echo = textTool('echo', (text) => `<${text}>`);
    const played = await play(
      [
        toAgent,
        calls(
          ['send_email', { to: 'x' }, 'a'],
          ['echo', { text: 'one' }, 'b'],
          ['broken', { text: 'x' }, 'c'],
          ['echo', { text: 5 }, 'd'],
          ['echo', 'not json', 'b'],
          ['echo', { text: 'two', more: 1 }, 'e'],
          ['echo', { text: 'two' }, 'f'],
        ),
        says('…'),
      ],
      '해줘',
      { tools: [echo, failing] },
    );
    expect(toolMessages(played).map(({ callId, content }) => [callId, content.slice(0, 29)])).toEqual([
      ['a', '{"error":"TOOL_UNKNOWN: There'],
      ['b', '<one>'],
      ['c', '{"error":"TOOL_FAILED: It is '],
      ['d', '{"error":"TOOL_CALL_INVALID: '],
      ['b', '{"error":"TOOL_CALL_INVALID: '],
      ['e', '{"error":"TOOL_CALL_INVALID: '],
      ['f', '<two>'],
    ]);
    expect(echo.asked).toEqual(['one', 'two']);
  });

  it('requires an answer after five rounds, in one more call without tools', async () => {
    const round = calls(['calculator', { expression: '1+1' }]);
    const played = await play([toAgent, round, round, round, round, round, says('2입니다.')], '1+1을 다섯 번');
    expect([played.finalState, played.output.answer]).toEqual(['done', '2입니다.']);
    const asked = played.requests.filter(({ task }) => task === 'chat_agent.agent').map(({ toolChoice }) => toolChoice);
    expect(asked).toEqual(['auto', 'auto', 'auto', 'auto', 'auto', 'none']);
  });

  it('stops when the model calls tools after the last round, without executing them', async () => {
    const echo = textTool('echo', (text) => text);
    const round = calls(['echo', { text: 'x' }]);
    const played = await play([toAgent, round, round, round], 'x', { tools: [echo], maxToolRounds: 2 });
    expect([played.finalState, echo.asked.length]).toEqual(['stopped', 2]);
    expect(played.output.error).toMatchObject({ code: 'LIMIT_EXCEEDED', message: 'The model still calls tools after 2 rounds.' });
    expect((await play([toAgent, round], 'x', { tools: [echo], maxToolRounds: 0 })).finalState).toBe('stopped');
  });

  it('offers available tools, and names unavailable ones', async () => {
    const played = await play([toAgent, says('TAVILY_API_KEY가 필요합니다.')], '뉴스 찾아줘', { tools: [calculator(), webSearch({})] });
    const request = played.requests.at(-1);
    expect(request?.tools?.map(({ name }) => name)).toEqual(['calculator']);
    expect(request?.messages[0]?.content).toContain('web_search (TAVILY_API_KEY is not set.');
  });

  it('does not execute a tool that the run was not granted', async () => {
    const echo = textTool('echo', (text) => text);
    const model = scriptedModel([toAgent, calls(['echo', { text: 'x' }]), says('…')] as Script);
    const run = createRuntime().start(chatAgent({ model, tools: [echo, calculator()] }), { input: 'x', tools: ['calculator'] });
    expect(await run.result).toMatchObject({ status: 'done', finalState: 'done' });
    expect([echo.asked, model.requests.at(-1)?.tools?.map(({ name }) => name)]).toEqual([[], ['calculator']]);
  });

  it('does not use a tool that was added after a restart', async () => {
    const echo = textTool('echo', (text) => text);
    const model = offlineModel({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? (messages.at(-1)?.content ?? '') : { toolCalls: [{ name: 'echo', arguments: { text: 'x' } }] },
    });
    const store = memoryStore();
    const dying = crashingStore(store, 3);
    const run = createRuntime({ store: dying }).start(chatAgent({ model, tools: [calculator()] }), { input: 'x' });
    await run.result;
    expect(dying.crashed).toBe(true);
    const runtime = createRuntime({ store, workflows: [chatAgent({ model, tools: [calculator(), echo] })] });
    const result = await (await runtime.resume(run.id, { force: true })).result;
    expect(result).toMatchObject({ status: 'done', output: { answer: expect.stringContaining('TOOL_UNKNOWN') } });
    expect(echo.asked).toEqual([]);
  });
});

describe('a stopped turn', () => {
  it('leaves the window unchanged, and keeps its question in the transcript', async () => {
    const store = memoryStore();
    await play([toAgent, says('안녕 철수!')], '내 이름은 철수야', { store, threadId: 't' });
    const before = await windowOf(store, 't');
    const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.' });
    const stopped = await play([toAgent, { task: 'chat_agent.agent', reply: down }], '계산해줘', { store, threadId: 't' });
    expect(stopped.finalState).toBe('stopped');
    expect(await windowOf(store, 't')).toEqual(before);
    const { turns } = await createRuntime({ store }).thread('t');
    expect(turns.map(({ input }) => (input as { input: string }).input)).toEqual(['내 이름은 철수야', '계산해줘']);
    const next = await play([toAgent, says('철수님')], '내 이름은?', { store, threadId: 't' });
    expect(next.requests.at(-1)?.messages.map(({ content }) => content)).not.toContain('계산해줘');
  });

  it('counts the tokens that it has spent', async () => {
    const store = memoryStore();
    const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.' });
    const { output } = await play([toAgent, { task: 'chat_agent.agent', reply: down }], 'hi', { store, threadId: 't' });
    expect(output.tokens.sent).toBeGreaterThan(0); // the route was asked for
    expect((await store.readThread('t'))?.state).toMatchObject({ tokens: output.tokens });
  });

  it('counts them when it had made a summary, too', async () => {
    const store = await longThread();
    const before = await windowOf(store, 'abc-123');
    const down = new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.' });
    await play([toAgent, summary('요약'), { task: 'chat_agent.agent', reply: down }], '음', { store, threadId: 'abc-123' });
    expect(await windowOf(store, 'abc-123')).toEqual(before);
  });
});

describe('input', () => {
  it.each([[''], [' \n '], ['가'.repeat(1_000_001)], [5], [undefined]])('%# is rejected before a run exists', (input) => {
    expect(() => createRuntime().start(chatAgent(), { input } as never)).toThrow(/1 to 1,000,000 characters/);
  });

  it('rejects a tool that the workflow does not have', () => {
    expect(() => createRuntime().start(chatAgent(), { input: 'x', tools: ['shell'] })).toThrow(
      expect.objectContaining({ code: 'TOOL_UNKNOWN', hint: 'It has calculator, get_current_datetime.' }),
    );
  });

  it.each([['calculator'], [null], [5], [[5]], [{}]])('rejects tools that are not a list of names: %j', (tools) => {
    expect(() => createRuntime().start(chatAgent(), { input: 'x', tools } as never)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: 'The option tools is not a list of names.' }),
    );
  });

  it.each([
    [{ maxToolRounds: -1 }],
    [{ maxToolRounds: 1.5 }],
    [{ ragLimit: 0 }],
    [{ window: { keepRecent: 10 } }],
    [{ window: { maxMessages: 1 } }],
    [{ window: { maxSummaries: 0 } }],
  ])('rejects %j', (options) => {
    expect(() => chatAgent(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('has the time of the start, in the time zone of the run', async () => {
    const played = await play([toAgent, says('…')], '몇 시야?', { tools: [getCurrentDatetime()], timeZone: 'Asia/Tokyo' });
    expect(played.requests.at(-1)?.messages[0]?.content).toMatch(/It is now \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(Asia\/Tokyo\)\./);
  });
});
