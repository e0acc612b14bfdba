// Answers without a model: right where local data suffices, naming what is missing elsewhere.
import { readFileSync } from 'node:fs';
import { createRuntime, type Runtime, type Tool } from 'agent-machines';
import { folderDocuments } from 'agent-machines/documents';
import { type PlanExecuteOutput, planExecute } from 'agent-machines/machines/plan-execute';
import { bm25Retriever } from 'agent-machines/search';
import { calculator, getCurrentDatetime, searchDocuments, summarize } from 'agent-machines/tools';
import { getWeather, readFile, searchWikipedia, webSearch } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { isChitchat, isClarification, isFollowUp, readContent } from '../../../machines/plan-execute/offline/request-kinds.ts';
import { readNeeds } from '../../../src/models/offline/read-needs.ts';
import { stripImperative } from '../../../src/models/offline/strip-imperative.ts';
import { failing, textTool } from './helpers.ts';

const root = 'test/fixtures/docs';
const { documents } = await folderDocuments({ root });
const local = (): readonly Tool[] => [
  calculator(),
  getCurrentDatetime({ clock: { now: () => Date.UTC(2026, 10, 20, 6, 4, 5) }, timeZone: 'Asia/Seoul' }),
  searchDocuments({ retriever: bm25Retriever(documents) }),
  summarize(),
  readFile({ root }),
  getWeather({}),
  searchWikipedia({}),
  webSearch({}),
];

interface Answer {
  readonly finalState: string;
  readonly text: string;
  readonly tools: readonly string[];
  readonly modelCalls: number;
}

/** One agent for all turns of a conversation. */
const agents = new WeakMap<readonly Tool[], ReturnType<typeof planExecute>>();
function agentWith(tools: readonly Tool[]): ReturnType<typeof planExecute> {
  const agent = agents.get(tools) ?? planExecute({ tools });
  agents.set(tools, agent);
  return agent;
}

async function ask(
  input: string,
  { tools = local(), runtime = createRuntime(), threadId }: { tools?: readonly Tool[]; runtime?: Runtime; threadId?: string } = {},
): Promise<Answer> {
  const run = runtime.start(agentWith(tools), { input }, threadId === undefined ? {} : { threadId });
  const result = await run.result;
  if (!('finalState' in result)) throw new Error(JSON.stringify(result));
  const output: PlanExecuteOutput = result.output;
  let modelCalls = 0;
  for await (const event of run.events()) if (event.type === 'model-start') modelCalls++;
  return { finalState: result.finalState, text: output.answer, tools: output.pastSteps.map(({ step }) => step.tool), modelCalls };
}

describe('calculations', () => {
  it.each([
    ['123 * 456 계산해줘', '56088'],
    ['7*6은?', '= 42'],
    ['(3 + 4) * 2 는 얼마야?', '= 14'],
    ['What is 12 times 30?', '= 360'],
    ['200의 15%는?', '= 30'],
    ['15% of 200', '= 30'],
    ['100 나누기 8', '= 12.5'],
    ['sqrt(16) + 2', '= 6'],
    ['0.1+0.2 계산', '= 0.3'],
    ['1,234 + 1', '= 1235'],
    ['１２×３ 계산해줘', '= 36'],
    ['2의 결과 말고 2**10 계산해줘', '= 1024'],
  ])('%s → %s', async (question, answer) => {
    expect(await ask(question)).toMatchObject({
      finalState: 'done',
      text: expect.stringContaining(answer),
      tools: ['calculator'],
      modelCalls: 3,
    });
  });

  it('reports the error of an expression without a result', async () => {
    const answer = await ask('1/0 계산해줘');
    expect(answer).toMatchObject({ finalState: 'stopped', text: expect.stringMatching(/실행이 중단되었습니다: .*EXPRESSION_INVALID/) });
  });
});

