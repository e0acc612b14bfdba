// The gate: nothing but an explicit APPROVE of the plan that is shown opens it, and every other answer leaves the run where it was.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, type HumanEvent, memoryStore, type Run, WorkflowError } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { scriptedModel } from 'agent-machines/models';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { approved, begin, interruptOf, knowledge, newMemory, plan, planReply, refusal, rest, work } from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'guide-review-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const first = ['대본 쓰기', '자막 넣기'] as const;
const twice = [...rest.slice(0, 2), ...rest] as const;
const shown = (session: { interrupt(): { readonly question?: unknown } }) => session.interrupt().question;

describe('the question', () => {
  it('shows revision, plan and possible answers', async () => {
    const session = await begin([work, plan(...first)]);
    expect(session.interrupt()).toMatchObject({
      key: 'human_review#1',
      accepts: ['APPROVE', 'REVISE', 'EDIT', 'CANCEL'],
      question: { revision: 1, sub_tasks: first, notice: null },
    });
    expect(await session.modelCalls()).toBe(2);
  });

  it('has 2 to 5 distinct sub-tasks, or the run stops', async () => {
    for (const tasks of [['하나'], ['a', 'b', 'c', 'd', 'e', 'f'], [], ['', 'b']]) {
      const session = await begin([work, plan(...tasks), plan(...tasks)]); // it is asked once more
      expect(session.end()).toMatchObject({ finalState: 'stopped', output: { error: { code: 'MODEL_OUTPUT_INVALID' } } });
    }
    for (const tasks of [
      ['자막', ' 자막 '],
      ['Make  it', 'make it'],
      ['   ', 'b'],
      ['\u200b', 'b'],
      ['가', '가'.normalize('NFD')],
    ]) {
      const session = await begin([work, plan(...tasks)]);
      expect(session.end()).toMatchObject({ finalState: 'stopped', output: { error: { code: 'MODEL_OUTPUT_INVALID' } } });
    }
    for (const size of [2, 5]) {
      const tasks = ['1 a', '2 b', '3 c', '4 d', '5 e'].slice(0, size);
      expect(shown(await begin([work, plan(...tasks)]))).toMatchObject({ sub_tasks: tasks });
    }
  });
});

