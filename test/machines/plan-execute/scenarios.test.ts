// The seven scenarios of the document, and its table of model calls.
import { createRuntime, memoryStore } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type Script, scriptedModel } from 'agent-machines/models';
import { summarize } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { callEnd } from '../../fixtures/call-end.ts';
import { begin, failing, intent, play, type Reply, textTool } from './helpers.ts';

describe('scenario 1: a simple question, one tool', () => {
  it('plans one step, runs it, answers', async () => {
    const search = textTool('web_search', () => '맑음, 15°C');
    const played = await play(
      [
        { task: 'plan_execute.intent_classifier', reply: intent(true, '서울 날씨') },
        { task: 'plan_execute.planner', reply: { steps: [{ step_id: 1, tool: 'web_search', input: '서울 날씨' }] } },
        { task: 'plan_execute.final_answer', reply: '서울의 현재 날씨는 맑고 15°C입니다.' },
      ],
      [search],
      '서울 날씨 알려줘',
    );
    expect(played.path).toEqual(['intent_classifier', 'planner', 'executor', 'final_answer']);
    expect(played.output.answer).toBe('서울의 현재 날씨는 맑고 15°C입니다.');
    expect(search.asked).toEqual(['서울 날씨']);
    expect(played.output.pastSteps).toMatchObject([
      {
        step: { step_id: 1, tool: 'web_search', input: '서울 날씨' },
        status: 'success',
        output: '맑음, 15°C',
        attempts: 1,
        deduplicated: false,
        signature: 'web_search:{"text":"서울 날씨"}',
      },
    ]);
    // the answer's prompt has the request, how it was understood, and the result
    const prompt = played.requests.at(-1)?.messages.at(-1)?.content;
    expect(prompt).toContain('서울 날씨 알려줘');
    expect(prompt).toContain('Understood as: 서울 날씨');
    expect(prompt).toContain('맑음, 15°C');
  });
});

describe('scenario 2: small talk', () => {
  it('goes straight to the answer', async () => {
    const played = await play(
      [
        { task: 'plan_execute.intent_classifier', reply: intent(false, '고마워!', 'chitchat') },
        { task: 'plan_execute.final_answer', reply: '별말씀을요!' },
      ],
      [textTool('web_search', () => 'x')],
      '고마워!',
    );
    expect(played.path).toEqual(['intent_classifier', 'final_answer']);
    expect(played.requests.at(-1)?.messages[0]?.content).toContain('Otherwise talk');
  });
});

describe('scenario 3: a text without a question', () => {
  it('answers it without tools', async () => {
    const text = '오늘 서울시는 미세먼지 저감 대책의 일환으로 도로 청소를 늘린다고 밝혔다. '.repeat(5);
    const played = await play(
      [
        { task: 'plan_execute.intent_classifier', reply: intent(false, '(콘텐츠 분석/처리)') },
        { task: 'plan_execute.final_answer', reply: '기사입니다. 번역이나 요약을 원하시나요?' },
      ],
      [],
      text,
    );
    expect(played.path).toEqual(['intent_classifier', 'final_answer']);
    const [system, ...rest] = played.requests.at(-1)?.messages ?? [];
    expect(system?.content).toMatch(/only a text.*offer what you could do next/s);
    expect(rest.at(-1)?.content).toBe(text);
  });
});

describe('the intent', () => {
  it('may have no constraints', async () => {
    const reply = { intent: 'chitchat', rewritten_query: '인사', needs_tool: false };
    const script = [
      { task: 'plan_execute.intent_classifier', reply },
      { task: 'plan_execute.final_answer', reply: '안녕하세요!' },
    ];
    const played = await play(script, [], '안녕');
    expect(played.path).toEqual(['intent_classifier', 'final_answer']);
  });
});