describe('date and time', () => {
  it.each([
    ['지금 몇 시야?', '지금은 2026-11-20 15:04:05입니다 (금요일, Asia/Seoul).'],
    ['오늘 날짜 알려줘', '2026-11-20'],
    ['What time is it?', 'It is Friday, 2026-11-20 15:04:05 (Asia/Seoul).'],
  ])('%s', async (question, answer) => {
    expect((await ask(question)).text).toContain(answer);
  });
});

describe('documents', () => {
  it.each([
    ['이 저장소의 문서에서 interrupt를 찾아 요약해줘', 'interrupt.md', ['search_documents', 'summarize']],
    ['docs에서 한도를 찾아 정리해줘', 'limits.md', ['search_documents', 'summarize']],
    ['Search the docs for the journal and summarize it', 'journal.md', ['search_documents', 'summarize']],
    ['What survives a crash?', 'journal.md', ['search_documents']],
    ['계획 검사기는 무엇을 거부해?', 'plan-gate.md', ['search_documents']],
  ])('%s → quotes %s', async (question, file, tools) => {
    const answer = await ask(question);
    expect([answer.finalState, answer.tools]).toEqual(['done', tools]);
    expect(answer.text).toContain(file);
    const quotes = [...answer.text.matchAll(/“([^”]+)”/g)].map(([, quote]) => quote ?? '');
    expect(quotes.length).toBeGreaterThan(0);
    // verbatim, out of the documents
    const all = documents.map(({ text }) => text.replace(/\s+/g, ' ')).join('\n');
    for (const quote of quotes) expect(all).toContain(quote.replace(/…$/, '').replace(/\s+/g, ' ').trim());
  });

  it('quotes no passage that is only code', async () => {
    const code = { source: 'code.md', heading: 'How to frobnicate', text: '```sh\nfrobnicate --all\n```', score: 2 };
    const prose = { ...code, source: 'prose.md', text: 'To frobnicate means to change a thing until it works.' };
    const tools = [searchDocuments({ retriever: { search: async () => [code, prose] } })];
    const answer = await ask('How do I frobnicate?', { tools });
    expect(answer.text).toContain('“To frobnicate means to change a thing until it works.” (prose.md');
    expect(answer.text).not.toContain('“”');
  });

  it('reports that they are silent', async () => {
    expect((await ask('문서에서 양자역학을 찾아 요약해줘')).text).toBe('"양자역학"에 관한 내용을 문서에서 찾지 못했습니다.');
    expect((await ask('Find kangaroos in the docs')).text).toContain('The documents say nothing about "kangaroos"');
  });

  it('searches and calculates in parallel, and answers in the order of the request', async () => {
    const answer = await ask('docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘');
    expect(answer.tools).toEqual(['search_documents', 'calculator', 'summarize']);
    expect(answer.text.indexOf('interrupt.md')).toBeLessThan(answer.text.indexOf('7*6 = 42'));
    expect(answer.modelCalls).toBe(3);
  });

  it('shows more of the same on request, and keeps the conditions', async () => {
    const runtime = createRuntime();
    const many = bm25Retriever(
      Array.from({ length: 12 }, (_, i) => ({
        name: `d${i}.md`,
        text: `# Journal ${i}\n\nThe journal keeps outcome number ${i} of the run.`,
      })),
    );
    const tools = [searchDocuments({ retriever: many }), summarize()];
    const first = await ask('문서에서 journal을 찾아줘', { tools, runtime, threadId: 't' });
    const second = await ask('더 있어?', { tools, runtime, threadId: 't' });
    const third = await ask('더 있어?', { tools, runtime, threadId: 't' });
    const files = (text: string): string[] => [...text.matchAll(/d\d+\.md/g)].map(([file]) => file);
    const shown = [first, second, third].flatMap(({ text }) => files(text));
    expect(new Set(shown).size).toBe(shown.length);
    expect([files(first.text).length, files(second.text).length, files(third.text).length]).toEqual([3, 3, 2]);
    expect((await ask('더 있어?', { tools, runtime, threadId: 't' })).text).toBe('"journal"에 관한 내용을 문서에서 더 찾지 못했습니다.');
  });

  it('keeps place and allergy of the first question in the rewritten one', async () => {
    const runtime = createRuntime();
    const asked = textTool('web_search', () => ({ query: '', results: [] }) as never);
    const search: Tool = { ...asked, inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } };
    const tools = [search];
    await ask('영등포 견과류 알레르기 안전한 맛집 추천해줘', { tools, runtime, threadId: 't' });
    const run = runtime.start(agentWith(tools), { input: '더 있어?' }, { threadId: 't' });
    await run.result;
    const [intent] = (await runtime.history(run.id)).filter(({ key }) => key === 'intent_classifier#1');
    expect(intent?.outcome).toMatchObject({
      output: {
        intent: 'follow_up',
        rewrittenQuery: '영등포 견과류 알레르기 안전한 다른 맛집 추천',
        needsTool: true,
        constraints: expect.stringMatching(/영등포.*견과류.*알레르기/),
      },
    });
  });
});