describe('APPROVE', () => {
  it('runs the shown plan to its end', async () => {
    const session = await approved([work, plan(...first), ...twice]);
    expect(session.finalState).toBe('done');
    expect(session.output.toolRecommendations.map(({ sub_task, status }) => [sub_task, status])).toEqual([
      ['대본 쓰기', 'recommended'],
      ['자막 넣기', 'recommended'],
    ]);
  });

  it('returns the first outcome when it is sent again, and rejects another answer with the name of the first one', async () => {
    const session = await begin([work, plan(...first), ...twice]);
    const { id } = session.interrupt();
    const end = await session.send({ type: 'APPROVE' });
    const journal = await session.runtime.history(session.runId);
    expect(await session.send({ type: 'APPROVE' }, id)).toEqual(end);
    const others: readonly HumanEvent[] = [
      { type: 'CANCEL' },
      { type: 'REVISE', feedback: '더 짧게' },
      { type: 'EDIT', sub_tasks: ['하나'] },
    ];
    for (const event of others) {
      const error = session.runtime.send(session.runId, event, { interruptId: id });
      await expect(error).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED', data: { winner: 'APPROVE' } });
    }
    expect(await session.runtime.history(session.runId)).toEqual(journal);
    session.end();
  });

  const settle = async (sent: readonly Promise<Run<unknown>>[]) => {
    const all = await Promise.allSettled(sent);
    return {
      runs: all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
      codes: all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as WorkflowError).code] : [])),
    };
  };

  it('runs the plan once when it is sent twice at the same time', async () => {
    const session = await begin([work, plan(...first), ...twice]);
    const { id } = session.interrupt();
    const { runtime, runId } = session;
    const { runs, codes } = await settle([1, 2].map(() => runtime.send(runId, { type: 'APPROVE' }, { interruptId: id })));
    expect(runs.length).toBeGreaterThanOrEqual(1);
    expect(codes.filter((code) => code !== 'INTERRUPT_ANSWERED')).toEqual([]);
    for (const run of runs) expect(await run.result).toMatchObject({ status: 'done', finalState: 'done' });
    session.model.assertConsumed(); // each reply once
    expect((await runtime.history(runId)).filter(({ kind }) => kind === 'event')).toHaveLength(1);
  });

  it.each([
    ['APPROVE', { type: 'APPROVE' }],
    ['CANCEL', { type: 'CANCEL' }],
  ])('and a simultaneous %s from another process on the same file: exactly one wins', async (name, other) => {
    const path = join(folder, `${name}.db`);
    const store = sqliteStore({ path });
    const session = await begin([work, plan(...first)], { store });
    const { id } = session.interrupt();
    const models = [1, 2].map(() => scriptedModel([...twice]));
    const stores = models.map(() => sqliteStore({ path }));
    const runtimes = models.map((model, index) =>
      createRuntime({ store: stores[index] ?? store, workflows: [guideAgent({ knowledge, model })] }),
    );
    const sent = [{ type: 'APPROVE' }, other].map((event, index) => runtimes[index]?.send(session.runId, event, { interruptId: id }));
    const { runs, codes } = await settle(sent.flatMap((one) => one ?? []));
    expect(runs.length).toBeGreaterThanOrEqual(1);
    expect(codes.every((code) => ['INTERRUPT_ANSWERED', 'RUN_BUSY', 'RUN_FENCED'].includes(code))).toBe(true);
    const ends = await Promise.all(runs.map(({ result }) => result));
    const journal = await store.journal(session.runId);
    const winners = journal.flatMap(({ kind, outcome }) => (kind === 'event' ? [(outcome as { event: { type: string } }).event.type] : []));
    expect(winners).toHaveLength(1);
    expect(ends.some((end) => end.status === 'done' && end.finalState === (winners[0] === 'APPROVE' ? 'done' : 'cancelled'))).toBe(true);
    const asked = models.reduce((sum, { requests }) => sum + requests.length, 0);
    expect(asked).toBe(winners[0] === 'APPROVE' ? twice.length : 0);
    for (const each of [store, ...stores]) await each.close?.();
  });
});

describe('an invalid answer', () => {
  it.each<readonly [what: string, event: unknown, code: string]>([
    ['unknown event', { type: 'OK' }, 'EVENT_NOT_ACCEPTED'],
    ['another case', { type: 'approve' }, 'EVENT_NOT_ACCEPTED'],
    ['a name of Object', { type: 'constructor' }, 'EVENT_NOT_ACCEPTED'],
    ["an engine's own event", { type: 'xstate.init' }, 'EVENT_NOT_ACCEPTED'],
    ['a bare word', 'APPROVE', 'EVENT_INVALID'],
    ['a list', ['APPROVE'], 'EVENT_INVALID'],
    ['nothing', null, 'EVENT_INVALID'],
    ['no type', { approved: true }, 'EVENT_INVALID'],
    ['a type that is not a string', { type: ['APPROVE'] }, 'EVENT_INVALID'],
    ['APPROVE with another field', { type: 'APPROVE', revision: 1 }, 'EVENT_INVALID'],
    ['REVISE without feedback', { type: 'REVISE' }, 'EVENT_INVALID'],
    ['empty feedback', { type: 'REVISE', feedback: '' }, 'EVENT_INVALID'],
    ['blank feedback', { type: 'REVISE', feedback: ' \n\u00a0' }, 'EVENT_INVALID'],
    ['invisible feedback', { type: 'REVISE', feedback: '\u200b\u2060' }, 'EVENT_INVALID'],
    ['feedback that is not a string', { type: 'REVISE', feedback: { text: 'x' } }, 'EVENT_INVALID'],
    ['feedback of 2,001 characters', { type: 'REVISE', feedback: 'x'.repeat(2_001) }, 'EVENT_INVALID'],
    ['REVISE with another field', { type: 'REVISE', feedback: '더 짧게', approved: true }, 'EVENT_INVALID'],
    ['EDIT without sub-tasks', { type: 'EDIT' }, 'EVENT_INVALID'],
    ['EDIT to nothing', { type: 'EDIT', sub_tasks: [] }, 'EVENT_INVALID'],
    ['EDIT to six sub-tasks', { type: 'EDIT', sub_tasks: ['1', '2', '3', '4', '5', '6'] }, 'EVENT_INVALID'],
    ['EDIT with a blank sub-task', { type: 'EDIT', sub_tasks: ['대본', ' '] }, 'EVENT_INVALID'],
    ['EDIT with an invisible sub-task', { type: 'EDIT', sub_tasks: ['대본', '\u2063'] }, 'EVENT_INVALID'],
    ['EDIT with two equal sub-tasks', { type: 'EDIT', sub_tasks: ['대본', '대본 '] }, 'EVENT_INVALID'],
    ['EDIT with a number', { type: 'EDIT', sub_tasks: [1] }, 'EVENT_INVALID'],
    ['EDIT with another field', { type: 'EDIT', sub_tasks: ['대본'], approved: true }, 'EVENT_INVALID'],
    ['CANCEL with another field', { type: 'CANCEL', reason: 'x' }, 'EVENT_INVALID'],
  ])('is rejected without any effect: %s', async (_what, event, code) => {
    const session = await begin([work, plan(...first)]);
    const before = [session.interrupt(), await session.runtime.history(session.runId)] as const;
    const { id } = session.interrupt();
    expect((await refusal(session.runtime.send(session.runId, event as { type: string }, { interruptId: id }))).code).toBe(code);
    const after = await (await session.runtime.resume(session.runId)).result;
    expect([interruptOf(after), await session.runtime.history(session.runId)]).toEqual(before);
    session.model.assertConsumed();
  });

  it.each(['', 'i_0000000000000000', '__proto__'])('is rejected with the id %j, which belongs to no question', async (id) => {
    const session = await begin([work, plan(...first)]);
    const { code } = await refusal(session.runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: id }));
    expect(code).toBe('INTERRUPT_UNKNOWN');
    expect(session.result().status).toBe('waiting');
  });
});