describe('scenario 4: a follow-up', () => {
  it('gets the conversation, and plans by the rewritten query with the old conditions', async () => {
    const store = memoryStore();
    const search = textTool('web_search', () => 'A식당, B식당');
    const turn = (query: string, kind: string) => [
      {
        task: 'plan_execute.intent_classifier',
        reply: {
          intent: kind,
          rewritten_query: query,
          needs_tool: true,
          constraints: kind === 'follow_up' ? '위치(영등포), 제약사항(견과류 알레르기)' : null,
        },
      },
      { task: 'plan_execute.planner', reply: { steps: [{ step_id: 1, tool: 'web_search', input: query }] } },
      { task: 'plan_execute.final_answer', reply: 'A식당, B식당을 추천드립니다.' },
    ];
    await play(turn('영등포 견과류 알레르기 안전한 맛집', 'new_question'), [search], '영등포 견과류 알레르기 안전한 맛집 추천해줘', {
      store,
      threadId: 't',
    });
    const played = await play(turn('영등포 견과류 알레르기 안전한 다른 맛집 추천', 'follow_up'), [search], '더 있어?', {
      store,
      threadId: 't',
    });
    const [classify, plan] = played.requests;
    expect(classify?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', '영등포 견과류 알레르기 안전한 맛집 추천해줘'],
      ['assistant', 'A식당, B식당을 추천드립니다.'],
      ['user', '더 있어?'],
    ]);
    expect(plan?.messages.at(-1)?.content).toContain('Request: 영등포 견과류 알레르기 안전한 다른 맛집 추천');
    expect(plan?.messages.at(-1)?.content).toContain('Conditions: 위치(영등포), 제약사항(견과류 알레르기)');
    expect(search.asked.at(-1)).toBe('영등포 견과류 알레르기 안전한 다른 맛집 추천');
  });
});

describe('scenario 5: a chain of tools', () => {
  it('passes the output of one step to the next without a model call in between', async () => {
    const search = textTool('web_search', () => 'LangGraph is a library. It builds graphs of agents. It was made by a company.');
    const played = await play(
      [
        { reply: intent(true, 'LangGraph 검색 후 요약') },
        {
          reply: {
            steps: [
              { step_id: 1, tool: 'web_search', input: 'LangGraph' },
              { step_id: 2, tool: 'summarize', input_from: 'step_1' },
            ],
          },
        },
        { task: 'plan_execute.final_answer', reply: 'LangGraph는 …' },
      ],
      [search, summarize()],
      'LangGraph가 뭔지 검색하고 요약해줘',
    );
    expect(played.path).toEqual(['intent_classifier', 'planner', 'executor', 'final_answer']);
    const taskAt = (type: string) => played.events.flatMap((event) => (event.type === type && 'task' in event ? [event.task] : []));
    expect(taskAt('model-start')).toEqual(['plan_execute.intent_classifier', 'plan_execute.planner', 'plan_execute.final_answer']);
    expect(played.output.pastSteps[1]).toMatchObject({
      status: 'success',
      output: { sentences: [{ text: expect.any(String) }, {}, {}], from: 3 },
    });
  });
});

describe('scenario 6: failure and another plan', () => {
  it('replans a failed step with another tool', async () => {
    const weather = textTool('get_weather', () => Promise.reject(new Error('API rate limit exceeded')));
    const search = textTool('web_search', () => '맑음');
    const played = await play(
      [
        { reply: intent(true, '서울 날씨') },
        { reply: { steps: [{ step_id: 1, tool: 'get_weather', input: '서울' }] } },
        { task: 'plan_execute.replanner', reply: { steps: [{ step_id: 2, tool: 'web_search', input: '서울 날씨' }] } },
        { reply: '맑습니다.' },
      ],
      [weather, search],
      '서울 날씨 알려줘',
    );
    expect(played.path).toEqual(['intent_classifier', 'planner', 'executor', 'replanner', 'executor', 'final_answer']);
    expect(played.output.pastSteps).toMatchObject([
      { status: 'failure', output: 'Error: API rate limit exceeded', error: { code: 'TOOL_FAILED', message: 'API rate limit exceeded' } },
      { status: 'success', output: '맑음' },
    ]);
    const replan = played.requests[2]?.messages;
    expect(replan?.at(-1)?.content).toContain('step 1 (get_weather) failure: TOOL_FAILED: API rate limit exceeded');
    expect(replan?.[0]?.content).toContain('Number the steps from 2.');
  });
});

