// The way through the machine: what calls a model, what ends a run, and what a thread hands on.
import { createRuntime, type HumanEvent, memoryStore, WorkflowError } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { describe, expect, it } from 'vitest';
import { approved, begin, guide, knowledge, lookUp, newMemory, pick, plan, question, reflection, remember, work } from './helpers.ts';

const end = [guide('가이드입니다.'), remember()];

describe('model calls of a run', () => {
  it('takes 2 calls for a question, without tool, wait or reflection', async () => {
    const session = await begin([question, guide('답입니다.')], { memory: newMemory() });
    expect(session.end()).toMatchObject({ finalState: 'done', output: { answer: '답입니다.', subTasks: [] } });
    expect(await session.path()).toEqual(['llm_router', 'guide_generation_node']);
    expect([await session.modelCalls(), await session.toolsCalled()]).toEqual([2, []]);
  });

  it('takes 2 calls for an unreadable route, and stops', async () => {
    const unreadable = { task: 'guide_agent.llm_router', reply: 'yes, complex' };
    const session = await begin([unreadable, unreadable]);
    expect(session.end()).toMatchObject({ finalState: 'stopped', output: { error: { code: 'MODEL_OUTPUT_INVALID' } } });
    expect(session.end().output.answer).toMatch(/^실행이 중단되었습니다: .*\(MODEL_OUTPUT_INVALID\)$/);
    expect(await session.path()).toEqual(['llm_router']);
  });

  it.each([2, 3, 5])('takes 4 calls and 2 per sub-task for a plan of %i sub-tasks with one search each', async (size) => {
    const tasks = ['a', 'b', 'c', 'd', 'e'].slice(0, size);
    const script = tasks.flatMap(() => [lookUp, pick('자막부엉', 'caption-owl')]);
    const session = await approved([work, plan(...tasks), ...script, ...end]);
    expect(await session.modelCalls()).toBe(4 + 2 * size);
    expect(await session.path()).toEqual([
      'llm_router',
      'planning_node',
      ...tasks.flatMap(() => ['recommend_tool_node', 'tool_executor', 'recommend_tool_node']),
      'guide_generation_node',
      'reflection_node',
    ]);
  });

  it.each<readonly [what: string, events: readonly HumanEvent[], more: number]>([
    ['REVISE costs one more', [{ type: 'REVISE', feedback: '짧게' }], 1],
    ['EDIT costs none', [{ type: 'EDIT', sub_tasks: ['c', 'd'] }], 0],
  ])('%s', async (_what, events, more) => {
    const replans = more === 1 ? [plan('c', 'd')] : [];
    const session = await begin([work, plan('a', 'b'), ...replans, lookUp, pick('자막부엉'), lookUp, pick('자막부엉'), ...end]);
    for (const event of events) await session.send(event);
    await session.send({ type: 'APPROVE' });
    session.end();
    expect(await session.modelCalls()).toBe(8 + more);
  });

  it('takes 2 calls before CANCEL', async () => {
    const session = await begin([work, plan('a', 'b')]);
    await session.send({ type: 'CANCEL' });
    session.end();
    expect(await session.modelCalls()).toBe(2);
  });
});

describe('stops of an approved run', () => {
  it.each([
    ['recommend_tool_node', []],
    ['guide_generation_node', [lookUp, pick('자막부엉'), lookUp, pick('자막부엉')]],
  ])('stops with a code when the model is unreachable in %s', async (task, before) => {
    const down = { task: `guide_agent.${task}`, reply: new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'Down.', hint: 'Wait.' }) };
    const session = await approved([work, plan('a', 'b'), ...before, down]);
    expect(session).toMatchObject({
      finalState: 'stopped',
      output: {
        answer: '실행이 중단되었습니다: 언어 모델에 연결할 수 없습니다. 잠시 뒤에 다시 시도해 주세요. (MODEL_UNAVAILABLE)',
        error: { code: 'MODEL_UNAVAILABLE' },
      },
    });
  });

  it('stops at a blank guide', async () => {
    const session = await approved([work, plan('a', 'b'), lookUp, pick('자막부엉'), lookUp, pick('자막부엉'), guide(' \n ')]);
    expect(session).toMatchObject({ finalState: 'stopped', output: { error: { code: 'MODEL_OUTPUT_INVALID' } } });
  });

  it('does not stop for a failed reflection', async () => {
    const session = await approved([
      work,
      plan('a', 'b'),
      lookUp,
      pick('자막부엉'),
      lookUp,
      pick('자막부엉'),
      guide('가이드입니다.'),
      reflection('?'),
      reflection('?'),
    ]);
    expect(session).toMatchObject({ finalState: 'done', output: { answer: '가이드입니다.' } });
  });
});

describe('a thread', () => {
  it('passes the last guide to the next run, but no cancelled or stopped one', async () => {
    const store = memoryStore();
    const options = { store, threadId: 't' };
    const first = await begin([work, plan('a', 'b')], { ...options, input: '취소할 일' });
    await first.send({ type: 'CANCEL' });
    await begin(
      [
        { task: 'guide_agent.llm_router', reply: '?' },
        { task: 'guide_agent.llm_router', reply: '?' },
      ],
      { ...options, input: '멈출 일' },
    );
    await begin([question, guide('답 하나')], { ...options, input: '질문 하나' });
    const last = await begin([question, guide('답 둘')], { ...options, input: '질문 둘' });
    const seen = last.model.requests[0]?.messages.slice(1).map(({ role, content }) => [role, content]);
    expect(seen).toEqual([
      ['user', '질문 하나'],
      ['assistant', '답 하나'],
      ['user', '질문 둘'],
    ]);
  });

  it('hides the messages of one user from another', async () => {
    const options = { store: memoryStore(), threadId: 't' };
    await begin([question, guide('김 씨는 짧은 영상을 좋아합니다')], { ...options, userId: 'kim', input: '내가 뭘 좋아해?' });
    const other = await begin([question, guide('모릅니다')], { ...options, userId: 'lee', input: '김 씨는?' });
    expect(JSON.stringify(other.model.requests)).not.toContain('짧은 영상');
    const own = await begin([question, guide('답')], { ...options, userId: 'lee', input: '그래?' });
    expect(own.model.requests[0]?.messages.slice(1).map(({ content }) => content)).toEqual(['김 씨는?', '모릅니다', '그래?']);
  });

  it.each([
    ['nothing', ''],
    ['spaces', ' \n'],
    ['too much', 'x'.repeat(1_000_001)],
    ['a number', 7],
  ])('does not start with %s', (_what, input) => {
    const start = () => createRuntime().start(guideAgent({ knowledge }), { input } as never);
    expect(start).toThrow(/INPUT_INVALID|1 to 1,000,000/);
  });
});

describe('citations of a guide', () => {
  const before = [work, plan('a', 'b'), lookUp, pick('자막부엉', 'caption-owl'), lookUp, pick('자막부엉', 'caption-owl')];
  const invented = guide('“자막부엉은 모든 영상을 평생 무료로 번역한다”');

  it('are requested once more if no document has them', async () => {
    const session = await approved([...before, invented, guide('자막부엉을 쓰세요.'), remember()]);
    expect(session.output?.answer).toMatch(/^자막부엉을 쓰세요\./);
    expect(session.output?.answer).not.toContain('확인되지 않은');
  });

  it('are marked if they are wrong again', async () => {
    const session = await approved([...before, invented, invented, remember()]);
    expect(session.output?.answer).toContain(
      '※ 문서에서 확인되지 않은 부분: “자막부엉은 모든 영상을 평생 무료로 번역한다” (문서에 없는 말)',
    );
  });
});
