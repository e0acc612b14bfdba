import { emptyWindow, renderSummaries, slideWindow, type WindowMessage, type WindowState, windowTokens } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { assistant, conversation, idsOf, scriptedSummarizer, tool, user, windowOf } from './helpers.ts';

/** After the memory step of each of 30 turns: what each summary stands for, and which messages stay. */
const plain = [
  '1:  | ',
  '2:  | u1 a1',
  '3:  | u1 a1 u2 a2',
  '4:  | u1 a1 u2 a2 u3 a3',
  '5:  | u1 a1 u2 a2 u3 a3 u4 a4',
  '6: [u1-u3] | a3 u4 a4 u5 a5',
  '7: [u1-u3] | a3 u4 a4 u5 a5 u6 a6',
  '8: [u1-u3] | a3 u4 a4 u5 a5 u6 a6 u7 a7',
  '9: [u1-u3] [a3-u6] | a6 u7 a7 u8 a8',
  '10: [u1-u3] [a3-u6] | a6 u7 a7 u8 a8 u9 a9',
  '11: [u1-u3] [a3-u6] | a6 u7 a7 u8 a8 u9 a9 u10 a10',
  '12: [u1-u3] [a3-u6] [a6-u9] | a9 u10 a10 u11 a11',
  '13: [u1-u3] [a3-u6] [a6-u9] | a9 u10 a10 u11 a11 u12 a12',
  '14: [u1-u3] [a3-u6] [a6-u9] | a9 u10 a10 u11 a11 u12 a12 u13 a13',
  '15: [a3-u6] [a6-u9] [a9-u12] | a12 u13 a13 u14 a14',
  '16: [a3-u6] [a6-u9] [a9-u12] | a12 u13 a13 u14 a14 u15 a15',
  '17: [a3-u6] [a6-u9] [a9-u12] | a12 u13 a13 u14 a14 u15 a15 u16 a16',
  '18: [a6-u9] [a9-u12] [a12-u15] | a15 u16 a16 u17 a17',
  '19: [a6-u9] [a9-u12] [a12-u15] | a15 u16 a16 u17 a17 u18 a18',
  '20: [a6-u9] [a9-u12] [a12-u15] | a15 u16 a16 u17 a17 u18 a18 u19 a19',
  '21: [a9-u12] [a12-u15] [a15-u18] | a18 u19 a19 u20 a20',
  '22: [a9-u12] [a12-u15] [a15-u18] | a18 u19 a19 u20 a20 u21 a21',
  '23: [a9-u12] [a12-u15] [a15-u18] | a18 u19 a19 u20 a20 u21 a21 u22 a22',
  '24: [a12-u15] [a15-u18] [a18-u21] | a21 u22 a22 u23 a23',
  '25: [a12-u15] [a15-u18] [a18-u21] | a21 u22 a22 u23 a23 u24 a24',
  '26: [a12-u15] [a15-u18] [a18-u21] | a21 u22 a22 u23 a23 u24 a24 u25 a25',
  '27: [a15-u18] [a18-u21] [a21-u24] | a24 u25 a25 u26 a26',
  '28: [a15-u18] [a18-u21] [a21-u24] | a24 u25 a25 u26 a26 u27 a27',
  '29: [a15-u18] [a18-u21] [a21-u24] | a24 u25 a25 u26 a26 u27 a27 u28 a28',
  '30: [a18-u21] [a21-u24] [a24-u27] | a27 u28 a28 u29 a29',
];