describe('REVISE', () => {
  it('plans again with the plan and the feedback, and waits for approval', async () => {
    const session = await begin([work, plan(...first), plan('대본', '더빙', '자막'), ...twice.slice(0, 2), ...twice]);
    const old = session.interrupt();
    await session.send({ type: 'REVISE', feedback: '  더빙을 넣어줘 ' });
    expect(shown(session)).toEqual({ revision: 2, sub_tasks: ['대본', '더빙', '자막'], notice: null });
    expect(session.interrupt().id).not.toBe(old.id);
    const prompt = session.model.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(prompt).toContain('1. 대본 쓰기\n2. 자막 넣기');
    expect(prompt).toContain('더빙을 넣어줘');
    // an approval of the older plan is none of this one
    const stale = session.runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: old.id });
    await expect(stale).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED', data: { winner: 'REVISE' } });
    expect(await session.toolsCalled()).toEqual([]);
    await session.send({ type: 'APPROVE' });
    expect(session.end().output.subTasks).toEqual(['대본', '더빙', '자막']);
  });

  it.each([
    ['throws', [planReply(new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.' }))], '언어 모델에 연결할 수 없습니다.'],
    ['says nothing', [planReply('')], '언어 모델의 답이 끊겼습니다.'],
    ['cannot be read', [planReply('승인합니다'), planReply('{"sub_tasks": ["a", "b"]} 좋아요')], '언어 모델의 답을 쓸 수 없습니다.'],
    ['is empty', [plan(), plan()], '언어 모델의 답을 쓸 수 없습니다.'],
    ['says the same twice', [plan('대본', '대본')], '언어 모델의 답을 쓸 수 없습니다.'],
  ])('shows the old plan again with a notice and a new id if the planner %s', async (_what, replies, notice) => {
    const session = await begin([work, plan(...first), ...replies]);
    const { id } = session.interrupt();
    await session.send({ type: 'REVISE', feedback: '바꿔줘' });
    expect(shown(session)).toEqual({ revision: 1, sub_tasks: first, notice: expect.stringContaining(notice) });
    expect(session.interrupt().id).not.toBe(id);
    expect((await refusal(session.runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: id }))).code).toBe('INTERRUPT_ANSWERED');
    session.model.assertConsumed();
  });

  it('allows approval of the old plan without the notice after a failed revision', async () => {
    const failing = planReply(new WorkflowError({ code: 'MODEL_UNAVAILABLE', message: 'It is down.' }));
    const session = await begin([work, plan(...first), failing, ...twice]);
    await session.send({ type: 'REVISE', feedback: '바꿔줘' });
    await session.send({ type: 'APPROVE' });
    expect(session.end()).toMatchObject({ finalState: 'done', output: { error: null, subTasks: first } });
  });
});