describe('files', () => {
  it('are read if a folder is open', async () => {
    const answer = await ask('journal.md 파일을 읽어줘');
    expect(answer.tools).toEqual(['read_file']);
    expect(answer.text).toContain(`> ${readFileSync(`${root}/journal.md`, 'utf8').split('\n')[0]}`);
  });

  it('are searched in the documents if they are missing', async () => {
    const answer = await ask('missing-journal.md 파일을 읽고 요약해줘');
    expect(answer).toMatchObject({ finalState: 'done', modelCalls: 4, tools: ['read_file', 'search_documents', 'summarize'] });
    expect(answer.text).toContain('파일이 없습니다. (“missing-journal.md”)');
    expect(answer.text).toContain('journal.md');
  });
});

describe('requests that need the network', () => {
  it.each([
    ['서울 날씨 알려줘', 'OPENWEATHER_API_KEY 설정이 필요합니다.'],
    ['How is the weather in Paris?', 'OPENWEATHER_API_KEY is not set.'],
    ['영등포 견과류 알레르기 안전한 맛집 추천해줘', 'TAVILY_API_KEY 설정이 필요합니다.'],
    ['오늘 뉴스 알려줘', 'TAVILY_API_KEY 설정이 필요합니다.'],
    ['위키백과에서 세종대왕 찾아줘', '--allow-net 설정이 필요합니다.'],
  ])('%s → names what is missing, calls no tool, invents nothing', async (question, reason) => {
    expect(await ask(question)).toMatchObject({ finalState: 'done', text: expect.stringContaining(reason), tools: [], modelCalls: 2 });
  });

  it('uses available tools', async () => {
    const search = textTool('web_search', () => ({
      query: 'x',
      results: [{ title: '맛집', url: 'https://example.com/a', content: '좋은 식당이다. 또 간다.' }],
    }));
    const answer = await ask('서울 맛집 추천해줘', { tools: [search] });
    expect([search.asked, answer.text]).toEqual([['서울 맛집 추천'], '- 맛집: “좋은 식당이다. 또 간다.” (https://example.com/a)']);
  });

  it('uses another tool after a failure: weather from the web', async () => {
    const weather = textTool('get_weather', failing('API rate limit exceeded'));
    const search = textTool('web_search', () => ({
      query: 'x',
      results: [{ title: '날씨', url: 'https://example.com/w', content: '맑음.' }],
    }));
    const answer = await ask('서울 날씨 알려줘', { tools: [weather, search] });
    expect([search.asked, answer.modelCalls]).toEqual([['서울 날씨'], 4]);
    expect(answer.text).toContain('(get_weather: 도구가 작업을 마치지 못했습니다.)');
  });
});