/** Every third turn calls two tools at once. */
const withTools = [
  '1:  | ',
  '2:  | u1 a1',
  '3:  | u1 a1 u2 a2',
  '4:  | u1 a1 u2 a2 u3 c3 r3 s3 a3',
  '5: [u1-u3] | c3 r3 s3 a3 u4 a4',
  '6: [u1-u3] | c3 r3 s3 a3 u4 a4 u5 a5',
  '7: [u1-u3] [c3-a5] | u6 c6 r6 s6 a6',
  '8: [u1-u3] [c3-a5] | u6 c6 r6 s6 a6 u7 a7',
  '9: [u1-u3] [c3-a5] | u6 c6 r6 s6 a6 u7 a7 u8 a8',
  '10: [u1-u3] [c3-a5] [u6-a8] | u9 c9 r9 s9 a9',
  '11: [u1-u3] [c3-a5] [u6-a8] | u9 c9 r9 s9 a9 u10 a10',
  '12: [u1-u3] [c3-a5] [u6-a8] | u9 c9 r9 s9 a9 u10 a10 u11 a11',
  '13: [c3-a5] [u6-a8] [u9-a11] | u12 c12 r12 s12 a12',
  '14: [c3-a5] [u6-a8] [u9-a11] | u12 c12 r12 s12 a12 u13 a13',
  '15: [c3-a5] [u6-a8] [u9-a11] | u12 c12 r12 s12 a12 u13 a13 u14 a14',
  '16: [u6-a8] [u9-a11] [u12-a14] | u15 c15 r15 s15 a15',
  '17: [u6-a8] [u9-a11] [u12-a14] | u15 c15 r15 s15 a15 u16 a16',
  '18: [u6-a8] [u9-a11] [u12-a14] | u15 c15 r15 s15 a15 u16 a16 u17 a17',
  '19: [u9-a11] [u12-a14] [u15-a17] | u18 c18 r18 s18 a18',
  '20: [u9-a11] [u12-a14] [u15-a17] | u18 c18 r18 s18 a18 u19 a19',
  '21: [u9-a11] [u12-a14] [u15-a17] | u18 c18 r18 s18 a18 u19 a19 u20 a20',
  '22: [u12-a14] [u15-a17] [u18-a20] | u21 c21 r21 s21 a21',
  '23: [u12-a14] [u15-a17] [u18-a20] | u21 c21 r21 s21 a21 u22 a22',
  '24: [u12-a14] [u15-a17] [u18-a20] | u21 c21 r21 s21 a21 u22 a22 u23 a23',
  '25: [u15-a17] [u18-a20] [u21-a23] | u24 c24 r24 s24 a24',
  '26: [u15-a17] [u18-a20] [u21-a23] | u24 c24 r24 s24 a24 u25 a25',
  '27: [u15-a17] [u18-a20] [u21-a23] | u24 c24 r24 s24 a24 u25 a25 u26 a26',
  '28: [u18-a20] [u21-a23] [u24-a26] | u27 c27 r27 s27 a27',
  '29: [u18-a20] [u21-a23] [u24-a26] | u27 c27 r27 s27 a27 u28 a28',
  '30: [u18-a20] [u21-a23] [u24-a26] | u27 c27 r27 s27 a27 u28 a28 u29 a29',
];

const answer = (n: number): readonly WindowMessage[] => [user(`u${n}`, `질문 ${n}번입니다`), assistant(`a${n}`, `대답 ${n}번입니다`)];
const answerByTools = (n: number): readonly WindowMessage[] => [
  user(`u${n}`, `질문 ${n}번입니다`),
  assistant(`c${n}`, '', 'call_0', 'call_1'),
  tool(`r${n}`, 'call_0', '결과는 1입니다'),
  tool(`s${n}`, 'call_1', '결과는 2입니다'),
  assistant(`a${n}`, `대답 ${n}번입니다`),
];

async function visibleIn(turns: (n: number) => readonly WindowMessage[]): Promise<readonly string[]> {
  let state = emptyWindow;
  const rows: string[] = [];
  for (let n = 1; n <= 30; n++) {
    ({ state } = await slideWindow({ state, summarizer: { summarize: async () => '요약' } }));
    const summaries = state.summaries.map(({ messageIds }) => `[${messageIds[0]}-${messageIds.at(-1)}]`).join(' ');
    rows.push(`${n}: ${summaries} | ${idsOf(state.messages)}`);
    state = { ...state, messages: [...state.messages, ...turns(n)] };
  }
  return rows;
}

