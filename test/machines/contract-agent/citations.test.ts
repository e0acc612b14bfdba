import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { answer, byNumber, callsOf, enough, noCalls, play } from './helpers.ts';

const question = '지체상금은 얼마야?';
const play5 = (...answers: readonly string[]) => play([byNumber('5'), enough(true), ...answers.map(answer)], question);

describe('citations of contract-agent', () => {
  it('keeps an answer with correct places, quotes and figures', async () => {
    const { output } = await play5('제5조: “하루마다 대금의 1,000분의 2를 낸다.”');
    expect(output?.answer).toBe('제5조: “하루마다 대금의 1,000분의 2를 낸다.”');
    expect(output?.citations.map(({ status }) => status)).toEqual(['supported', 'supported']);
  });

  it('requests a wrong answer once more with the reasons, and uses the better one', async () => {
    const { output, events, requests } = await play5('제99조에 따르면 1억원', '제5조에 따라 1,000분의 2');
    expect(output).toMatchObject({ answer: '제5조에 따라 1,000분의 2', citations: [{ label: '제5조', quote: '', status: 'supported' }] });
    const asked = requests.at(-1)?.messages.at(-1)?.content;
    expect(asked).toContain('- 제99조: the contract has no such place\n- "1억원": no article that was read has this figure');
    const shown = events.map(({ type }) => type);
    expect(shown.indexOf('step-reset')).toBeLessThan(shown.lastIndexOf('token'));
  });

  it('marks what is wrong in the second answer too, in the answer and in the output', async () => {
    const { output, events } = await play5('제99조에 따르면 1억원', '제99조에 따르면 2억원, 제7조는 “절대로 어길 수 없는 비밀을 지킨다”');
    expect(output?.answer).toBe(
      '제99조에 따르면 2억원, 제7조는 “절대로 어길 수 없는 비밀을 지킨다”\n\n※ 계약서에서 확인되지 않은 부분: 제99조 (계약서에 없는 조항), 제7조 (읽지 않은 조항), “절대로 어길 수 없는 비밀을 지킨다” (조항에 없는 말), 2억원 (읽은 조항과 맞지 않음)',
    );
    expect(output?.citations.map(({ status }) => status)).toEqual(['unknown', 'unread', 'misquoted', 'unsupported']);
    const text = events
      .slice(events.findLastIndex(({ type }) => type === 'step-reset'))
      .flatMap((event) => (event.type === 'token' ? [event.text] : []));
    expect(text.join('')).toBe(output?.answer);
  });

  it('reports an unreadable document structure under a model’s answer too', async () => {
    const letter = parseContract({
      name: 'letter.txt',
      text: 'Dear Sir,\n\nwe may terminate on thirty days notice in writing.\n\nYours\n',
    });
    const search = callsOf(['hybrid_search', { topics: [{ topic_name: 'termination', queries: ['termination notice'] }] }]);
    const { output } = await play([search, enough(true), answer('It may be terminated on thirty days notice.')], '계약 해지는 언제 돼?', {
      contracts: [{ contract: letter }],
    });
    expect(output?.answer).toMatch(/^It may be terminated[\s\S]*조항의 구조를 읽지 못했습니다/);
  });

  it('counts a place in the caller’s previous turn as read if the contract has it', async () => {
    const previousTurn = [
      { role: 'user', content: '기간은?' },
      { role: 'assistant', content: '제2조와 제99조: 1년씩 갱신됩니다.' },
    ] as const;
    const summary = answer('제2조는 갱신을, 제99조는 그 밖의 것을 정합니다.');
    const { output } = await play([noCalls, summary, summary], '그 조항 요약해줘', { input: { previousTurn } });
    expect(output?.citations.map(({ label, status }) => [label, status])).toEqual([
      ['제2조', 'supported'],
      ['제99조', 'unknown'],
    ]);
  });

  it('counts every place of a list in the caller’s previous turn as read', async () => {
    const agreement = parseContract({
      name: 'garden.md',
      text: '# Garden Agreement\n\nArticle 1. Work\nThe Gardener mows.\n\nArticle 2. Fee\nThe fee is 60 dollars a visit.\n\nExhibit A. Plan\nThe plan shows the beds.\n',
    });
    const previousTurn = [
      { role: 'user', content: 'What of the fee?' },
      { role: 'assistant', content: 'Article 1: mowing.\n\nSee also: Exhibit A, Article 2' },
    ] as const;
    const summary = answer('Article 1 is about work, Article 2 about the fee, Exhibit A has the plan.');
    const { output } = await play([noCalls, summary], 'Summarise those articles again', {
      input: { previousTurn },
      contracts: [{ contract: agreement }],
    });
    expect(output?.citations.map(({ label, status }) => [label, status])).toEqual([
      ['Article 1', 'supported'],
      ['Article 2', 'supported'],
      ['Exhibit A', 'supported'],
    ]);
  });
});
