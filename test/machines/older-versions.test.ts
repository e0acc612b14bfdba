import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type AnyWorkflow, createRuntime, type Json } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { describe, expect, it } from 'vitest';
import { answerOf, questionOf } from '../../src/cli/question-and-answer.ts';
import { sqliteFiles } from '../fixtures/sqlite-files.ts';
import { knowledge } from './guide-agent/helpers.ts';

const files = sqliteFiles('older-versions-');
const contract = parseContract({
  name: 'lease',
  text: `임대차 계약서

제1조(목적) 이 계약은 사무실의 임대차를 정한다.

제2조(차임) 임차인은 매월 25일에 차임 100만원을 지급한다.

제3조(해지) 임대인은 2개월 연체 시 계약을 해지할 수 있다.
`,
});
const newest = [planExecute(), contractAgent({ contracts: [{ contract }] }), chatAgent(), guideAgent({ knowledge })] as const;
const [, contracts, chat, guide] = newest;

/** A database with runs of version 1 of the four workflows. The run `guide` waits for a human. */
function opened() {
  const path = files.newPath();
  writeFileSync(path, gunzipSync(readFileSync(new URL('../fixtures/runs-of-machines-1.db.gz', import.meta.url))));
  const store = files.openStore(path);
  return { store, runtime: createRuntime({ store, workflows: [...newest] as readonly AnyWorkflow[] }) };
}

describe('runs of version 1 of the workflows', () => {
  it.each([
    ['plan', '123 * 456 계산해줘', '123 * 456 = 56088'],
    ['contract', '제2조 내용이 뭐야?', '제2조(차임)\n> 임차인은 매월 25일에 차임 100만원을 지급한다.'],
    ['chat', '내 이름은 철수야', '네, 기억하겠습니다: “내 이름은 철수야”'],
    ['guide-question', '자막부엉은 얼마야?', '자막부엉: 자막 넣기. 자막 넣기를 돕는다. 가격: 10 USD/month.'],
  ])('show their question and their answer: %s', async (runId, question, answer) => {
    const { runtime } = opened();
    const { input, result } = await runtime.get(runId);
    expect(questionOf(input as Json)).toBe(question);
    expect(result).toMatchObject({ status: 'done' });
    expect(answerOf((result as { readonly output: Json }).output)).toBe(answer);
  });

  it('are remembered by the next turn of the thread', async () => {
    const { runtime } = opened();
    const name = await runtime.start(chat, { input: '내 이름이 뭐라고 했지?' }, { threadId: 't-chat' }).result;
    expect(name).toMatchObject({ output: { answer: expect.stringContaining('철수') } });
    const article = await runtime.start(contracts, { input: '그 조항 다시 보여줘' }, { threadId: 't-contract' }).result;
    expect(article).toMatchObject({ output: { answer: expect.stringContaining('제2조(차임)') } });
  });

  it('are not resumed where they wait, and name the required version', async () => {
    const { runtime, store } = opened();
    const before = await store.journal('guide');
    await expect(runtime.resume('guide')).rejects.toMatchObject({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      data: { workflow: guide.id, version: '1', currentVersion: '2' },
    });
    expect(await runtime.list({ threadId: 't-guide' })).toMatchObject([{ id: 'guide', missing: 'version' }]);
    expect(await store.journal('guide')).toEqual(before);
  });
});
