import { renderSummaries, type WindowSummary } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';

const summaryOf = (text: string): WindowSummary => ({ text, messageIds: ['m'], by: 'summarizer' });
const facts = [{ key: 'name', text: '내 이름은 철수야', messageId: 'm' }];

describe('renderSummaries', () => {
  it('numbers summaries from the oldest', () => {
    expect(renderSummaries({ summaries: [summaryOf('하나'), summaryOf('둘')], facts: [] })).toBe(
      '[대화 기록 1]\n하나\n\n[대화 기록 2]\n둘',
    );
  });

  it('is empty without summaries, and skips blank ones', () => {
    expect(renderSummaries({ summaries: [], facts: [] })).toBe('');
    expect(renderSummaries({ summaries: [summaryOf(''), summaryOf('둘'), summaryOf('')], facts: [] })).toBe('[대화 기록 1]\n둘');
  });

  it('prints the facts below the newest summary, or alone', () => {
    expect(renderSummaries({ summaries: [summaryOf('둘')], facts })).toBe('[대화 기록 1]\n둘\n사용자가 말한 내용:\n- 내 이름은 철수야');
    expect(renderSummaries({ summaries: [], facts })).toBe('[대화 기록 1]\n사용자가 말한 내용:\n- 내 이름은 철수야');
  });

  it('omits a fact that a summary has in the same words', () => {
    expect(renderSummaries({ summaries: [summaryOf('사용자: 내 이름은 철수야.'), summaryOf('둘')], facts })).not.toContain('- 내 이름');
  });
});
