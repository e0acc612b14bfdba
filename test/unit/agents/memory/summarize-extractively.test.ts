import type { ChatMessage } from 'agent-machines';
import { extractiveSummarizer, summarizeExtractively } from 'agent-machines/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../fixtures/code-point.ts';

const conversation: readonly ChatMessage[] = [
  { role: 'user', content: '안녕. 오늘 날씨 좋다. 내 이름은 철수야.' },
  { role: 'assistant', content: '안녕하세요 철수님! 반갑습니다.' },
  { role: 'user', content: '배포는 금요일에 하기로 결정했어.' },
];

const messages: fc.Arbitrary<readonly ChatMessage[]> = fc.array(
  fc
    .record({
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
      content: fc.oneof(
        fc.string(),
        fc.string({ unit: codePoint }),
        fc.constantFrom('예산은 1억원이야.', '끝?', '\n', 'I like tea. We decided.'),
      ),
    })
    .map((message) => message),
);

describe('summarizeExtractively', () => {
  it('quotes everything when there is room', () => {
    expect(summarizeExtractively(conversation)).toBe(
      '사용자: 안녕. 오늘 날씨 좋다. 내 이름은 철수야.\n도우미: 안녕하세요 철수님! 반갑습니다.\n사용자: 배포는 금요일에 하기로 결정했어.',
    );
  });

  it('prefers facts of the user, then decisions, and keeps the order', () => {
    expect(
      summarizeExtractively(conversation, { maxChars: '사용자: 내 이름은 철수야.\n사용자: 배포는 금요일에 하기로 결정했어.'.length }),
    ).toBe('사용자: 내 이름은 철수야.\n사용자: 배포는 금요일에 하기로 결정했어.');
    expect(summarizeExtractively(conversation, { maxChars: 20 })).toBe('사용자: 내 이름은 철수야.');
  });

  it('names the speakers in the language of the conversation', () => {
    expect(summarizeExtractively([{ role: 'user', content: 'We agreed on 3 rooms.' }])).toBe('User: We agreed on 3 rooms.');
  });

  it('cuts the best sentence if it does not fit', () => {
    expect(summarizeExtractively(conversation, { maxChars: 6 })).toBe('배포는 금요');
    expect(summarizeExtractively(conversation, { maxChars: 0 })).toBe('');
  });

  it('quotes messages without a sentence', () => {
    expect(summarizeExtractively([{ role: 'user', content: '???' }])).toBe('???');
  });

  it('is well-formed and never longer than maxChars', () => {
    fc.assert(
      fc.property(messages, fc.nat(100), (some, maxChars) => {
        const summary = summarizeExtractively(some, { maxChars });
        expect(summary.length).toBeLessThanOrEqual(maxChars);
        expect(summary.isWellFormed()).toBe(true);
        expect(summary).not.toMatch(/[\p{Cc}--\n]/v);
        expect(summarizeExtractively(some, { maxChars })).toBe(summary);
      }),
    );
  });

  it('refuses a negative length', () => {
    expect(() => summarizeExtractively([], { maxChars: -1 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('extractiveSummarizer', () => {
  it('uses the smaller of both limits', async () => {
    const request = { messages: conversation, facts: [] };
    expect(await extractiveSummarizer().summarize({ ...request, maxChars: 20 })).toBe('사용자: 내 이름은 철수야.');
    expect(await extractiveSummarizer({ maxChars: 20 }).summarize({ ...request, maxChars: 100 })).toBe('사용자: 내 이름은 철수야.');
  });
});