describe('talk', () => {
  it.each(['고마워', '고마워!', '안녕', 'ㅋㅋ', 'ㅋㅋㅋㅋ', 'hello', 'Thanks a lot!', '수고했어', '응', 'ok'])(
    '%s is small talk',
    async (text) => {
      expect(isChitchat(text)).toBe(true);
      expect(await ask(text)).toMatchObject({ finalState: 'done', modelCalls: 2, tools: [] });
    },
  );

  it.each(['안녕하세요 123*4 계산해줘', '고마운 사람에게 쓸 선물 문서 찾아줘', 'okay google what is 3*3'])(
    '%s is not small talk',
    (text) => {
      expect(isChitchat(text)).toBe(false);
    },
  );

  it('repeats the last answer when its meaning is asked for, and names what a rephrasing needs', async () => {
    const runtime = createRuntime();
    const tools = local();
    await ask('7*6 계산해줘', { tools, runtime, threadId: 't' });
    const answer = await ask('무슨 말이야?', { tools, runtime, threadId: 't' });
    expect(answer.text).toMatch(/> 7\*6 = 42[\s\S]*OPENAI_API_KEY/);
  });

  it('reports that a general question needs a model', async () => {
    expect((await ask('사랑에 대한 시를 써봐', { tools: [calculator()] })).text).toContain('OPENAI_API_KEY');
  });
});

describe('content', () => {
  const article =
    '오늘 서울시는 미세먼지 저감 대책의 일환으로 도심 도로 청소를 두 배로 늘린다고 밝혔다. 시는 살수차 40대를 추가로 투입하고 공사장에 측정기를 설치한다. 환경 단체는 이를 환영하면서도 차량 통행 제한을 요구했다. 시 관계자는 농도를 낮추는 것이 목표라고 설명했다.';

  it.each([
    [article, '글입니다', 2],
    ['function add(a, b) {\n  return a + b;\n}\nfunction sub(a, b) {\n  return a - b;\n}\nexport { add, sub };\n', 'This is code', 2],
    [
      '[{"name": "kim", "age": 3}, {"name": "lee", "age": 4}, {"name": "park", "age": 5}, {"name": "choi", "age": 6}, {"name": "jung", "age": 7}, {"name": "kang", "age": 8}, {"name": "cho", "age": 9}]',
      'This is JSON data',
      2,
    ],
  ])('is described and quoted, without a search: %#', async (text, kind, calls) => {
    const answer = await ask(text);
    expect([answer.modelCalls, answer.tools, answer.text.startsWith(kind)]).toEqual([calls, [], true]);
  });

  it('is quoted verbatim', async () => {
    const { text } = await ask(article);
    for (const [, quote] of text.matchAll(/“([^”]+)”/g)) expect(article).toContain(quote);
  });

  it('reports that its instruction needs a model', async () => {
    expect((await ask(`다음 글을 영어로 번역해줘: ${article}`)).text).toContain('언어 모델이 필요합니다');
    expect((await ask(`다음 글을 요약해줘: ${article}`)).text).not.toContain('언어 모델이 필요합니다');
  });
});