describe('scenario 7: fail closed', () => {
  it.each([
    ['not JSON', 'I will search the web for you.', ''],
    ['JSON with a trailing comma', '{"steps":[],}', ''],
    ['a tool that is not offered', { steps: [{ step_id: 1, tool: 'rm_rf', input: '/' }] }, '"rm_rf", which is not offered'],
    ['another form', { plan: [] }, ''],
  ])('stops at a plan that is %s, and runs nothing', async (_what, reply, reason) => {
    const search = textTool('web_search', () => 'x');
    const played = await play([{ reply: intent(true) }, { task: 'plan_execute.planner', reply }], [search], '복잡한 요청');
    expect([played.finalState, played.path]).toEqual(['stopped', ['intent_classifier', 'planner', 'error_handler']]);
    expect(played.output.answer).toMatch(/^실행이 중단되었습니다: .*\(PLAN_REJECTED\)$/);
    expect(played.output.error).toMatchObject({ code: 'PLAN_REJECTED', message: expect.stringContaining(reason) });
    expect(search.asked).toEqual([]);
  });

  it('answers in English to an English question', async () => {
    const played = await play([{ reply: intent(true) }, { reply: 'no' }], [], 'a hard request');
    expect(played.output.answer).toMatch(/^Execution stopped: .*\(PLAN_REJECTED\)$/);
  });

  it('stops at an unreadable intent, whatever it states about tools', async () => {
    for (const reply of [
      'needs_tool: true',
      { intent: 'new_question', needs_tool: true },
      { ...(intent(true) as object), intent: 'other' },
      { ...(intent(true) as object), extra: 1 },
    ]) {
      const played = await play([{ reply }], [textTool('web_search', () => 'x')], 'question');
      expect([played.finalState, played.path, played.output.error?.code]).toEqual([
        'stopped',
        ['intent_classifier', 'error_handler'],
        'MODEL_OUTPUT_INVALID',
      ]);
    }
  });

  it('stops at the limit of replans, without another plan', async () => {
    const broken = textTool('web_search', failing('down'));
    const step = (step_id: number) => ({ steps: [{ step_id, tool: 'web_search', input: `${step_id}` }] });
    const played = await play(
      [{ reply: intent(true) }, { reply: step(1) }, { reply: step(2) }, { reply: step(3) }, { reply: step(4) }],
      [broken],
      'question',
    );
    expect(played.path.filter((node) => node === 'replanner')).toHaveLength(3);
    expect(played.path.slice(-2)).toEqual(['executor', 'error_handler']);
    expect(played.output.answer).toContain('No more than 3 replans');
    expect(broken.asked).toEqual(['1', '2', '3', '4']);
  });

  it('stops at an empty or rejected replan', async () => {
    const broken = textTool('web_search', failing('down'));
    for (const reply of [{ steps: [] }, { steps: [{ step_id: 1, tool: 'web_search', input: 'again' }] }, 'sorry']) {
      const played = await play(
        [{ reply: intent(true) }, { reply: { steps: [{ step_id: 1, tool: 'web_search', input: 'x' }] } }, { reply }],
        [broken],
        'question',
      );
      expect([played.finalState, played.path.at(-1)]).toEqual(['stopped', 'error_handler']);
    }
  });

  it('stops when the model of the answer is unreachable', async () => {
    const played = await play(
      [{ reply: intent(false) }, { task: 'plan_execute.final_answer', reply: new Error('model down') }],
      [],
      'question',
    );
    expect([played.finalState, played.path]).toEqual(['stopped', ['intent_classifier', 'final_answer', 'error_handler']]);
  });
});