describe('slideWindow', () => {
  it('shows exactly these messages at each of 30 turns', async () => {
    expect(await visibleIn(answer)).toEqual(plain);
  });

  it('shows exactly these messages at each of 30 turns with tools', async () => {
    expect(await visibleIn((n) => (n % 3 === 0 ? answerByTools(n) : answer(n)))).toEqual(withTools);
  });

  it('requests no summary below the limit, and one at the limit', async () => {
    const summarizer = scriptedSummarizer('요약');
    const nine = windowOf(...conversation(9));
    expect(await slideWindow({ state: nine, summarizer })).toEqual({ kind: 'kept', state: nine });
    expect(summarizer.asked).toEqual([]);
    const step = await slideWindow({ state: windowOf(...conversation(10)), summarizer });
    expect(step).toMatchObject({ kind: 'summarized', summary: { text: '요약', by: 'summarizer' }, dropped: [] });
    expect(summarizer.asked).toEqual([conversation(5).map(({ message }) => message)]);
  });

  it('keeps the last three summaries, and returns the dropped one', async () => {
    const summarizer = scriptedSummarizer('요약1', '요약2', '요약3', '요약4');
    let state: WindowState = emptyWindow;
    const dropped: string[] = [];
    for (let i = 0; i < 25; i++) {
      const step = await slideWindow({
        state: { ...state, messages: [...state.messages, user(`m${i}`, `이것은 ${i}번째 글`)] },
        summarizer,
      });
      if (step.kind === 'summarized') dropped.push(...step.dropped.map(({ text }) => text));
      state = step.state;
    }
    expect(state.summaries.map(({ text }) => text)).toEqual(['요약2', '요약3', '요약4']);
    expect(dropped).toEqual(['요약1']);
    expect(state.messages).toHaveLength(5);
  });

  it('carries the facts of the user after their summary is dropped', async () => {
    const start = [user('m0', '내 이름은 철수야'), user('m1', '프로젝트 마감일은 3월 15일이고 예산은 1억원이야')];
    let state = windowOf(...start);
    for (let i = 0; i < 60; i++) {
      ({ state } = await slideWindow({ state, summarizer: { summarize: async () => '잡담' } }));
      state = { ...state, messages: [...state.messages, user(`n${i}`, '그렇구나')] };
    }
    expect(state.summaries.flatMap(({ messageIds }) => messageIds)).not.toContain('m0');
    expect(renderSummaries(state)).toBe(
      '[대화 기록 1]\n잡담\n\n[대화 기록 2]\n잡담\n\n[대화 기록 3]\n잡담\n사용자가 말한 내용:\n' +
        '- 내 이름은 철수야\n- 프로젝트 마감일은 3월 15일이고\n- 예산은 1억원이야',
    );
  });

  it('gives the summariser the carried facts and the maximum length', async () => {
    const state = { ...windowOf(...conversation(10)), facts: [{ key: 'name', text: '내 이름은 철수야', messageId: 'm' }] };
    const requests: unknown[] = [];
    const summarize = async (request: object): Promise<string> => {
      requests.push(request);
      return '요약';
    };
    await slideWindow({ state, summarizer: { summarize } });
    expect(requests).toMatchObject([{ facts: ['내 이름은 철수야'], maxChars: 5 * '질문 1번이 여기 있다'.length }]);
  });

  it.each([
    ['throws', new Error('no model')],
    ['returns nothing', ''],
    ['returns white space and control characters', ' \n\u0000\u0007\t '],
  ])('keeps the messages when the summariser %s, and retries with later ones', async (_what, wrong) => {
    const state = windowOf(...conversation(10));
    const failed = await slideWindow({ state, summarizer: scriptedSummarizer(wrong) });
    expect(failed.kind).toBe('failed');
    expect(failed.state).toBe(state);
    const later = windowOf(...conversation(12));
    const step = await slideWindow({ state: later, summarizer: scriptedSummarizer('요약') });
    expect(idsOf(step.state.messages)).toBe('u4 a4 u5 a5 u6 a6'.slice(3));
  });

  it('reports why there is no summary', async () => {
    const step = await slideWindow({ state: windowOf(...conversation(10)), summarizer: scriptedSummarizer(new Error('no model')) });
    expect(step).toMatchObject({ kind: 'failed', error: { message: 'no model' } });
  });

  it('requests no summary of blank messages', async () => {
    const summarizer = scriptedSummarizer();
    const step = await slideWindow({ state: windowOf(...Array.from({ length: 10 }, (_, i) => user(`m${i}`, ' \n'))), summarizer });
    expect(step).toMatchObject({ kind: 'summarized', summary: { text: '', messageIds: ['m0', 'm1', 'm2', 'm3', 'm4'] } });
    expect(summarizer.asked).toEqual([]);
    expect(renderSummaries(step.state)).toBe('');
  });

  it('rejects with the abort reason before and during the summary', async () => {
    const state = windowOf(...conversation(10));
    const reason = new Error('stop');
    await expect(slideWindow({ state, summarizer: scriptedSummarizer('요약'), signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const summarize = async (): Promise<string> => {
      stop.abort(reason);
      throw new Error('cut off');
    };
    await expect(slideWindow({ state, summarizer: { summarize }, signal: stop.signal })).rejects.toBe(reason);
  });

  it('counts the tokens sent, and those of the full history', async () => {
    const state = windowOf(...conversation(10));
    const before = windowTokens(state);
    expect(before.sent).toBe(before.full);
    const step = await slideWindow({ state, summarizer: scriptedSummarizer('요약') });
    const after = windowTokens(step.state);
    expect(after.full).toBe(before.full);
    expect(after.sent).toBeLessThan(before.sent);
  });

  it('returns a state that JSON restores', async () => {
    const { state } = await slideWindow({
      state: windowOf(user('m', '내 이름은 철수야'), ...conversation(10)),
      summarizer: scriptedSummarizer('요약'),
    });
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});