describe('rules that read a request', () => {
  it.each([
    ['더 있어?', true],
    ['다른 건?', true],
    ['또 없어?', true],
    ['more?', true],
    ['What else?', true],
    ['더하기 3 4', false],
    ['다른 문서에서 interrupt를 찾아 요약하고 7*6도 계산해 주면 정말 고맙겠어', false],
  ])('isFollowUp(%s) = %s', (text, expected) => {
    expect(isFollowUp(text)).toBe(expected);
  });

  it.each([
    ['LangGraph가 뭔지 검색하고 요약해줘', 'LangGraph'],
    ['래치란 무엇인지 문서에서 찾아서 요약해줘', ''],
    ['What is a gasket? Search the docs and summarise it.', 'gasket'],
    ['define a gasket from the documents', 'gasket'],
  ])('answers modestly if no passage defines the term of %s', async (question, term) => {
    const documents = [
      {
        name: 'a.md',
        text: '# Costs\n\nWhat it costs beside LangGraph.js is measured. Order a spare gasket each year.\n\n# 문\n\n래치를 매달 닦습니다.',
      },
    ];
    const agent = planExecute({ tools: [searchDocuments({ retriever: bm25Retriever(documents) }), summarize()] });
    const result = await createRuntime().start(agent, { input: question }).result;
    const { answer } = result.status === 'done' ? result.output : { answer: '' };
    expect(answer).toContain('OPENAI_API_KEY');
    expect(answer).toContain(term);
    expect(answer).not.toContain('“');
  });

  it.each([
    ['래치가 뭔지 검색하고 요약해줘', '“래치는 문을 잠그는 쇠입니다.”'],
    ['What is a gasket? Search the docs and summarise it.', '“A gasket is a seal between two parts.”'],
  ])('quotes the passage that defines the term of %s', async (question, quote) => {
    const documents = [{ name: 'a.md', text: '# Parts\n\nA gasket is a seal between two parts.\n\n# 문\n\n래치는 문을 잠그는 쇠입니다.' }];
    const agent = planExecute({ tools: [searchDocuments({ retriever: bm25Retriever(documents) }), summarize()] });
    const result = await createRuntime().start(agent, { input: question }).result;
    expect(result.status === 'done' && result.output.answer).toContain(quote);
  });

  it.each([
    ['무슨 말이야?', true],
    ['예시 들어줘', true],
    ['What do you mean?', true],
    ['체크포인트가 뭐야?', false],
  ])('isClarification(%s) = %s', (text, expected) => {
    expect(isClarification(text)).toBe(expected);
  });

  it.each([
    ['', []],
    ['고마워', []],
    ['LangGraph가 뭔지 검색하고 요약해줘', [{ kind: 'documents', query: 'LangGraph', summarize: true, named: false }]],
    ['Mastra가 뭐야? 문서 검색해서 요약', [{ kind: 'documents', query: 'Mastra', summarize: true, named: true }]],
    ['What is a lease? Search the docs and summarise it.', [{ kind: 'documents', query: 'lease', summarize: true, named: true }]],
    ['문서 요약해줘', []],
    ['Search the docs. What is a lease?', [{ kind: 'documents', query: 'lease', summarize: false, named: true }]],
    ['README.md 읽어줘', [{ kind: 'read', path: 'README.md', summarize: false }]],
    ['부산 날씨 어때?', [{ kind: 'weather', query: '부산' }]],
    ['짧게 답해줘. 문서에서 저널을 찾아줘', [{ kind: 'documents', query: '저널', summarize: false, named: true }]],
    ['Find the journal in the docs. Be brief.', [{ kind: 'documents', query: 'journal', summarize: false, named: true }]],
    [
      '3*4 계산하고 5*6도 계산해줘',
      [
        { kind: 'calculate', expression: '3*4' },
        { kind: 'calculate', expression: '5*6' },
      ],
    ],
  ])('readNeeds(%s)', (text, needs) => {
    expect(readNeeds(text)).toEqual(needs);
  });

  it('reads an instruction before a text', () => {
    const body = 'This is a long enough paragraph that somebody would like to have in another language, please.';
    expect(readContent(`Translate: ${body}`)).toEqual({ content: body, order: 'Translate' });
    expect(readContent('짧은 글')).toBeUndefined();
    expect(readContent('긴 질문이지만 물음표로 끝난다. 그래서 글이 아니다. 정말로 그렇다. 어떻게 생각해? '.repeat(4))).toBeUndefined();
  });

  it.each([
    ['spaces', ' '.repeat(100_000)],
    ['line ends', '\n'.repeat(100_000)],
    ['digits', '1'.repeat(100_000)],
    ['brackets', `1+1${')'.repeat(100_000)}`],
    ['days', '오늘'.repeat(50_000)],
  ])('reads a long input in linear time: %s', (_what, long) => {
    const text = `a${long}\u0001`;
    expect(readNeeds(text)).toEqual([]);
    expect(readContent(text)?.content).toBe(text);
  });

  it('ignores an instruction after many spaces', () => {
    expect(stripImperative(`맛집${' '.repeat(5_000)}\u0001`)).toContain('\u0001');
    expect(stripImperative(`맛집  추천해줘 !?${'\n'.repeat(5_000)}`)).toBe('맛집  추천');
  });
});