describe('number of model calls', () => {
  const tool = () => textTool('t', (text) => text);
  const steps = (count: number) => ({ steps: Array.from({ length: count }, (_, i) => ({ step_id: i + 1, tool: 't', input: `${i}` })) });
  const rows: readonly (readonly [what: string, calls: number, script: readonly Reply[], tools: Parameters<typeof play>[1]])[] = [
    ['small talk', 2, [{ reply: intent(false, 'hi', 'chitchat') }, { reply: 'hello' }], []],
    ['one tool', 3, [{ reply: intent(true) }, { reply: steps(1) }, { reply: 'x' }], [tool()]],
    ['three tools', 3, [{ reply: intent(true) }, { reply: steps(3) }, { reply: 'x' }], [tool()]],
    ['content only', 2, [{ reply: intent(false, '(content analysis)') }, { reply: 'x' }], []],
    [
      'one failure recovered',
      4,
      [
        { reply: intent(true) },
        { reply: { steps: [{ step_id: 1, tool: 'bad', input: 'x' }] } },
        { reply: { steps: [{ step_id: 2, tool: 't', input: 'x' }] } },
        { reply: 'x' },
      ],
      [tool(), textTool('bad', failing('no'))],
    ],
    ['an invalid plan', 2, [{ reply: intent(true) }, { reply: 'no' }], []],
    ['an invalid intent', 1, [{ reply: 'no' }], []],
  ];
  it.each(rows)('%s: %i', async (_what, calls, script, tools) => {
    const { modelCalls, requests } = await play(script, tools, 'question');
    expect([modelCalls, requests.length]).toEqual([calls, calls]);
  });
});

