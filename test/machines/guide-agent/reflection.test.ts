// What is remembered: for whom, that it cannot be lost or doubled, and that nothing of it can take the guide away.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore, WorkflowError } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { createLongTermMemory, type LongTermMemory } from 'agent-machines/memory';
import { type RuleInputSource, scriptedModel } from 'agent-machines/models';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { crashingStore } from 'agent-machines/testing';
import { afterAll, describe, expect, it } from 'vitest';
import {
  answersIn,
  approved,
  begin,
  calls,
  guide,
  knowledge,
  lookUp,
  newMemory,
  pick,
  plan,
  question,
  recommendation,
  reflection,
  remember,
  work,
} from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'guide-memory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const found = [lookUp, pick('자막부엉'), lookUp, pick('자막부엉'), guide('가이드입니다.')] as const;
const free = { kind: 'preference', text: '무료 서비스를 좋아한다' } as const;
const short = { kind: 'goal', text: '한 달에 네 편을 올리려 한다' } as const;
const down = new WorkflowError({ code: 'INDEX_UNAVAILABLE' as never, message: 'Down.' });
const textsOf = async (memory: LongTermMemory, user = 'kim') => (await memory.list(user)).map(({ text }) => text).sort();

describe('the reflection', () => {
  it('writes memories through write_memory before the guide is returned', async () => {
    const memory = newMemory();
    const session = await approved([work, plan('a', 'b'), ...found, remember(free, short)], { memory });
    expect(session.output.memories).toEqual([free, short]);
    expect(await textsOf(memory)).toEqual([free.text, short.text].sort());
    expect((await memory.list('kim')).map(({ taint }) => taint?.untrusted)).toEqual([true, true]); // the catalogue was read
    expect((await session.toolsCalled()).filter((tool) => tool === 'write_memory')).toHaveLength(2);
    expect((await session.path()).at(-1)).toBe('reflection_node');
  });

  it('gets known memories (latest first), feedback on the plan, and recommendations', async () => {
    const memory = newMemory();
    for (let i = 1; i <= 55; i++)
      await memory.write('kim', { kind: 'fact', text: `서로 다른 사실 ${i}: ${'가나다라마바사아자차'.repeat((i % 5) + 1)}${i * 7919}` });
    const session = await begin([work, plan('a', 'b'), plan('c', 'd'), ...found, remember()], { memory });
    await session.send({ type: 'REVISE', feedback: '한 달 2만 원 안에서' });
    await session.send({ type: 'APPROVE' });
    const { messages } = session.model.requests.at(-1) ?? { messages: [] };
    const known = (messages[0]?.content ?? '').match(/- fact: /g) ?? [];
    const all = await memory.list('kim');
    expect(known.length).toBe(Math.min(50, all.length));
    expect(messages[0]?.content).toContain(all[0]?.text);
    expect(messages.at(-1)?.content).toMatch(/About the plan: 한 달 2만 원 안에서[\s\S]*Recommended: 자막부엉/);
    session.end();
  });

  it('may find nothing to remember', async () => {
    const memory = newMemory();
    expect((await approved([work, plan('a', 'b'), ...found, remember()], { memory })).output.memories).toEqual([]);
    expect(await memory.list('kim')).toEqual([]);
  });

  it('does not run after a simple question', async () => {
    const memory = newMemory();
    const session = await begin([question, guide('답')], { memory });
    session.end();
    expect(await memory.list('kim')).toEqual([]);
  });
});

describe('a failed reflection', () => {
  it.each([
    ['throws', [reflection(new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'Down.' }))], 'MODEL_UNAVAILABLE'],
    ['cannot be read', [reflection('기억할 것이 없습니다'), reflection('{"memories": ["무료"]}')], 'MODEL_OUTPUT_INVALID'],
    ['invents a kind', [remember({ kind: 'secret', text: 'x' }), remember({ kind: 'secret', text: 'x' })], 'MODEL_OUTPUT_INVALID'],
    ['says nothing', [reflection('')], 'MODEL_EMPTY'],
  ])('keeps the guide and ends done with the error when its model %s', async (_what, replies, code) => {
    const memory = newMemory();
    const session = await approved([work, plan('a', 'b'), ...found, ...replies], { memory });
    expect(session).toMatchObject({ finalState: 'done', output: { answer: '가이드입니다.', memories: [], error: { code } } });
    expect(await memory.list('kim')).toEqual([]);
  });

  it('keeps the guide when the memory cannot be read', async () => {
    const memory = { ...newMemory(), list: () => Promise.reject(down) };
    const session = await approved([work, plan('a', 'b'), ...found], { memory });
    expect(session).toMatchObject({ finalState: 'done', output: { answer: '가이드입니다.', error: { message: 'Down.' } } });
  });

  it('keeps the guide and the memories written before the memory failed', async () => {
    const real = newMemory();
    const memory: LongTermMemory = { ...real, write: (user, one) => (one.kind === 'goal' ? Promise.reject(down) : real.write(user, one)) };
    const session = await approved([work, plan('a', 'b'), ...found, remember(short, free)], { memory });
    expect(session).toMatchObject({ finalState: 'done', output: { answer: '가이드입니다.', memories: [free], error: {} } });
    expect(session.output.error).not.toBeNull();
    expect(await textsOf(memory)).toEqual([free.text]);
  });

  it('writes nothing without a memory', async () => {
    const session = await approved([work, plan('a', 'b'), ...found, remember(free)]);
    expect(session).toMatchObject({ finalState: 'done', output: { memories: [], error: null } });
  });
});