describe('EDIT', () => {
  it('calls no model, and waits for approval of the edited plan', async () => {
    const session = await begin([work, plan(...first), ...rest]);
    const { id } = session.interrupt();
    await session.send({ type: 'EDIT', sub_tasks: [' 자막만 '] });
    expect(shown(session)).toEqual({ revision: 2, sub_tasks: ['자막만'], notice: null });
    expect(session.interrupt().id).not.toBe(id);
    expect(await session.modelCalls()).toBe(2);
    expect((await refusal(session.runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: id }))).code).toBe('INTERRUPT_ANSWERED');
    await session.send({ type: 'APPROVE' });
    expect(session.end().output.subTasks).toEqual(['자막만']);
  });

  it('waits again even if the plan is unchanged', async () => {
    const session = await begin([work, plan(...first)]);
    const { id } = session.interrupt();
    await session.send({ type: 'EDIT', sub_tasks: [...first] });
    expect(session.interrupt().id).not.toBe(id);
    expect(shown(session)).toMatchObject({ revision: 2, sub_tasks: first });
  });

  it.each([1, 5])('accepts %i sub-tasks', async (size) => {
    const session = await begin([work, plan(...first)]);
    const sub_tasks = ['a', 'b', 'c', 'd', 'e'].slice(0, size);
    await session.send({ type: 'EDIT', sub_tasks });
    expect(shown(session)).toMatchObject({ sub_tasks });
  });
});

describe('CANCEL', () => {
  it('ends in cancelled, calls no model and no tool, and remembers nothing', async () => {
    const memory = newMemory();
    const session = await begin([work, plan(...first), plan('a', 'b')], { memory });
    await session.send({ type: 'REVISE', feedback: '무료만 써줘' });
    await session.send({ type: 'CANCEL' });
    expect(session.end()).toMatchObject({
      finalState: 'cancelled',
      output: { answer: '취소했습니다. 아무것도 실행하지 않았습니다.', toolRecommendations: [], memories: [] },
    });
    expect(await session.modelCalls()).toBe(3);
    expect(await session.toolsCalled()).toEqual([]);
    expect(await memory.list('kim')).toEqual([]);
  });

  it('answers in the language of the request', async () => {
    const session = await begin([work, plan('a', 'b')], { input: 'Make a video' });
    await session.send({ type: 'CANCEL' });
    expect(session.end().output.answer).toBe('Cancelled. Nothing was executed.');
  });
});

describe('a restart during a wait', () => {
  it('shows the same question with the same id, repeats nothing, and continues from there', async () => {
    const path = join(folder, 'restart.db');
    const before = sqliteStore({ path });
    const session = await begin([work, plan(...first), plan('대본', '자막')], { store: before });
    await session.send({ type: 'REVISE', feedback: '짧게' });
    const interrupt = session.interrupt();
    await before.close?.();

    const store = sqliteStore({ path });
    const model = scriptedModel([...twice]);
    const runtime = createRuntime({ store, workflows: [guideAgent({ knowledge, model })] });
    expect(interruptOf(await (await runtime.resume(session.runId)).result)).toEqual(interrupt);
    expect(model.requests).toEqual([]);
    const end = await (await runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', finalState: 'done', output: { subTasks: ['대본', '자막'] } });
    model.assertConsumed();
    await store.close?.();
  });

  it('has another id for another request with the same plan', async () => {
    const store = memoryStore();
    const [one, other] = [await begin([work, plan(...first)], { store }), await begin([work, plan(...first)], { store })];
    expect(one.interrupt().id).not.toBe(other.interrupt().id);
    const { code } = await refusal(one.runtime.send(one.runId, { type: 'APPROVE' }, { interruptId: other.interrupt().id }));
    expect(code).toBe('INTERRUPT_UNKNOWN');
  });
});