describe('the executor', () => {
  it('runs a whole plan in one visit, each step as soon as it can run, and records in plan order', async () => {
    const order: string[] = [];
    const slow = textTool('slow', async (text) => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      order.push(text);
      return text;
    });
    const fast = textTool('fast', async (text) => {
      order.push(text);
      return text;
    });
    const plan = {
      steps: [
        { step_id: 5, tool: 'slow', input: 'a' },
        { step_id: 3, tool: 'fast', input: 'b' },
        { step_id: 9, tool: 'fast', input_from: 'step_5' },
      ],
    };
    const played = await play([{ reply: intent(true) }, { reply: plan }, { reply: 'x' }], [slow, fast], 'q');
    expect(order).toEqual(['b', 'a', 'a']);
    expect(played.output.pastSteps.map(({ step }) => step.step_id)).toEqual([5, 3, 9]);
    expect(played.path.filter((node) => node === 'executor')).toHaveLength(1);
  });

  it('runs one step per visit with the sequential option', async () => {
    const visits = async (options: object, effect: 'pure' | 'once') => {
      const tool = textTool('t', (text) => text, { effect });
      const plan = { steps: [1, 2, 3].map((step_id) => ({ step_id, tool: 't', input: `${step_id}` })) };
      const played = await play([{ reply: intent(true) }, { reply: plan }, { reply: 'x' }], [tool], 'q', options);
      return played.path.filter((node) => node === 'executor').length;
    };
    expect(await visits({}, 'pure')).toBe(1);
    expect(await visits({ execution: 'sequential' }, 'pure')).toBe(3);
    expect(await visits({}, 'once')).toBe(1);
    expect(await visits({ execution: 'sequential' }, 'once')).toBe(3);
  });

  it('replans after a wave with a failed step, and keeps the other results', async () => {
    const good = textTool('good', (text) => `got ${text}`);
    const bad = textTool('bad', failing('no'));
    const played = await play(
      [
        { reply: intent(true) },
        {
          reply: {
            steps: [
              { step_id: 1, tool: 'good', input: 'a' },
              { step_id: 2, tool: 'bad', input: 'b' },
              { step_id: 3, tool: 'good', input: 'c' },
              { step_id: 4, tool: 'good', input_from: 'step_2' },
            ],
          },
        },
        { reply: { steps: [{ step_id: 5, tool: 'good', input_from: 'step_1' }] } },
        { reply: 'x' },
      ],
      [good, bad],
      'q',
    );
    expect(played.output.pastSteps.map(({ step, status }) => `${step.step_id} ${status}`)).toEqual([
      '1 success',
      '2 failure',
      '3 success',
      '5 success',
    ]);
    expect(good.asked).toEqual(['a', 'c', 'got a']);
  });

  it('calls equal steps once', async () => {
    const tool = textTool('t', (text) => text);
    const plan = {
      steps: [
        { step_id: 1, tool: 't', input: 'x' },
        { step_id: 2, tool: 't', input: { text: 'x' } },
        { step_id: 3, tool: 't', input_from: 'step_1' },
      ],
    };
    const played = await play([{ reply: intent(true) }, { reply: plan }, { reply: 'x' }], [tool], 'q');
    expect(tool.asked).toEqual(['x']);
    expect(played.output.pastSteps.map(({ deduplicated, output }) => [deduplicated, output])).toEqual([
      [false, 'x'],
      [true, 'x'],
      [true, 'x'],
    ]);
  });

  it('checks arguments from earlier steps right before the call, and fails the step on a mismatch', async () => {
    const list = textTool('list', () => ({ items: ['a', 1] }));
    const tool = textTool('t', (text) => text);
    const plan = {
      steps: [
        { step_id: 1, tool: 'list', input: 'x' },
        { step_id: 2, tool: 't', input_from: { text: 'step_1#/items/0' } },
        { step_id: 3, tool: 't', input_from: { text: 'step_1#/items/1' } },
        { step_id: 4, tool: 't', input_from: { text: 'step_1#/nothing' } },
      ],
    };
    const played = await play([{ reply: intent(true) }, { reply: plan }, { reply: { steps: [] } }], [list, tool], 'q');
    expect(tool.asked).toEqual(['a']);
    expect(played.output.pastSteps.slice(1).map(callEnd)).toEqual(['a', 'TOOL_INPUT_INVALID', 'TOOL_INPUT_INVALID']);
  });

  it('sends nothing once private data is in the thread, unless it is allowed', async () => {
    const read = textTool('read', () => 'secret', { capabilities: { private: true, untrusted: false, external: false } });
    const send = textTool('send', () => 'sent', { capabilities: { private: false, untrusted: true, external: true } });
    const script = (step_id: number): readonly Reply[] => [
      { reply: intent(true) },
      {
        reply: {
          steps: [
            { step_id, tool: 'read', input: 'x' },
            { step_id: step_id + 1, tool: 'send', input_from: `step_${step_id}` },
          ],
        },
      },
    ];
    const held = await begin(script(1), [read, send]);
    expect(held.question()).toMatchObject({ tool: 'send', arguments: { text: 'secret' } });
    expect(send.asked).toEqual([]);
    const allowed = await play([...script(1), { reply: 'x' }], [read, send], 'q', { allowEgress: true });
    expect([allowed.finalState, send.asked]).toEqual(['done', ['secret']]);
  });

  it("stores the taint and the user's grant in the thread", async () => {
    const store = memoryStore();
    const read = textTool('read', () => 'secret', { capabilities: { private: true, untrusted: false, external: false } });
    const send = textTool('send', () => 'sent', { capabilities: { private: false, untrusted: true, external: true } });
    const once = (tool: string) => [{ reply: intent(true) }, { reply: { steps: [{ step_id: 1, tool, input: 'x' }] } }];
    await play([...once('read'), { reply: 'x' }], [read, send], 'q', { store, threadId: 't' });
    const next = await begin(once('send'), [read, send], { store, threadId: 't' });
    expect(next.question()).toMatchObject({ tool: 'send', arguments: { text: 'x' } });
    await next.runtime.cancel(next.runId);
    const granted = scriptedModel([...once('send'), { reply: 'x' }] as Script);
    const workflow = planExecute({ model: granted, tools: [read, send] });
    const run = createRuntime({ store }).start(workflow, { input: 'q' }, { threadId: 't', grantEgress: true });
    expect(await run.result).toMatchObject({ output: { pastSteps: [{ status: 'success', output: 'sent' }] } });
    const later = await play([...once('send'), { reply: 'x' }], [read, send], 'q', { store, threadId: 't' });
    expect(later.finalState).toBe('done');
    const other = await play([...once('send'), { reply: 'x' }], [read, send], 'q', { store, threadId: 'u' });
    expect(other.finalState).toBe('done');
  });
});

