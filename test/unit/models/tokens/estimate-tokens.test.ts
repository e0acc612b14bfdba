import { estimateMessageTokens, estimateTokens } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';

describe('estimateTokens', () => {
  it('is within a fifth of the published counts for the greeting of GPT-4o', () => {
    const korean = estimateTokens('안녕하세요, 제 이름은 GPT-4o입니다. 저는 새로운 유형의 언어 모델입니다, 만나서 반갑습니다!');
    const english = estimateTokens("Hello, my name is GPT-4o. I'm a new type of language model, it's nice to meet you!");
    expect(Math.abs(korean - 27) / 27).toBeLessThan(0.2);
    expect(Math.abs(english - 24) / 24).toBeLessThan(0.2);
  });

  it('is 0 for an empty text and grows with the text', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
    expect(estimateTokens('가'.repeat(1_000))).toBe(650);
  });
});

describe('estimateMessageTokens', () => {
  it('counts the message and its calls', () => {
    expect(estimateMessageTokens({ role: 'user', content: '' })).toBe(4);
    const call = { id: 'x', name: 'calculator', arguments: '{"expression":"1+1"}' };
    expect(estimateMessageTokens({ role: 'assistant', content: '', toolCalls: [call] })).toBeGreaterThan(8);
  });
});
