// Without a model: what a tool knows at once, and else that a model is needed.
import { createRuntime } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { bm25Retriever } from 'agent-machines/search';
import { calculator, getCurrentDatetime, searchDocuments } from 'agent-machines/tools';
import { readFile, webSearch } from 'agent-machines/tools/node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ask = async (input: string, options: Parameters<typeof toolAgent>[0] = {}): Promise<unknown> => {
  const result = await createRuntime().start(toolAgent({ timeZone: 'Asia/Seoul', ...options }), { input }).result;
  return 'output' in result ? result.output.answer : result;
};

describe('tool-agent without a model', () => {
  it.each([
    ['123 * 456 계산해줘', '123 * 456 = 56088'],
    ['What is 6*7?', '6*7 = 42'],
    ['지금 몇 시야?', /^지금은 .* \(.요일, Asia\/Seoul\)\.$/],
    ['런던은 지금 몇 시야?', /Europe\/London/],
    ['내일은 무슨 요일이야?', /요일/],
    ['1/0', /계산|calculator has failed|CALCULATION|0/],
  ])('answers %j from a tool', async (input, expected) => {
    expect(await ask(input)).toMatch(expected);
  });

  it.each([
    ['한국의 수도는?', '언어 모델이 필요합니다'],
    ['who wrote Hamlet', 'needs a language model'],
    ['너 이름이 뭐야?', '언어 모델이 필요합니다'],
    ['write me a poem', 'needs a language model'],
  ])('reports for %j that a model is needed', async (input, expected) => {
    expect(await ask(input)).toContain(expected);
  });

  it('gives the reason why a tool is unavailable', async () => {
    expect(await ask('오늘 뉴스 알려줘', { tools: [webSearch({ allowNet: false })] })).toMatch(/^web_search: 지금은 쓸 수 없습니다\. /);
  });

  it('reads a file, and reports a missing one', async () => {
    const tools = [calculator(), getCurrentDatetime(), readFile({ root: 'machines/chat-agent/examples' })];
    expect(await ask('leave-policy.md 읽어줘', { tools })).toContain('연차');
    expect(await ask('none.md 읽어줘', { tools })).toMatch(/^read_file: 실패했습니다/);
  });

  it.each([
    ['문서에서 래치가 뭔지 찾아줘', '“래치는 문을 잠그는 쇠입니다.”'],
    ['What is a gasket? Search the docs.', 'needs a language model'],
    ['문서 검색해서 요약해줘', '언어 모델이 필요합니다'],
  ])('quotes documents only if they define the term of %j', async (input, expected) => {
    const documents = [
      { name: 'a.md', text: '# 문\n\n래치를 매달 닦습니다. 래치는 문을 잠그는 쇠입니다.\n\n# Spares\n\nOrder a spare gasket each year.' },
    ];
    expect(await ask(input, { tools: [searchDocuments({ retriever: bm25Retriever(documents) })] })).toContain(expected);
  });

  it('does not invent an answer of a form', async () => {
    expect(await ask('Seoul?', { output: z.strictObject({ days: z.int() }) })).toMatch(/^Execution stopped: Rules cannot/);
  });
});