describe('tools of a run', () => {
  it('are the granted ones, even if a plan names others', async () => {
    const a = textTool('a', (text) => text);
    const b = textTool('b', (text) => text);
    const model = scriptedModel([{ reply: intent(true) }, { reply: { steps: [{ step_id: 1, tool: 'b', input: 'x' }] } }]);
    const run = createRuntime().start(planExecute({ model, tools: [a, b] }), { input: 'q', tools: ['a'] });
    expect(await run.result).toMatchObject({ finalState: 'stopped', output: { error: { code: 'PLAN_REJECTED' } } });
    expect(model.requests[1]?.messages[0]?.content).not.toContain('- b:');
    expect(b.asked).toEqual([]);
    expect(() => createRuntime().start(planExecute({ tools: [a] }), { input: 'q', tools: ['zz'] })).toThrow(
      expect.objectContaining({ code: 'TOOL_UNKNOWN' }),
    );
  });

  it('are the available ones, and the model gets the reasons of the others', async () => {
    const off = textTool('off', (text) => text, { unavailable: 'OFF_KEY is not set.' });
    const played = await play([{ reply: intent(false) }, { reply: 'OFF_KEY is missing.' }], [off], 'q');
    expect(played.requests[0]?.messages[0]?.content).toContain('Tools:\n(none)');
    expect(played.requests[1]?.messages[0]?.content).toContain('- off: OFF_KEY is not set.');
  });

  it('have one line each for the classifier, and whole descriptions for the planner', async () => {
    const long = `Finds things.\nWhere they are${' is not known'.repeat(40)}. Give it a name.`;
    const tools = [textTool('short', (text) => text), textTool('long', (text) => text, { description: long })];
    const { requests } = await play([{ reply: intent(true) }, { reply: { steps: [] } }, { reply: 'Nothing.' }], tools, 'q');
    const [classifier = '', planner = ''] = requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(classifier).toMatch(
      /^Tools:\n- short: Answers short\.\n- long: Finds things\. Where they are(?: is not known?)+[^\n]{0,10} …\n\n/m,
    );
    expect(classifier).not.toContain('Arguments');
    for (const { description = '', inputSchema } of tools) {
      expect(planner).toContain(`${description} Arguments: ${JSON.stringify((inputSchema as { properties: unknown }).properties)}`);
    }
  });
});

describe('planExecute', () => {
  it('rejects an input that is not a text of 1 to 1,000,000 characters', () => {
    const workflow = planExecute();
    for (const input of [undefined, null, 'text', {}, { input: '' }, { input: '  \n' }, { input: 5 }, { input: 'x'.repeat(1_000_001) }]) {
      expect(() => createRuntime().start(workflow, input as never)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    }
  });

  it('rejects invalid options', () => {
    for (const options of [{ maxSteps: 0 }, { maxReplans: -1 }, { concurrency: 1.5 }]) {
      expect(() => planExecute(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
  });

  it('uses a model per task', async () => {
    const classifier = scriptedModel([{ task: 'plan_execute.intent_classifier', reply: intent(false) }], { name: 'small' });
    const rest = scriptedModel([{ task: 'plan_execute.final_answer', reply: 'x' }], { name: 'large' });
    const run = createRuntime().start(planExecute({ model: rest, models: { 'plan_execute.intent_classifier': classifier } }), {
      input: 'q',
    });
    expect(await run.result).toMatchObject({ finalState: 'done' });
    const events = [];
    for await (const event of run.events()) if (event.type === 'run-start' || event.type === 'model-start') events.push(event.model);
    expect(events).toEqual(['large, small', 'small', 'large']);
  });

  it("puts the user's text into prompts unchanged", async () => {
    const input = ['{secret} {{constructor}} $', '{process.env} {% raw %} </results>'].join('');
    const played = await play([{ reply: intent(false) }, { reply: 'x' }], [], input);
    expect(played.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([input, input]);
  });

  it('keeps a bounded conversation, and leaves it unchanged when a turn stops', async () => {
    const store = memoryStore();
    for (let turn = 0; turn < 15; turn++)
      await play([{ reply: intent(false) }, { reply: `answer ${turn}` }], [], `question ${turn} ${'x'.repeat(5_000)}`, {
        store,
        threadId: 't',
      });
    await play([{ reply: 'unreadable' }], [], 'stopped question', { store, threadId: 't' });
    const runtime = createRuntime({ store });
    const { state, turns, revision } = await runtime.thread('t');
    const { messages } = state as { messages: { role: string; content: string }[] };
    expect([messages.length, messages.at(-1)?.content, revision, turns.length]).toEqual([20, 'answer 14', 15, 16]);
    expect(Math.max(...messages.map(({ content }) => content.length))).toBe(4_000);
    expect(turns.at(-1)?.input).toMatchObject({ input: 'stopped question' });
  });
});
