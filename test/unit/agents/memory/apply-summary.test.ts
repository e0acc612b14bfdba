import { applySummary, planWindow, type SummarizePlan, type WindowState } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { assistant, conversation, tool, user, windowOf } from './helpers.ts';

function planned(state: WindowState, settings = {}): { state: WindowState; plan: SummarizePlan } {
  const plan = planWindow(state, settings);
  if (plan.kind === 'keep') throw new Error('There is nothing to summarise.');
  return { state, plan };
}

describe('applySummary', () => {
  it('keeps a summary as long as the messages, and replaces a longer one with an extract', () => {
    const messages = [user('m1', '예산은 1억원이야. 그건 그렇고 날씨가 참 좋네.'), user('m2', '응'), user('m3', '끝')];
    const state = windowOf(...messages);
    const settings = { maxMessages: 3, keepRecent: 1 };
    const longest = '예산은 1억원이야. 그건 그렇고 날씨가 참 좋네.'.length + '응'.length;
    const fits = applySummary({ ...planned(state, settings), text: '가'.repeat(longest), settings });
    expect(fits.summary).toEqual({ text: '가'.repeat(longest), messageIds: ['m1', 'm2'], by: 'summarizer' });
    const { summary } = applySummary({ ...planned(state, settings), text: '가'.repeat(longest + 1), settings });
    expect(summary).toEqual({ text: '사용자: 예산은 1억원이야.\n사용자: 응', messageIds: ['m1', 'm2'], by: 'extract' });
  });

  it('extracts at most 600 characters from long messages', () => {
    const long = Array.from({ length: 10 }, (_, i) =>
      user(`m${i}`, Array.from({ length: 20 }, (_, j) => `이것은 ${i}의 ${j}번째로 긴 문장이다.`).join(' ')),
    );
    const { summary } = applySummary({ ...planned(windowOf(...long)), text: '가'.repeat(20_000) });
    expect(summary.by).toBe('extract');
    expect(summary.text.length).toBeLessThanOrEqual(600);
    expect(summary.text.length).toBeGreaterThan(400);
  });

  it('counts the text of tool calls', () => {
    const state = windowOf(assistant('c', '', 'x'), tool('r', 'x', '2'), user('m', '끝'));
    const settings = { maxMessages: 3, keepRecent: 1 };
    const { summary } = applySummary({ ...planned(state, settings), text: '계산기는 1+1을 2라고 했다', settings });
    expect(summary.by).toBe('summarizer');
  });

  it('removes control characters and half characters', () => {
    const { summary } = applySummary({ ...planned(windowOf(...conversation(10))), text: ' 가\u0000나\u001b[31m\r\n다\ud800\u202e\t라 \n' });
    expect(summary.text).toBe('가나[31m\n다\ufffd\t라');
  });

  it('replaces an earlier statement of a fact, and orders facts by their latest statement', () => {
    const facts = [
      { key: 'of:예산', text: '예산은 1억원이야', messageId: 'x' },
      { key: 'name', text: '내 이름은 철수야', messageId: 'y' },
    ];
    const state = { ...windowOf(user('m1', '예산은 2억원이야'), user('m2', '그래'), user('m3', '응')), facts };
    const settings = { maxMessages: 3, keepRecent: 1 };
    expect(applySummary({ ...planned(state, settings), text: '요약', settings }).state.facts).toEqual([
      { key: 'name', text: '내 이름은 철수야', messageId: 'y' },
      { key: 'of:예산', text: '예산은 2억원이야', messageId: 'm1' },
    ]);
  });

  it('evicts the oldest facts above a kilobyte', () => {
    const settings = { maxMessages: 101, keepRecent: 1 };
    const many = Array.from({ length: 101 }, (_, i) => user(`m${i}`, `제${i}호 계약의 예산은 ${i}억원이야`));
    const { facts } = applySummary({ ...planned(windowOf(...many), settings), text: '요약', settings }).state;
    const bytes = new TextEncoder().encode(facts.map(({ text }) => `${text}\n`).join('')).length;
    const next = new TextEncoder().encode('제00호 계약의 예산은 00억원이야\n').length;
    expect(bytes).toBeLessThanOrEqual(1024);
    expect(bytes + next).toBeGreaterThan(1024);
    expect(facts.at(-1)?.messageId).toBe('m99');
    expect(facts.map(({ messageId }) => messageId)).toEqual(many.slice(100 - facts.length, 100).map(({ id }) => id));
  });

  it('refuses a plan of another state, and a plan that is already applied', () => {
    const first = planned(windowOf(...conversation(10)));
    const { state } = applySummary({ ...first, text: '요약' });
    const code = 'OPTION_INVALID';
    expect(() => applySummary({ state, plan: first.plan, text: '요약' })).toThrow(expect.objectContaining({ code }));
    expect(() => applySummary({ state: windowOf(), plan: first.plan, text: '요약' })).toThrow(expect.objectContaining({ code }));
  });

  it('applies a plan to a window that has grown since', () => {
    const { plan } = planned(windowOf(...conversation(10)));
    const { state } = applySummary({ state: windowOf(...conversation(12)), plan, text: '요약' });
    expect(state.messages).toEqual(conversation(12).slice(5));
  });

  it('does not change its arguments', () => {
    const given = planned(windowOf(...conversation(10)));
    const before = JSON.stringify(given);
    applySummary({ ...given, text: '요약' });
    expect(JSON.stringify(given)).toBe(before);
  });
});