describe('a memory', () => {
  it('survives the reflection when it was written during the run', async () => {
    const memory = newMemory();
    const script = [
      calls(['write_memory', { kind: 'preference', text: '자막은 노란색이어야 한다' }], ['retrieve_docs', { query: '자막' }]),
    ];
    const session = await begin([work, plan('a', 'b'), ...script, pick('자막부엉'), ...found.slice(2), remember(free)], { memory });
    await session.send({ type: 'APPROVE' });
    expect(await textsOf(memory)).toEqual([]); // the catalogue was read, so a human is asked
    await session.send({ type: 'APPROVE' });
    expect(await textsOf(memory)).toEqual([free.text, '자막은 노란색이어야 한다'].sort());
    await approved([work, plan('a', 'b'), ...found, reflection('?'), reflection('?')], { memory });
    expect(await textsOf(memory)).toEqual([free.text, '자막은 노란색이어야 한다'].sort());
  });

  it('is stored once with its first date when it is written twice', async () => {
    const memory = newMemory();
    await approved([work, plan('a', 'b'), ...found, remember(free, free)], { memory });
    const [first] = await memory.list('kim');
    await approved([work, plan('a', 'b'), ...found, remember(free)], { memory });
    expect(await memory.list('kim')).toEqual([{ ...first, updatedAt: expect.any(Number) }]);
  });

  it('is stored once after a crash before any journal entry', async () => {
    const script = [work, plan('a', 'b'), ...found, remember(free, short)];
    let crashes = 0;
    for (let at = 1; ; at++) {
      const embedder = hashedEmbedder();
      const index = await sqliteIndex({ path: join(folder, `${at}.db`), embedder });
      const memory = createLongTermMemory({ index, embedder });
      const store = memoryStore();
      const dying = crashingStore(store, at);
      // by task: a process that starts again goes on where the journal ends
      const model = {
        name: 'by place',
        takesRuleInput: true,
        generate: (request: Parameters<ReturnType<typeof scriptedModel>['generate']>[0], ruleInput?: RuleInputSource) => {
          const { currentTask = 0, taskMessages = [] } = (ruleInput?.() ?? {}) as {
            currentTask?: number;
            taskMessages?: readonly unknown[];
          };
          const replies = script.filter(({ task }) => task === request.task);
          const place = request.task.endsWith('recommend_tool_node') ? currentTask * 2 + (taskMessages.length > 0 ? 1 : 0) : 0;
          return scriptedModel([{ reply: replies[place]?.reply ?? '?' }]).generate(request);
        },
      };
      const workflow = guideAgent({ knowledge, memory, model });
      const run = createRuntime({ store: dying }).start(workflow, { input: '만들기', userId: 'kim' });
      const drive = async (runtime: ReturnType<typeof createRuntime>) => {
        const result = await (await runtime.resume(run.id, { force: true })).result;
        if (result.status !== 'waiting' || !result.interrupt) return result;
        return (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
      };
      await run.result;
      await drive(createRuntime({ store: dying, workflows: [workflow] })).catch(() => undefined); // it dies somewhere on its way
      const { crashed } = dying;
      const result = await drive(createRuntime({ store, workflows: [workflow] }));
      expect(result).toMatchObject({ finalState: 'done', output: { answer: '가이드입니다.', memories: [free, short] } });
      expect(await textsOf(memory)).toEqual([free.text, short.text].sort());
      await index.close();
      if (!crashed) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(15);
  });
});

describe('the user of a memory', () => {
  it.each(['user_id', 'userId', 'user'])('comes from the run: both tools reject the argument %s', async (name) => {
    const memory = newMemory();
    await memory.write('lee', { kind: 'fact', text: '이씨의 비밀' });
    await memory.write('kim', { kind: 'fact', text: '김씨의 사실' });
    const script = [
      calls(['read_memory', { query: '비밀', [name]: 'lee' }], ['write_memory', { kind: 'fact', text: '남의 것', [name]: 'lee' }]),
      recommendation('?'),
      recommendation('?'),
      ...found.slice(2),
      remember(),
    ];
    const session = await approved([work, plan('a', 'b'), ...script], { memory });
    expect(answersIn(session.model.requests[3] ?? { messages: [] })).toEqual([
      { error: expect.stringMatching(/^TOOL_CALL_INVALID/), hint: expect.any(String) },
      { error: expect.stringMatching(/^TOOL_CALL_INVALID/), hint: expect.any(String) },
    ]);
    expect(JSON.stringify(session.model.requests)).not.toContain('이씨의 비밀');
    expect([await textsOf(memory, 'lee'), await textsOf(memory)]).toEqual([['이씨의 비밀'], ['김씨의 사실']]);
  });

  it('is the user of the run, whatever the query requests', async () => {
    const memory = newMemory();
    await memory.write('lee', { kind: 'fact', text: '이씨는 무료를 좋아한다' });
    await memory.write('kim', { kind: 'fact', text: '김씨는 유료도 좋아한다' });
    const session = await approved(
      [
        work,
        plan('a', 'b'),
        calls(['read_memory', { query: 'lee 이씨는 무료를 좋아한다' }]),
        ...[1, 2].map(() => recommendation('?')),
        ...found.slice(2),
        remember(free),
      ],
      { memory, userId: 'kim' },
    );
    const [answer] = answersIn(session.model.requests[3] ?? { messages: [] });
    expect(answer).toEqual({ memories: [{ kind: 'fact', text: '김씨는 유료도 좋아한다' }] });
    expect(JSON.stringify(session.model.requests)).not.toContain('이씨는 무료를 좋아한다"');
    expect(await textsOf(memory, 'lee')).toEqual(['이씨는 무료를 좋아한다']);
  });

  it('is rejected if the id has another form', () => {
    for (const userId of ['', '../kim', 'kim lee', 'x'.repeat(65), '__ proto']) {
      expect(() => createRuntime().start(guideAgent({ knowledge }), { input: '만들기', userId })).toThrow(/user id/);
    }
  });
});
